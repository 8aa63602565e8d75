import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { InvalidInputError, LatentFieldError } from '../../src/core/errors.ts';
import { Matrix } from '../../src/core/matrix.ts';
import { seededRandom } from '../../src/core/random.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import { perturbedStarts } from '../../src/inference/fit/perturbedStarts.ts';
import { originsOf } from '../../src/inference/fit/restarts.ts';
import {
  adam,
  type FitOptions,
  type FitStep,
  fit,
  lbfgs,
  type NodeThread,
  type WorkerPool,
} from '../../src/inference/index.ts';
import type { Reply, Request } from '../../src/inference/workers/messages.ts';
import { listen } from '../../src/inference/workers/pool.ts';
import { serveRuns, type WorkerPort } from '../../src/inference/workers/serveRuns.ts';
import { defineKernel } from '../../src/kernels/index.ts';
import type { Fit } from '../../src/model/fit.ts';
import { bounded, fixed, positive, real } from '../../src/model/parameter.ts';
import { layOut, naturalEntries, toUnconstrained } from '../../src/model/variables.ts';
import { gplvm, mpme } from '../../src/models/index.ts';
import { modelFromJSON } from '../../src/models/modelFromJSON.ts';
import { bundled } from '../bundled.ts';
import { densityModel } from './densityModel.ts';
import { cauchy } from './ownKernel.ts';

// log p(x) = −(y² − 1)² + y/4, y = x − 5, has its maxima where 4y³ − 4y = 1/4.
const maxima = [-0.9663, 1.0301].map((near) => {
  let y = near;
  for (let k = 0; k < 50; k++) y -= (4 * y ** 3 - 4 * y - 0.25) / (12 * y ** 2 - 4);
  return -((y * y - 1) ** 2) + y / 4;
});
const doubleWell = (start: number) =>
  densityModel({ x: real(start) }, ({ x }) => {
    const y = op.sub(x!, 5);
    return op.add(op.neg(op.square(op.sub(op.square(y), 1))), op.div(y, 4)) as Scalar;
  });

