import { describe, expect, it } from 'vitest';
import { swissRoll } from '../../src/app/data/index.ts';
import { InvalidInputError, OptimizationError } from '../../src/core/errors.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import {
  type Checkpoint,
  type Fit,
  type FitOptions,
  type FitStep,
  fit,
  fitSteps,
  lbfgs,
  type WorkerLike,
} from '../../src/inference/index.ts';
import { serveRuns } from '../../src/inference/workers/serveRuns.ts';
import type { Model } from '../../src/model/model.ts';
import { classicalMds, isomap, kernelPca, laplacianEigenmaps, lle, mvu, pca, ppca } from '../../src/models/index.ts';
import { modelFromJSON } from '../../src/models/modelFromJSON.ts';

const live = withFloat64(({ memory64 }) => memory64.liveBlocks);
const { observations } = swissRoll({ points: 60, seed: 3 });
const closed = () => pca(observations, { latentDim: 2 });
const search = () => mvu(observations, { neighbors: 5 });
const bitsOf = ({ latents, objective, status, message, diagnostics }: Fit) => {
  const { seconds: _, ...rest } = diagnostics;
  return JSON.stringify([latents, objective, status, message, rest]);
};

/** A worker that shares this thread; what it says is copied as a real one's is. */
function inThisThread(): WorkerLike {
  const listeners: ((message: unknown) => void)[] = [];
  let receive: (request: never) => void = () => undefined;
  serveRuns(
    {
      post: (reply) => {
        const copy = structuredClone(reply);
        for (const listener of listeners) setTimeout(() => listener(copy));
      },
      listen: (onRequest) => {
        receive = onRequest as (request: never) => void;
      },
    },
    (json) => modelFromJSON(json, {}),
  );
  return {
    postMessage: (message: unknown) => receive(structuredClone(message) as never),
    terminate: () => undefined,
    on: (event: string, listener: unknown) => event === 'message' && listeners.push(listener as () => void),
  };
}

