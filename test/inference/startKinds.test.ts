import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { swissRoll } from '../../src/app/data/index.ts';
import { Matrix } from '../../src/core/matrix.ts';
import { lazily } from '../../src/core/progressiveWork.ts';
import { seededRandom } from '../../src/core/random.ts';
import {
  backConstrained,
  bayesianGplvm,
  encoded,
  fixedAt,
  gaussianLatents,
  gplvm,
  isomap,
  laplacianEigenmaps,
  latentVariableModel,
  linear,
  linearMap,
  meu,
} from '../../src/index.ts';
import { type Checkpoint, type FitOptions, fit, fitSteps } from '../../src/inference/index.ts';
import type { Fit } from '../../src/model/fit.ts';
import type { DistributedRows } from '../../src/model/language/variable.ts';
import type { AnyModel } from '../../src/model/model.ts';
import { evaluate } from '../../src/model/open.ts';
import { bundled } from '../bundled.ts';

const fitWorker = await bundled('src/app/workers/fitWorker.ts');

const { observations } = swissRoll({ points: 40, seed: 5 });
const random = seededRandom(9);
const own = Matrix.from(Array.from({ length: 40 }, () => [random.normal(), random.normal()]));
const model = () => gplvm(observations, { latentDim: 2, init: own });

/** The objective at which each start begins. */
async function beginnings(options: FitOptions, of = model()): Promise<number[]> {
  const found: number[] = [];
  for await (const { start, iteration, objective } of fitSteps(of, { maxIterations: 0, ...options })) {
    expect([start, iteration]).toEqual([found.length, 0]);
    found.push(objective);
  }
  return found;
}

const bitsOf = ({ latents, objective, trace, message, diagnostics }: Fit) => {
  const { seconds: _, ...rest } = diagnostics;
  return JSON.stringify([latents, objective, trace, message, rest]);
};

describe('a start whose points or dimensions are equal', () => {
  const { normal } = seededRandom(8);
  const factors = Array.from({ length: 40 }, () => [3 * normal(), normal()] as const);
  const Y = factors.map(([a, b]) => [a, b, a + b, a - b].map((entry) => entry + 0.1 * normal()));
  const starts: Record<string, (i: number) => [number, number]> = {
    'rows of 1': () => [1, 1],
    'rows of 0': () => [0, 0],
    'equal columns': (i) => [factors[i]![0], factors[i]![0]],
    'a column of 0': (i) => [factors[i]![0], 0],
    'opposite columns': (i) => [factors[i]![0], 1 - factors[i]![0]],
  };

  const usual = lazily(() => fit(gplvm(Y, { latentDim: 2, kernel: linear() }), { maxIterations: 2000 }));
  for (const [name, rowOf] of Object.entries(starts)) {
    it(`is spread, so that both dimensions are learned: ${name}`, { tags: 'long' }, async () => {
      const init = factors.map((_, i) => rowOf(i));
      const found = await fit(gplvm(Y, { latentDim: 2, kernel: linear(), init }), { maxIterations: 2000 });
      expect(Math.abs(found.objective - (await usual()).objective)).toBeLessThan(0.5);
    });
  }

  const equal = factors.map(() => [1, 1]);
  const inferred = (posterior: DistributedRows) => bayesianGplvm(Y, { latentDim: 2, inducing: 5, posterior });
  const constrained = (init: number[][]) => backConstrained(linearMap(), { init });
  const models: Record<string, (init: number[][]) => AnyModel> = {
    points: (init) => gplvm(Y, { latentDim: 2, init }),
    backConstrained: (init) => gplvm(Y, { latentDim: 2, posterior: constrained(init) }),
    gaussianLatents: (init) => inferred(gaussianLatents({ init })),
    encoded: (init) => inferred(encoded(linearMap(), { init })),
  };
  it.each(Object.entries(models))('is spread by an amount that the fit names: %s', async (_, modelFrom) => {
    const messageFrom = async (init: number[][]) => (await fit(modelFrom(init), { maxIterations: 0 })).message;
    expect(await messageFrom(equal)).toMatch(/init .*standard deviation 0\.1 were added/);
    expect(await messageFrom(factors.map((row) => [...row]))).not.toMatch(/were added/);
  });

  it('is kept where the latents are fixed', async () => {
    const held = fixedAt(factors.map(() => [1, 1]));
    const model = latentVariableModel({ observations: Y, latentDim: 2, posterior: held, kernel: linear() });
    expect((await fit(model, { maxIterations: 0 })).latents).toEqual(Matrix.from(factors.map(() => [1, 1])));
  });
});