describe('restarts', () => {
  it('end in one or the other maximum, and the best is kept', async () => {
    const options = { restarts: 12, seed: 1, tolerance: 1e-9, relativeDecrease: 0 };
    const result = await fit(doubleWell(4.2), options);
    const { restarts } = result.diagnostics;
    expect(restarts).toHaveLength(13);
    expect(restarts![0]).toBeCloseTo(maxima[0]!, 12);
    for (const objective of restarts!) {
      expect(Math.min(...maxima.map((maximum) => Math.abs(maximum - objective)))).toBeLessThan(1e-12);
    }
    expect(result.objective).toBe(Math.max(...restarts!));
    expect(result.objective).toBeCloseTo(maxima[1]!, 12);
    expect(result.trace.at(-1)!.objective).toBe(result.objective);
    expect(result.message).toMatch(/^Converged \(.* It came from start \d+, the best of 13\.$/);
    const alone = await fit(doubleWell(4.2), { ...options, restarts: 0 });
    expect(alone.objective).toBe(restarts![0]);
    expect(alone.diagnostics.restarts).toBeUndefined();
    expect(result.diagnostics.evaluations).toBeGreaterThan(12 * 3 + alone.diagnostics.evaluations);
  });

  it('that begin where the log density is not finite are moved toward the passed start', async () => {
    // log x + log(1 − x) is finite between 0 and 1 only, with its maximum at 1/2.
    const model = densityModel({ x: real(0.9) }, ({ x }) => op.add(op.log(x!), op.log(op.sub(1, x!))) as Scalar);
    const { diagnostics } = await fit(model, { restarts: 8, tolerance: 1e-10, relativeDecrease: 0 });
    expect(diagnostics.restarts).toHaveLength(9);
    for (const objective of diagnostics.restarts!) expect(objective).toBeCloseTo(2 * Math.log(0.5), 12);
  });

  it('report when they were stopped before all had begun', async () => {
    let steps = 0;
    const result = await fit(doubleWell(4.2), { restarts: 5, onProgress: () => ++steps < 9 });
    expect(result.status).toBe('stopped');
    expect(result.message).toMatch(
      /^Stopped by onProgress, which returned false after [12] of 6 starts\. The best so far is start \d: /,
    );
    expect(result.diagnostics.restarts!.length).toBeLessThan(6);
  });
});

it('restarts report when they were stopped right between two of them', async () => {
  const limits = { maxIterations: 4, tolerance: 0, relativeDecrease: 0 };
  const result = await fit(doubleWell(4.2), {
    ...limits,
    restarts: 2,
    onProgress: ({ iteration }) => iteration < 4,
  });
  expect(result.status).toBe('stopped');
  expect(result.message).toMatch(
    /^Stopped by onProgress, which returned false after 1 of 3 starts\. The best so far is start 0: Reached the limit of maxIterations = 4/,
  );
  expect(result.diagnostics.restarts).toHaveLength(1);
});

describe('perturbed starts', () => {
  const random = seededRandom(5);
  const latents = Matrix.zeros(400, 2);
  for (let i = 0; i < 400; i++) latents.data.set([7 + 3 * random.normal(), 0.1 * random.normal()], 2 * i);
  const layout = layOut({
    latents: real(latents),
    held: fixed(2),
    lengthscale: positive(Array(400).fill(0.01) as number[]),
    share: bounded(-1, 1, Matrix.zeros(200, 2)),
    offset: real(Array(400).fill(-8) as number[]),
    weights: real(Matrix.zeros(200, 2)),
  });
  const start = toUnconstrained(layout, naturalEntries(layout, {}));
  const drawn = (count: number, seed: number) =>
    perturbedStarts(layout, () => Promise.resolve(start), originsOf(count).slice(1), seed);
  const rootMeanSquare = (entries: Float64Array) => Math.hypot(...entries) / Math.sqrt(entries.length);

  it('move each variable on its own scale', async () => {
    const [moved] = await drawn(1, 3);
    const moves = moved!.map((entry, i) => entry - start[i]!);
    const column = (entries: Float64Array, j: number) => entries.filter((_, i) => i % 2 === j);
    const deviation = (j: number) => {
      const mean = latents.column(j).reduce((sum, entry) => sum + entry / 400, 0);
      return rootMeanSquare(latents.column(j).map((entry) => entry - mean));
    };
    // Root mean squares of 400 normal numbers are within 4·1/√800 of their standard deviation.
    const near = (entries: Float64Array, expected: number) =>
      expect(Math.abs(rootMeanSquare(entries) / expected - 1)).toBeLessThan(0.15);
    near(column(moves.subarray(0, 800), 0), 0.5 * deviation(0));
    near(column(moves.subarray(0, 800), 1), 0.5 * deviation(1));
    near(moves.subarray(800, 1200), 1);
    near(moves.subarray(1200, 1600), 1);
    near(moves.subarray(1600, 2000), 0.5 * 8);
    near(moves.subarray(2000, 2400), 0.5);
    expect(moved).toHaveLength(2400);
  });

  it('are the same for the same seed, however many are drawn, and do not follow the numbers of the seed itself', async () => {
    const three = await drawn(3, 3);
    expect((await drawn(5, 3)).slice(0, 3)).toEqual(three);
    expect(three[0]).not.toEqual(three[1]);
    expect((await drawn(1, 4))[0]).not.toEqual(three[0]);
    expect((three[0]![2000]! - start[2000]!) / 0.5).not.toBe(seededRandom(3).normal());
  });
});

const { observations } = pipeFlow({ points: 30, seed: 4 });
const fitWorker = await bundled('src/app/workers/fitWorker.ts');
const workers = (count: number, file = fitWorker) => ({ count, start: () => new Worker(file) });
const bitsOf = ({ latents, parameters, objective, terms, trace, status, message, diagnostics }: Fit) => {
  const { seconds: _, ...rest } = diagnostics;
  return JSON.stringify([latents, parameters, objective, terms, trace, status, message, rest]);
};

describe('workers', () => {
  const model = () => gplvm(observations, { latentDim: 2 });
  const options: FitOptions = { restarts: 3, maxIterations: 40, seed: 5, engine: 'wasm' };

  it('give the same bits as none, for any number of them, and report the steps of each start in order', async () => {
    const same = { ...options, solver: lbfgs({ history: 3 }), maxIterations: 12 };
    const here = bitsOf(await fit(model(), same));
    expect(bitsOf(await fit(model(), same))).toBe(here);
    for (const count of [1, 2]) {
      const seen: number[][] = [[], [], [], []];
      const onProgress = ({ start, iteration }: FitStep) => seen[start]!.push(iteration);
      expect(bitsOf(await fit(model(), { ...same, onProgress, workers: workers(count) }))).toBe(here);
      expect(seen).toEqual(Array(4).fill(Array.from({ length: 13 }, (_, iteration) => iteration)));
    }
  });

  it('stop when the fit is aborted', async () => {
    const controller = new AbortController();
    const result = await fit(model(), {
      ...options,
      tolerance: 0,
      relativeDecrease: 0,
      maxIterations: 1e6,
      workers: workers(2),
      signal: controller.signal,
      onProgress: ({ iteration }) => {
        if (iteration === 3) controller.abort();
      },
    });
    expect(result.status).toBe('stopped');
    expect(result.message).toMatch(
      /^Stopped by the abort signal after 0 of 4 starts\. The best so far is start \d: Stopped by the abort signal/,
    );
    expect(result.diagnostics.restarts).toHaveLength(2);
  });

  it("use the model's own solver as a fit without them does", async () => {
    const field = () => mpme(observations, { basePrecision: 1e-2, slackPenalty: 10 });
    const few: FitOptions = { restarts: 1, maxIterations: 2, engine: 'wasm' };
    const here = await fit(field(), few);
    expect(here.message).toMatch(/The learned graph has \d+ of 435 edges/);
    expect(bitsOf(await fit(field(), { ...few, workers: workers(2) }))).toBe(bitsOf(here));
  });

  it('know custom parts of a model from a separate file only', { tags: 'long' }, async () => {
    const own = () => gplvm(observations, { latentDim: 2, kernel: cauchy() });
    const short = { ...options, maxIterations: 3, restarts: 1 };
    const refused = fit(own(), { ...short, workers: workers(1) });
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow(
      /cannot be rebuilt in a worker: .*'cauchy'.*Leave the option workers out.*serveFits/,
    );
    const there = await fit(own(), {
      ...short,
      workers: workers(1, await bundled('test/inference/node/ownPartsWorker.ts')),
    });
    expect(bitsOf(there)).toBe(bitsOf(await fit(own(), short)));
  });

  const withWorkers = (workers: object) =>
    fit(model(), { ...options, maxIterations: 3, restarts: 1, workers: { count: 1, ...workers } as WorkerPool });

  it('are refused if they are neither of a module nor the caller’s own', async () => {
    await expect(withWorkers({})).rejects.toThrow(/but start is undefined and parts undefined/);
    await expect(withWorkers({ start: 3 })).rejects.toThrow(/but start is 3 and parts undefined/);
  });

  it('refuse a model that is another one there', async () => {
    const impostor = defineKernel({
      name: 'rbf',
      parameters: { variance: 1, lengthscale: fixed(1) },
      covariance: (p, A, B) => op.mul(p.variance, op.exp(op.neg(op.squaredDistances(A, B)))) as Tensor2D,
    });
    const refused = fit(gplvm(observations, { latentDim: 2, kernel: impostor() }), { ...options, workers: workers(1) });
    await expect(refused).rejects.toThrow(
      /cannot be rebuilt in a worker: the model of its JSON has (other variables|log density)/,
    );
  });

  it('refuse what cannot go to them, and report when one is lost', async () => {
    const run = (more: FitOptions) => fit(model(), { ...options, workers: workers(1), ...more });
    await expect(run({ solver: { ...lbfgs(), name: 'mine' } })).rejects.toThrow(/solver 'mine' does not come with/);
    await expect(run({ solver: adam({ learningRate: () => 0.1 }) })).rejects.toThrow(
      /learningRate of adam is a function/,
    );
    const lost = run({ workers: workers(1, new URL('noSuchFile.mjs', import.meta.url)) });
    await expect(lost).rejects.toThrow(LatentFieldError);
    await expect(lost).rejects.toThrow(
      /A worker of the fit was lost: Cannot find module '\/.*noSuchFile\.mjs'.*\. Where a bundler has moved the package, .*latentfield\/worker\.js/s,
    );
    await expect(run({ workers: 0 })).rejects.toThrow(/'workers' of fit must be a whole number from 1/);
  });

  it('of a page whose policy forbids their file are lost by that, though the event arrives last', async () => {
    const page = new EventTarget();
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
    try {
      const worker = new EventTarget();
      const reason = new Promise((lost) => listen(worker as globalThis.Worker, { message: () => {}, lost }));
      worker.dispatchEvent(new Event('error'));
      const violation = { effectiveDirective: 'worker-src', blockedURI: 'https://here/worker.js' };
      page.dispatchEvent(Object.assign(new Event('securitypolicyviolation'), violation));
      expect(await reason).toMatch(/security policy forbids its file, https:\/\/here\/worker\.js, by worker-src\./);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  describe('that end unexpectedly', () => {
    // A worker in this thread, which ends after its first reply of a kind.
    const ending = (kind?: Reply['kind']) => (): NodeThread => {
      const told: Record<string, ((given: never) => void)[]> = { message: [], error: [], exit: [] };
      const tell = (event: string, given: unknown) => {
        for (const listener of told[event]!) listener(given as never);
      };
      let receive: (request: Request) => void = () => {};
      let alive = true;
      const port: WorkerPort = {
        post: (reply) => {
          if (!alive) return;
          tell('message', reply);
          if (reply.kind !== kind) return;
          alive = false;
          tell('exit', 1);
        },
        listen: (onRequest) => {
          receive = onRequest;
        },
      };
      serveRuns(port, (json) => modelFromJSON(json, {}));
      return {
        postMessage: (request) => receive(request as Request),
        terminate: () => {},
        on: (event: string, listener: (given: never) => void) => told[event]!.push(listener),
      };
    };
    const two: FitOptions = { ...options, restarts: 1, maxIterations: 6 };
    const shared = (kind: Reply['kind']) => fit(model(), { ...two, workers: { count: 2, start: ending(kind) } });

    it('change nothing once there is nothing left for them to do', async () => {
      expect(bitsOf(await shared('end'))).toBe(bitsOf(await fit(model(), two)));
    });

    it('have their start repeated elsewhere, with the same bits, and the message reports it', async () => {
      for (const restarts of [0, 2]) {
        const seen: [number, number][] = [];
        let begun = 0;
        const start = () => (++begun === 1 ? ending('iteration') : ending())();
        const whole = await fit(model(), { ...two, restarts });
        const again = await fit(model(), {
          ...two,
          restarts,
          workers: { count: 1, start },
          onProgress: (step) => void seen.push([step.start, step.iteration]),
        });
        expect(begun).toBe(2);
        expect(again.message).toBe(
          `${whole.message} Start 0 was done again, because its worker was lost: it ended with exit code 1.`,
        );
        expect(bitsOf({ ...again, message: whole.message } as Fit)).toBe(bitsOf(whole));
        const once = Array.from({ length: restarts + 1 }, (_, k) => Array.from({ length: 7 }, (_, i) => [k, i])).flat();
        expect(seen).toEqual(once);
      }
    });

    it('fail the fit when a start has lost two', async () => {
      await expect(shared('iteration')).rejects.toThrow(LatentFieldError);
      await expect(shared('iteration')).rejects.toThrow(/A worker of the fit was lost: it ended with exit code 1/);
    });
  });

  it.each([
    [0, /'workers\.count' of fit must be a whole number from 1, but 0 was given/],
    [2.5, /'workers\.count' of fit must be a whole number from 1, but 2\.5 was given/],
    [Number.NaN, /'workers' of fit must be a whole number from 1, or workers of your own: \{ count, start \}/],
    ['2', /'workers' of fit must be a whole number from 1, or workers of your own: \{ count, start \}/],
  ])('of your own are refused when there are %s of them', async (count, message) => {
    const refused = async () => fit(model(), { ...options, workers: workers(count as number) });
    await expect(refused()).rejects.toThrow(InvalidInputError);
    await expect(refused()).rejects.toThrow(message);
  });
});