describe('a model that computes its solution', () => {
  it.each<[string, FitOptions]>([
    ["'solver'", { solver: lbfgs() }],
    ["'restarts'", { restarts: 2 }],
    ["'batchSize', 'restarts'", { restarts: 2, batchSize: 8 }],
  ])('refuses %s at once', (names, options) => {
    for (const model of [closed(), search()]) {
      expect(() => fitSteps(model, options)).toThrow(InvalidInputError);
      expect(() => fitSteps(model, options)).toThrow(
        `The model '${model.name}' computes its solution directly, so fit cannot use ${names}: leave `,
      );
    }
  });

  it('gives its result as the last step, to the loop and to the callback', async () => {
    const reported: FitStep[] = [];
    const steps: FitStep[] = [];
    for await (const step of fitSteps(closed(), { onProgress: (step) => reported.push(step) })) {
      steps.push(step);
    }
    const result = await fit(closed());
    expect(steps).toHaveLength(1);
    expect(reported).toEqual(steps);
    expect(steps[0]!.latents).toEqual(result.latents);
    expect(bitsOf(steps[0]!.result())).toBe(bitsOf(result));
    expect([steps[0]!.iteration, steps[0]!.objective]).toEqual([result.diagnostics.iterations, result.objective]);
  });

  it('shows the progress of its search after each iteration', async () => {
    const steps: FitStep[] = [];
    const few = await fit(search(), { maxIterations: 30, onProgress: (step) => steps.push(step) });
    const iterations = steps.filter(({ stage }) => stage === undefined);
    expect(iterations.map(({ iteration }) => iteration)).toEqual(Array.from({ length: 30 }, (_, k) => k + 1));
    expect(few.trace.map(({ objective }) => objective)).toEqual(iterations.map(({ objective }) => objective));
    const tenth = iterations[9]!.result();
    expect([tenth.status, tenth.diagnostics.iterations, tenth.trace.length]).toEqual(['stopped', 10, 10]);
    const stopped = await fit(search(), { maxIterations: 10 });
    expect(tenth.latents).toEqual(stopped.latents);
    expect(tenth.objective).toBe(stopped.objective);
    expect(few.latents).not.toEqual(stopped.latents);
  });

  it('continues from a checkpoint to the same bits', { tags: 'long' }, async () => {
    const saved: string[] = [];
    const checkpoint = (state: Checkpoint) => saved.push(JSON.stringify(state));
    const whole = await fit(search(), { checkpoint, checkpointInterval: 0 });
    expect(saved.length).toBeGreaterThan(50);
    for (const part of [0.2, 0.7, 1]) {
      const resume = JSON.parse(saved[Math.floor(part * (saved.length - 1))]!);
      const again = await fit(search(), { resume });
      expect(bitsOf(again)).toBe(bitsOf(whole));
      expect(again.trace).toEqual(whole.trace);
    }
    const middle = JSON.parse(saved[Math.floor(saved.length / 2)]!);
    const others = mvu(swissRoll({ points: 60, seed: 4 }).observations, { neighbors: 5 });
    await expect(fit(others, { resume: middle })).rejects.toThrow(/'unit' in its memory is not what it leaves/);
    const closedAgain = await fit(closed(), { checkpoint: (state) => saved.push(JSON.stringify(state)) });
    expect(bitsOf(await fit(closed(), { resume: JSON.parse(saved.at(-1)!) }))).toBe(bitsOf(closedAgain));
  });

  it('is computed in a worker to the same bits', { tags: 'long' }, async () => {
    for (const model of [isomap(observations, { neighbors: 6 }), search(), ppca(observations)] as Model[]) {
      const here = await fit(model);
      const there = await fit(model, { workers: { count: 1, start: inThisThread } });
      expect(bitsOf(there)).toBe(bitsOf(here));
      expect(there.parameters).toEqual(here.parameters);
    }
  });

  it('names the stages that it is in, with the part that is done', async () => {
    const stages = async (model: Model) => {
      const names: string[] = [];
      const onProgress = ({ stage }: FitStep) => {
        if (stage !== undefined && names.at(-1) !== stage.name) names.push(stage.name);
      };
      await fit(model, { onProgress });
      return names;
    };
    const k = { neighbors: 6 };
    expect(await stages(isomap(observations, k))).toEqual(['neighbors', 'shortest paths', 'eigenvectors']);
    expect(await stages(laplacianEigenmaps(observations, k))).toEqual(['neighbors', 'eigenvectors']);
    expect(await stages(lle(observations, k))).toEqual(['neighbors', 'weights', 'eigenvectors']);
    expect(await stages(kernelPca(observations))).toEqual(['eigenvectors']);
    expect(await stages(classicalMds(observations))).toEqual(['eigenvectors']);
    expect(await stages(search())).toEqual(['unfolding']);
  });

  // Far from any curve and large enough that the search takes several slices of 40 ms on any machine.
  const wide = Array.from({ length: 4000 }, (_, i) =>
    Array.from({ length: 200 }, (_, d) => Math.sin(i * i + i * d + 7 * d * d)),
  );
  const roll = swissRoll({ points: 1500, seed: 1 }).observations;
  it.each<[string, Model, string]>([
    ["isomap's shortest paths", isomap(roll, { neighbors: 8 }), 'shortest paths'],
    ["laplacianEigenmaps' neighbors", laplacianEigenmaps(wide, { neighbors: 8 }), 'neighbors'],
  ])('ends in the middle of %s when it is aborted', async (_, model, name) => {
    const controller = new AbortController();
    const seen: [string, number][] = [];
    const result = await fit(model, {
      signal: controller.signal,
      onProgress: async ({ stage }) => {
        if (stage === undefined) return;
        seen.push([stage.name, stage.part]);
        // So that the slice is over, and the next pause is told.
        if (stage.name === name && stage.part === 0) await new Promise((resume) => setTimeout(resume, 50));
        if (stage.name === name && stage.part > 0) controller.abort();
      },
    });
    const [last, part] = seen.at(-1)!;
    expect(last).toBe(name);
    expect(part).toBeGreaterThan(0);
    // Where in the middle depends on how fast the machine is.
    expect(part).toBeLessThan(1);
    expect(result.status).toBe('stopped');
    expect(result.message).toBe(`Stopped by the abort signal in the stage '${name}', before there was an embedding.`);
    expect([result.latents.rows, result.objective]).toEqual([0, Number.NaN]);
    for (const ability of ['project', 'eigenvalues', 'toJSON'] as const) {
      expect(() => result[ability]).toThrow(OptimizationError);
      expect(() => result[ability]).toThrow(
        `This fit of '${model.name}' has no '${ability}', since it was stopped before`,
      );
    }
    expect(withFloat64(({ memory64 }) => memory64.liveBlocks)).toBe(live);
  });

  it('ends by the limit on seconds, and by a callback, in a stage too', async () => {
    const late = await fit(isomap(roll, { neighbors: 8 }), { maxSeconds: 0 });
    expect([late.status, late.latents.rows]).toEqual(['stopped', 0]);
    expect(late.message).toMatch(/^Stopped by the limit of maxSeconds = 0 in the stage 'neighbors', before/);
    const declined = await fit(isomap(roll, { neighbors: 8 }), {
      onProgress: ({ stage }) => stage?.name !== 'eigenvectors',
    });
    expect(declined.message).toMatch(/^Stopped by onProgress, which returned false in the stage 'eigenvectors'/);
  });

  it('keeps to limits on its search, and reports it', async () => {
    const whole = await fit(search());
    expect(whole.status).toBe('converged');
    expect(whole.diagnostics.iterations).toBeGreaterThan(100);
    const few = await fit(search(), { maxIterations: 30 });
    expect([few.status, few.diagnostics.iterations]).toEqual(['maxIterations', 30]);
    expect(few.message).toMatch(
      /^Reached the limit of maxIterations = 30 before converging\. The semidefinite program is not/,
    );
    expect(few.diagnostics.kktResidual).toBeGreaterThan(whole.diagnostics.kktResidual!);
    const short = await fit(search(), { maxEvaluations: 40 });
    expect([short.status, short.diagnostics.evaluations]).toEqual(['maxIterations', 40]);
    expect(short.message).toMatch(/^Reached the limit of maxEvaluations = 40 before converging\. /);
    const none = await fit(search(), { maxSeconds: 0 });
    expect(none.status).toBe('stopped');
    expect(none.message).toMatch(/^Stopped by the limit of maxSeconds = 0\. /);
    const ample = await fit(search(), { maxIterations: 1e6, maxEvaluations: 1e6, maxSeconds: 1e6 });
    expect(bitsOf(ample)).toBe(bitsOf(whole));
  });

  it('in closed form meets any limit', async () => {
    const limited = await fit(closed(), { maxIterations: 0, maxSeconds: 0 });
    expect(limited.latents).toEqual((await fit(closed())).latents);
    expect(limited.status).toBe('converged');
  });
});
