import { checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { standardizationOf, standardized } from '../../src/core/observations.ts';
import { completed } from '../../src/core/progressiveWork.ts';
import {
  defineModel,
  evaluate,
  describe as explained,
  fit,
  fitAt,
  gplvm,
  known,
  latent,
  lbfgs,
  loadFit,
  Matrix,
  nearestNeighborError,
  samplePosterior,
  seededRandom,
  tpslvm,
  trustworthiness,
  tsne,
  tsneNeighbors,
  umap,
} from '../../src/index.ts';
import { fitSteps } from '../../src/inference/index.ts';
import { tsneWork } from '../../src/model/neighborStart.ts';
import { density } from '../priors/priorDensity.ts';

const N = 120;
const random = seededRandom(3);
const labels = Array.from({ length: N }, (_, i) => i % 3);
const Y = Matrix.from(
  labels.map((label) => Array.from({ length: 6 }, (_, d) => (d === label ? 4 : 0) + random.normal())),
);
const [train, held] = [
  labels.map((_, i) => i).filter((i) => i % 6 > 0),
  labels.map((_, i) => i).filter((i) => i % 6 === 0),
];
const rowsOf = (rows: number[]) => Matrix.from(rows.map((i) => Y.row(i)));
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

describe('a map in the language of variables', () => {
  const own = defineModel({
    name: 'own',
    variables: ({ y }: { y: Matrix }) => {
      const rows = known(y);
      return { rows, x: latent({ dim: 2, density: tsneNeighbors({ perplexity: 10, neighbors: 30 }), given: rows }) };
    },
  });
  const small = rowsOf(train.slice(0, 60));

  it('has the density of the named one, given the same observations', async () => {
    const named = tsne(small, { perplexity: 10 });
    const { latents, objective } = await fit(named);
    const found = evaluate(own({ y: small }), { x: latents });
    expect(found.objective).toBeCloseTo(objective, 12);
    const gradient = evaluate(named, { latents }).gradients.latents as Matrix;
    (found.gradients.x as Matrix).data.forEach((slope, i) => {
      expect(slope).toBeCloseTo(gradient.data[i]!, 12);
    });
  });

  it('is fitted and saved, and explains why it does not place or predict', async () => {
    const result = await fit(own({ y: small }), { maxIterations: 20 });
    expect(result.objective).toBeGreaterThan(evaluate(own({ y: small })).objective + 0.1);
    const again = loadFit(plain(result), { models: { own } });
    expect(again.latents).toEqual(result.latents);
    expect(again.values.rows).toEqual(small);
    for (const ability of ['project', 'predict', 'sample', 'impute']) expect(ability in result).toBe(false);
    expect(explained(own({ y: small }))).toMatch(/project: no variable of the model 'own' is observed/);
  });
});

describe.each([
  ['tsne', (data: Matrix, init?: Matrix) => tsne(data, { perplexity: 10, ...(init && { init }) })],
  ['umap', (data: Matrix, init?: Matrix) => umap(data, { neighbors: 10, ...(init && { init }) })],
] as const)('%s', (name, make) => {
  it('keeps neighbors, and reports its own density', async () => {
    const result = await fit(make(Y), { seed: 1 });
    expect(result.status).toBe('converged');
    expect(result.message).toMatch(/the 750 steps of the schedule are done/);
    expect(nearestNeighborError(result.latents, labels)).toBeLessThan(0.05);
    expect(trustworthiness(Y, result.latents, 10)).toBeGreaterThan(0.9);
    const { objective, terms } = await evaluate(make(Y), { latents: result.latents });
    expect(objective).toBe(result.objective);
    expect(terms).toEqual({ [name]: objective });
    const before = await fit(make(Y), { maxIterations: 1 });
    expect(result.objective).toBeGreaterThan(before.objective);
    // A solver that goes by values finds little more from there.
    const onward = make(Y, result.latents);
    const searched = await fit(onward, { solver: lbfgs(), maxIterations: 200 });
    expect(searched.trace[0]!.objective).toBe(objective);
    expect(searched.objective - objective).toBeLessThan(
      (name === 'tsne' ? 0.05 : 0.1) * Math.abs(objective - before.objective),
    );
  });

  it('is a model as others are', async () => {
    const start = Matrix.from(train.slice(0, 24).map(() => [random.normal(), random.normal()]));
    expect((await checkModel(make(rowsOf(train.slice(0, 24)), start))).passed).toBe(true);
  });

  it('places new rows among their own, and points on themselves', async () => {
    const result = await fit(make(rowsOf(train)));
    const { latents } = await result.project(rowsOf(held));
    const all = Matrix.from([...result.latents.toArrays(), ...latents.toArrays()]);
    const wrong = held.filter((i, h) => {
      const distances = train.map((_, t) => Math.hypot(...[0, 1].map((c) => all.at(t, c) - latents.at(h, c))));
      return labels[train[distances.indexOf(Math.min(...distances))]!] !== labels[i];
    });
    expect(wrong.length / held.length).toBeLessThan(0.06);
    expect((await result.project(rowsOf(train.slice(0, 3)))).latents.data).toEqual(result.latents.data.slice(0, 6));
    const again = await loadFit(plain(result.toJSON()));
    expect((await again.project!(rowsOf(held))).latents).toEqual(latents);
    expect(again.objective).toBe(result.objective);
  });

  it('gives the same bits again, and after an interruption', async () => {
    const whole = await fit(make(Y), { seed: 1 });
    const states: unknown[] = [];
    const checkpoint = (state: unknown) => {
      states.push(state);
    };
    await fit(make(Y), { seed: 1, maxIterations: 4, checkpoint, checkpointInterval: 1e-9 });
    const resumed = await fit(make(Y), { resume: plain(states.at(-1)) as never });
    expect(resumed.latents).toEqual(whole.latents);
    let iterations = 0;
    for await (const step of fitSteps(make(Y), { seed: 1 })) iterations = step.iteration;
    expect(iterations).toBe(15);
  });
});

describe('maps', () => {
  it('of t-SNE have the density of the factor', async () => {
    const X = Matrix.from(labels.map(() => [random.normal(), random.normal()]));
    const { objective } = await evaluate(tsne(Y, { perplexity: 10, neighbors: 'all' }), { latents: X });
    expect(objective).toBe(density(tsneNeighbors({ perplexity: 10 }), X, Y).value);
  });

  it("of t-SNE place a new row where the divergence of the row's similarities is stationary", async () => {
    const [perplexity, neighbors] = [8, 24];
    const result = await fit(tsne(rowsOf(train), { perplexity, neighbors }));
    const { latents } = await result.project(rowsOf(held));
    held.forEach((i, h) => {
      const squared = train.map((t) => Y.row(i).reduce((sum, entry, d) => sum + (entry - Y.at(t, d)) ** 2, 0));
      const near = squared.map((_, t) => t).sort((a, b) => squared[a]! - squared[b]!);
      near.length = neighbors;
      const similarities = (precision: number) => {
        const own = near.map((t) => Math.exp(-precision * (squared[t]! - squared[near[0]!]!)));
        const total = own.reduce((sum, p) => sum + p);
        return own.map((p) => p / total);
      };
      let [low, high] = [1e-6, 1e3];
      for (let k = 0; k < 200; k++) {
        const middle = Math.sqrt(low * high);
        const entropy = similarities(middle).reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
        if (entropy > Math.log(perplexity)) low = middle;
        else high = middle;
      }
      const p = similarities(low);
      /** Σ_j p_j·log(1 + ‖x − x_j‖²) + log Σ_k 1/(1 + ‖x − x_k‖²) over all rows k. */
      const divergence = (x: readonly number[]) => {
        const kernel = train.map(
          (_, t) => 1 + x.reduce((sum, entry, c) => sum + (entry - result.latents.at(t, c)) ** 2, 0),
        );
        const expected = near.reduce((sum, t, n) => sum + p[n]! * Math.log(kernel[t]!), 0);
        return expected + Math.log(kernel.reduce((sum, entry) => sum + 1 / entry, 0));
      };
      const at = [...latents.row(h)];
      for (const c of [0, 1]) {
        const moved = (by: number) => at.map((entry, k) => entry + (k === c ? by : 0));
        expect(Math.abs(divergence(moved(1e-4)) - divergence(moved(-1e-4))) / 2e-4).toBeLessThan(1e-5);
      }
    });
  });

  it('start at eigenmaps, or at a matrix, which is taken as it is', async () => {
    const start = Matrix.from(labels.map((_, i) => [Math.sin(i), Math.cos(i)]));
    const { latents } = await fit(tsne(Y, { init: start }), { maxIterations: 0 });
    expect(latents).toEqual(start);
    const result = await fit(umap(Y, { init: 'eigenmaps' }));
    expect(nearestNeighborError(result.latents, labels)).toBeLessThan(0.05);
  });

  it('of three dimensions are searched for with all pairs', async () => {
    const result = await fit(tsne(Y, { latentDim: 3, perplexity: 8, steps: 300 }));
    expect(result.latents.columns).toBe(3);
    expect(nearestNeighborError(result.latents, labels)).toBeLessThan(0.05);
  });

  it('refuse what they cannot do', async () => {
    expect(() => tsne([[1], [2]])).toThrow(/at least 3 points, but there are 2/);
    expect(() => tsne([[1], [1], [1]])).toThrow(/All 3 points are the same/);
    expect(() => umap(Y, { steps: 0 })).toThrow(/a whole number from 1, but 0/);
    await expect((async () => fit(tsne(Y, { perplexity: 200 })))()).rejects.toThrow(/above 1 and less than 119/);
    await expect((async () => fit(umap(Y, { neighbors: 120 })))()).rejects.toThrow(/119 other points/);
  });
});

describe('a decoder on a map', () => {
  it('predicts observations from the latents of the map, which stay as they are', async () => {
    const map = await fit(tsne(Y, { perplexity: 10 }), { seed: 1 });
    const result = await fit(tsne(Y, { perplexity: 10, decoder: true }), { seed: 1 });
    expect(result.latents).toEqual(map.latents);
    expect(result.message).toMatch(/The map: Converged: the 750 steps/);
    const { mean, variance } = result.predict(result.latents, { noise: true });
    const within = Y.data.filter((y, i) => Math.abs(y - mean.data[i]!) < 2 * Math.sqrt(variance.data[i]!)).length;
    expect(within / Y.data.length).toBeGreaterThan(0.9);
    const square = (entries: Float64Array) => entries.reduce((sum, entry) => sum + entry * entry, 0);
    expect(square(Y.data.map((y, i) => y - mean.data[i]!))).toBeLessThan(0.6 * square(Y.data));
    const again = await loadFit(plain(result.toJSON()));
    expect(again.predict!([[0, 0]])).toEqual(result.predict([[0, 0]]));
  });

  it.each([
    ['tsne', tsne, { perplexity: 10 }],
    ['umap', umap, { neighbors: 8, metric: 'correlation' }],
  ] as const)(
    'leaves new rows where the density of %s has them, and places rows with holes alone',
    async (_, make, options) => {
      const [some, others] = [rowsOf(train), rowsOf(held)];
      const map = await fit((make as typeof tsne)(some, options as object));
      const decoder = { inducing: 20 };
      const result = await fit((make as typeof tsne)(some, { ...options, decoder }));
      const placed = await result.project(others);
      expect(placed.latents).toEqual((await map.project(others)).latents);
      expect((await result.project(some)).latents).toEqual(result.latents);
      const { mean, variance } = result.predict(placed.latents, { noise: true });
      const logDensity = held.map((_, r) =>
        others.row(r).reduce((sum, y, j) => {
          const [m, s] = [mean.at(r, j), variance.at(r, j)];
          return sum - 0.5 * (Math.log(2 * Math.PI * s) + (y - m) ** 2 / s);
        }, 0),
      );
      logDensity.forEach((value, r) => {
        expect(placed.logDensityAtPlace![r]).toBeCloseTo(value, 9);
      });
      const again = await loadFit(plain(result.toJSON()));
      expect(await again.project!(others)).toEqual(placed);
      const withHoles = Matrix.from(others.toArrays().map((row, r) => (r === 0 ? [...row.slice(1), Number.NaN] : row)));
      const filled = await again.impute!(withHoles);
      expect(filled.variance.at(0, 5)).toBeGreaterThan(0);
      expect(filled.mean.row(1)).toEqual(others.row(1));
    },
  );

  it('is fitted together with the map at a strength', { tags: 'long' }, async () => {
    const options = { decoder: { inducing: 20, strength: 500 }, steps: 150 };
    for (const model of [umap(Y, options), tsne(Y, options)]) {
      const result = await fit(model, { maxIterations: 30 });
      expect(Object.keys(result.terms).sort()).toEqual(['mapping', model.name]);
      expect(nearestNeighborError(result.latents, labels)).toBeLessThan(0.1);
      expect(result.trace.at(-1)!.objective).toBeGreaterThan(result.trace[0]!.objective);
    }
  });

  it('refuses options that it does not have', () => {
    expect(() => tsne(Y, { decoder: { inducing: 0 } })).toThrow(/a whole number from 1/);
  });
});

describe('a start at neighbors', () => {
  it('is a t-SNE map at a standard deviation of 2 a column', async () => {
    // As the mapping sees them: a descent of 750 steps turns the rounding of means into another map.
    const seen = standardized(Y, standardizationOf(Y, true, false));
    const map = await fit(tsne(seen));
    const started = await fit(gplvm(Y, { latentDim: 2, init: 'tsne' }), { maxIterations: 0 });
    expect(started.message).toMatch(/started at a t-SNE map/);
    for (const c of [0, 1]) {
      const column = labels.map((_, i) => started.latents.at(i, c));
      expect(column.reduce((sum, x) => sum + x * x, 0) / N).toBeCloseTo(4, 10);
      const mean = labels.reduce((sum, _, i) => sum + map.latents.at(i, c) / N, 0);
      const ratio = (map.latents.at(5, c) - mean) / started.latents.at(5, c);
      labels.forEach((_, i) => {
        expect(Math.abs((map.latents.at(i, c) - mean) / ratio - started.latents.at(i, c))).toBeLessThan(1e-8);
      });
    }
    expect(completed(tsneWork(seen, 2))).toEqual(map.latents);
    const [own, restarted] = await Promise.all(
      [[], ['tsne' as const]].map((inits) =>
        fit(gplvm(Y, { latentDim: 2, noise: 0.1 }), {
          maxIterations: 60,
          ...(inits.length > 0 && { restarts: { count: 1, inits } }),
        }),
      ),
    );
    expect(restarted!.objective).toBeGreaterThan(own!.objective);
  });

  it('is the default of gplvm and tpslvm of more than 1000 points, through inducing inputs', {
    tags: 'long',
  }, async () => {
    const random = seededRandom(5);
    const many = Matrix.from(
      Array.from({ length: 1001 }, (_, i) => {
        const t = (2 * Math.PI * i) / 1001;
        return [Math.cos(t), Math.sin(t), Math.cos(2 * t), 0.1 * random.normal()];
      }),
    );
    for (const make of [gplvm, tpslvm]) {
      const result = await fit(make(many, { latentDim: 1 }), { maxIterations: 2 });
      expect(result.parameters['mapping.inducing']).toMatchObject({ rows: 50, columns: 1 });
      expect(result.message).toMatch(/through 50 inducing inputs, as there are more than 1000 points/);
      expect(result.message).toContain('started at a t-SNE map');
    }
    const given = await fit(gplvm(many, { latentDim: 1, inducing: 7, init: 'pca' }), { maxIterations: 0 });
    expect(given.parameters['mapping.inducing']).toMatchObject({ rows: 7 });
    const fewer = gplvm(many.toArrays().slice(1), { latentDim: 1 });
    expect(fewer.choose).toBeUndefined();
    expect(gplvm(many, { latentDim: 1, inducing: 'none' }).choose).toBeUndefined();
    const started = await fit(gplvm(many, { latentDim: 1, init: 'pca' }), { maxIterations: 0 });
    expect(started.message).not.toMatch(/t-SNE/);
  });

  it('is chosen by fits only: gplvm of more than 1000 points is evaluated at set values, and drawn from, as it is', {
    tags: 'long',
  }, async () => {
    const random = seededRandom(6);
    const many = Matrix.from(Array.from({ length: 1001 }, (_, i) => [Math.cos(i), Math.sin(i), 0.1 * random.normal()]));
    const model = gplvm(many, { latentDim: 1 });
    const fitted = await fit(model, { maxIterations: 3 });
    const there = fitAt(model, fitted);
    expect(there.objective).toBe(fitted.objective);
    expect(there.predict([[0.3]])).toEqual(fitted.predict([[0.3]]));
    const hold = Object.keys(fitted.parameters).filter((path) => path !== 'mapping.noise');
    const draws = await samplePosterior(model, {
      start: fitted,
      hold: ['latents', ...hold],
      priors: 'weak',
      chains: 1,
      warmup: 5,
      draws: 5,
    });
    const noises = draws.values('mapping.noise').data;
    expect(noises.every((noise) => noise > 0)).toBe(true);
    expect(new Set(noises).size).toBeGreaterThan(1);
    // One that chooses what it is, and not where it starts, has no values before.
    await expect(samplePosterior(tsne(many, { decoder: true }))).rejects.toThrow(/chooses some of its options/);
  });
});

it('other work has its turn while many rows are placed', { tags: 'long' }, async () => {
  const map = await fit(tsne(rowsOf(train), { steps: 50 }));
  const many = Matrix.from(Array.from({ length: 3000 }, (_, i) => held.map((_, d) => Math.cos(i + d)).slice(0, 6)));
  let turns = 0;
  let isDone = false;
  const placing = map.project(many).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  expect((await placing).latents.rows).toBe(3000);
  expect(turns).toBeGreaterThan(3);
});

it('the draws of UMAP follow the seed of the fit', async () => {
  const [one, again, other] = await Promise.all([3, 3, 4].map((seed) => fit(umap(Y, { steps: 50 }), { seed })));
  expect(again!.latents).toEqual(one!.latents);
  expect(other!.latents).not.toEqual(one!.latents);
});