describe('restarts of several kinds', () => {
  it('begin at the embeddings that they name, then around them', async () => {
    const at = async (init: 'pca' | { latents: Matrix }) =>
      evaluate(gplvm(observations, { latentDim: 2, init })).objective;
    const expected = [
      evaluate(model()).objective,
      await at('pca'),
      await at(await fit(isomap(observations, { neighbors: 10 }))),
      await at(await fit(laplacianEigenmaps(observations, { neighbors: 10 }))),
    ];
    const found = await beginnings({ restarts: { count: 4, inits: ['pca', 'isomap', 'eigenmaps'] } });
    expected.forEach((objective, start) => {
      expect(found[start]).toBeCloseTo(objective, 6);
    });
    expect(Math.abs(found[4]! - found[1]!)).toBeGreaterThan(1);
  });

  it('at random are standard normal latents, of the seed', async () => {
    const restarts = { count: 2, inits: ['random'], width: 0 } as const;
    const found = await beginnings({ restarts, seed: 3 });
    expect(found[1]).not.toBe(found[2]);
    expect(await beginnings({ restarts, seed: 3 })).toEqual(found);
    expect(await beginnings({ restarts, seed: 4 })).not.toEqual(found);
    const drawn: Matrix[] = [];
    for await (const step of fitSteps(model(), { maxIterations: 0, restarts: { ...restarts, count: 20 } })) {
      drawn.push(step.latents);
    }
    const squares = drawn.slice(1).flatMap((X) => Array.from(X.data, (entry) => entry * entry));
    // 1600 squares of standard normals have mean 1, with a standard deviation of √(2/1600).
    expect(Math.abs(squares.reduce((sum, entry) => sum + entry, 0) / squares.length - 1)).toBeLessThan(4 * 0.036);
  });

  it('move as far as their width, by 1 like restarts as a number', async () => {
    const plain = await beginnings({ restarts: 2, seed: 6 });
    expect(await beginnings({ restarts: { count: 2 }, seed: 6 })).toEqual(plain);
    expect(await beginnings({ restarts: { count: 2, width: 0 }, seed: 6 })).toEqual(Array(3).fill(plain[0]));
    const moves: number[][] = [];
    for (const width of [1, 0.5]) {
      const latents: Matrix[] = [];
      for await (const step of fitSteps(model(), { maxIterations: 0, restarts: { count: 1, width } })) {
        latents.push(step.latents);
      }
      moves.push(Array.from(latents[1]!.data, (entry, i) => entry - latents[0]!.data[i]!));
    }
    moves[0]!.forEach((move, i) => {
      expect(moves[1]![i]).toBeCloseTo(move / 2, 12);
    });
  });

  it('start the map of back-constrained latents as near as it can', async () => {
    const mapped = (init: 'pca' | { latents: Matrix }) =>
      gplvm(observations, { latentDim: 2, posterior: backConstrained(linearMap(), { init }) });
    const unfolded = await fit(isomap(observations, { neighbors: 10 }));
    const found = await beginnings({ restarts: { count: 1, inits: ['isomap'] } }, mapped('pca'));
    expect(found[1]).toBeCloseTo(evaluate(mapped(unfolded)).objective, 6);
  });

  it('have the same bits in workers and when they are resumed', { tags: 'long' }, async () => {
    const options: FitOptions = {
      restarts: { count: 3, inits: ['isomap', 'random', 'pca'], width: 0.3 },
      maxIterations: 8,
      seed: 2,
      engine: 'wasm',
    };
    const saved: string[] = [];
    const checkpoint = (state: Checkpoint) => {
      saved.push(JSON.stringify(state));
    };
    const whole = await fit(model(), { ...options, checkpoint });
    const start = () => new Worker(fitWorker);
    expect(bitsOf(await fit(model(), { ...options, workers: { count: 2, start } }))).toBe(bitsOf(whole));
    const { restarts: _, ...same } = options;
    const first = JSON.parse(saved[0]!) as Checkpoint;
    expect(first.starts.filter((entry) => entry !== null)).toHaveLength(1);
    expect(bitsOf(await fit(model(), { ...same, resume: first }))).toBe(bitsOf(whole));
    expect(bitsOf(await fit(model(), { ...options, resume: first }))).toBe(bitsOf(whole));
    await expect(fit(model(), { ...same, restarts: 3, resume: first })).rejects.toThrow(
      /restarts had other inits or another width/,
    );
  });

  it('are computed once for each kind, and not at all for starts that resume a state', async () => {
    const asked: string[] = [];
    const counting = () => {
      const own = model();
      const startAt: typeof own.startAt = (kind, seed) => {
        asked.push(kind);
        return own.startAt!(kind, seed);
      };
      return { ...own, startAt };
    };
    const states: Checkpoint[] = [];
    const checkpoint = (state: Checkpoint) => {
      states.push(state);
    };
    const inits = ['isomap', 'random'] as const;
    const options: FitOptions = { maxIterations: 2, seed: 7 };
    const whole = await fit(counting(), { ...options, restarts: { count: 6, inits }, checkpoint });
    expect(asked).toEqual(['isomap', 'random', 'random', 'random']);
    asked.length = 0;
    const resume = states.find(({ starts }) => starts[3] !== null)!;
    expect(bitsOf(await fit(counting(), { ...options, resume }))).toBe(bitsOf(whole));
    expect(asked).toEqual(['random', 'isomap', 'random']);
  });

  it('are refused where they cannot be', () => {
    const field = meu(observations, { neighbors: 5 });
    expect(() => fitSteps(field, { restarts: { count: 1, inits: ['pca'] } })).toThrow(
      "The model 'meu' has no latents that could start at 'pca'.",
    );
    const refused = (restarts: unknown) => () => fitSteps(model(), { restarts } as FitOptions);
    expect(refused({ count: 1.5 })).toThrow(/'restarts\.count' of fit must be a whole number/);
    expect(refused({ count: 1, inits: ['umap'] })).toThrow(
      /'restarts' of fit must be .* with inits among 'model', 'pca', 'isomap', 'eigenmaps', 'tsne', 'random'/,
    );
    expect(refused({ count: 1, inits: [] })).toThrow(/'restarts\.inits' of fit must be at least one start/);
    expect(refused({ count: 1, width: -1 })).toThrow(/'restarts\.width' of fit must be a number from 0/);
    expect(refused('3')).toThrow(/or \{ count, inits, width, trialIterations \}/);
  });
});
