import {
  add,
  bias,
  type Density,
  defineDensity,
  defineModel,
  evaluate,
  fit,
  fixed,
  gaussian,
  gaussianProcess,
  gplvm,
  InvalidInputError,
  known,
  latent,
  latentVariableModel,
  linearMap,
  loadFit,
  Matrix,
  mapped,
  mlpMap,
  observed,
  type Parameter,
  positive,
  rbf,
  seededRandom,
  shared,
  standardNormal,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';

const random = seededRandom(3);
const times = Array.from({ length: 40 }, (_, i) => i / 40);
const Y = Matrix.from(
  times.map((s) =>
    [Math.cos(5 * s), Math.sin(5 * s), s, Math.cos(9 * s), s * s].map((y) => y + 0.05 * random.normal()),
  ),
);
const rowsFrom = (X: Matrix, from: number, to: number) => Matrix.from(X.toArrays().slice(from, to));
const saved = (result: object) => JSON.parse(JSON.stringify(result));

const plain = defineModel({
  name: 'plain',
  variables: ({ y }: { y: Matrix }) => {
    const x = latent({ dim: 2, density: standardNormal() });
    return { x, y: observed(y, { density: gaussianProcess({ kernel: add(rbf(), bias()) }), given: x }) };
  },
});

describe('a GPLVM that is written as variables', () => {
  const named = latentVariableModel({
    observations: Y,
    latentDim: 2,
    kernel: add(rbf(), bias()),
    noise: 0.01,
    priors: [standardNormal()],
  });
  const holed = Matrix.from(
    rowsFrom(Y, 7, 9)
      .toArrays()
      .map((y) => [...y.slice(0, 3), Number.NaN, Number.NaN]),
  );

  it('has the objective, the fit and all that follows from it of the named one, bit for bit', async () => {
    expect((await evaluate(plain({ y: Y }))).objective).toBe((await evaluate(named)).objective);
    const [a, b] = [await fit(named, { maxIterations: 40 }), await fit(plain({ y: Y }), { maxIterations: 40 })];
    expect(b.objective).toBe(a.objective);
    expect(b.latents).toEqual(a.latents);
    const rows = rowsFrom(Y, 7, 9);
    expect(await b.project({ y: rows })).toMatchObject(await a.project(rows));
    expect(await b.project(rows)).toEqual(await a.project(rows));
    expect(b.predict({ x: [[0.1, 0.2]] }).y).toEqual(a.predict([[0.1, 0.2]]));
    expect(b.predict([[0.1, 0.2]], { noise: true })).toEqual(a.predict([[0.1, 0.2]], { noise: true }));
    expect(await b.impute({ y: holed })).toEqual({ y: await a.impute(holed) });
    expect(await b.reconstruct(holed)).toEqual(await a.reconstruct(holed));
    expect(b.sample([[0, 0]], { seed: 1 })).toEqual(a.sample([[0, 0]], { seed: 1 }));
    const path = b.interpolate(0, 9, 4);
    expect(path).toEqual(a.interpolate(0, 9, 4));
    const [first, last] = [b.latents.row(0), b.latents.row(9)];
    for (let k = 0; k < 4; k++) {
      path.latents.row(k).forEach((entry, c) => {
        expect(entry).toBeCloseTo(first[c]! + (k / 3) * (last[c]! - first[c]!), 12);
      });
    }
  });

  it('is saved and loaded with the same answers', async () => {
    const result = await fit(plain({ y: Y }), { maxIterations: 10 });
    const again = loadFit(saved(result), { models: { plain } });
    expect(again.predict([[0.3, 0]])).toEqual(result.predict([[0.3, 0]]));
    expect(await again.project(rowsFrom(Y, 0, 2))).toEqual(await result.project(rowsFrom(Y, 0, 2)));
  });
});

/** log N(y | f, s²) of each row, as a density of one's own. */
const noisy = defineDensity({
  name: 'noisy',
  parameters: { variance: positive(0.1) },
  logDensity: (p, { value, given }) => {
    const misfit = op.div(op.square(op.sub(value, given[0]!)), p.variance);
    return op.mul(-0.5, op.sum(op.add(op.log(op.mul(2 * Math.PI, p.variance)), misfit), 1));
  },
  condition: (p) => ({
    moments: ([f]) => ({ mean: f!, variance: op.zerosLike(f!), noise: p.variance }),
  }),
});

describe('draws of new rows', () => {
  const mapOnto = (density: Density) =>
    defineModel({
      name: 'mapOnto',
      variables: ({ y }: { y: Matrix }) => {
        const x = latent({ dim: 2, density: standardNormal() });
        const f = mapped(x, mlpMap({ hidden: 2 }), { dim: y.columns });
        return { x, f, y: observed(y, { density, given: f }) };
      },
    })({ y: Y });
  const X = Matrix.from(Array.from({ length: 4000 }, () => [0.2, -0.1]));

  it('of a density with moments and no sample are refused, as it does not declare itself normal', async () => {
    const result = await fit(mapOnto(noisy()), { maxIterations: 3 });
    expect(() => result.sample({ x: X })).toThrow(InvalidInputError);
    expect(() => result.sample({ x: X })).toThrow(/'y'.*'noisy' gives moments of new rows, but no sample/);
    expect(result.sample({ x: X }, { noise: false }).y).toEqual(result.predict({ x: X }).y!.mean);
  });

  it('come from the sample of a density whose rows are independent', async () => {
    const doubleExponential = defineDensity({
      name: 'doubleExponential',
      parameters: { width: positive(0.5) },
      logDensity: (p, { value, given }) =>
        op.neg(op.sum(op.add(op.log(op.mul(2, p.width)), op.div(op.abs(op.sub(value, given[0]!)), p.width)), 1)),
      condition: (p) => ({
        moments: ([f]) => ({ mean: f!, variance: op.zerosLike(f!), noise: op.mul(2, op.square(p.width)) }),
      }),
      sample: (p, { uniform }, shape, given) => {
        const entries = Float64Array.from({ length: shape[0] * shape[1] }, () =>
          Math.log((1 - uniform()) / (1 - uniform())),
        );
        return op.add(given[0]!, op.mul(p.width, op.tensor<op.Tensor2D>(entries, shape)));
      },
    });
    const result = await fit(mapOnto(doubleExponential()), { maxIterations: 3 });
    const { mean, variance } = result.predict({ x: X }, { noise: true }).y!;
    const drawn = result.sample({ x: X }, { seed: 2 }).y!;
    const standard = drawn.data.map((entry, i) => (entry - mean.data[i]!) / Math.sqrt(variance.data[i]!));
    const moment = (power: number) => standard.reduce((sum, entry) => sum + entry ** power, 0) / standard.length;
    expect(Math.abs(moment(1))).toBeLessThan(0.03);
    expect(Math.abs(moment(2) - 1)).toBeLessThan(0.06);
    // 3 of a normal distribution.
    expect(Math.abs(moment(4) - 6)).toBeLessThan(0.8);
  });

  it('of rows in between come from their own sample too, and without one they are refused', async () => {
    const through = (density: Density) =>
      defineModel({
        name: 'through',
        variables: ({ y }: { y: Matrix }) => {
          const x = latent({ dim: 2, density: standardNormal() });
          const h = latent({ dim: 2, density, given: x });
          return { x, h, y: observed(y, { density: gaussianProcess({ kernel: rbf() }), given: h }) };
        },
      })({ y: Y });
    const result = await fit(through(noisy({ variance: fixed(0.1) })), { maxIterations: 3 });
    expect(() => result.predict({ x: [[0, 0]] })).toThrow(/'h'.*no sample/);
    expect(() => result.sample({ x: [[0, 0]] })).toThrow(InvalidInputError);
  });
});

describe('variables', () => {
  it('pass random rows on from layer to layer, and place rows by all densities that they have', async () => {
    const deep = defineModel({
      name: 'deep',
      variables: ({ y }: { y: Matrix }) => {
        const z = latent({ dim: 1, density: standardNormal() });
        const layer = gaussianProcess({ kernel: rbf({ variance: fixed(1) }), noise: fixed(0.01) });
        const h = latent({ dim: 2, density: layer, given: z });
        return { z, h, y: observed(y, { density: gaussianProcess({ kernel: rbf() }), given: h }) };
      },
    });
    const result = await fit(deep({ y: Y }), { maxIterations: 60 });
    expect(Object.keys(result.terms)).toEqual(['z', 'h', 'y']);
    const { latents, values, logDensity } = await result.project({ y: rowsFrom(Y, 3, 5) });
    expect([latents.columns, values.h!.columns, logDensity.length]).toEqual([1, 2, 2]);
    // The layer in between adds its own uncertainty to what follows from it.
    const Z = rowsFrom(result.latents, 0, 2);
    const through = result.predict({ z: Z }).y!;
    const at = result.predict({ z: Z, h: rowsFrom(result.values.h!, 0, 2) }).y!;
    through.variance.data.forEach((variance, i) => {
      expect(variance).toBeGreaterThan(at.variance.data[i]!);
    });
  });

  it('take covariates that are known, which new rows need too', async () => {
    const timed = defineModel({
      name: 'timed',
      variables: ({ y, t }: { y: Matrix; t: Matrix }) => {
        const time = known(t);
        const x = latent({ dim: 1, density: standardNormal() });
        return {
          time,
          x,
          y: observed(y, { density: gaussianProcess({ kernel: rbf({ lengthscale: [1, 0.3] }) }), given: [x, time] }),
        };
      },
    });
    const t = Matrix.from(times.map((s) => [s]));
    const result = await fit(timed({ y: Y, t }), { maxIterations: 30 });
    const placed = await result.project({ y: rowsFrom(Y, 3, 6), time: rowsFrom(t, 3, 6) });
    expect(placed.latents.rows).toBe(3);
    // @ts-expect-error known rows are not there
    await expect(result.project({ y: rowsFrom(Y, 3, 6) })).rejects.toThrow(/needs rows of 'time' too, n×1/);
    // @ts-expect-error known rows are not there
    expect(() => result.predict({ x: [[0]] })).toThrow(InvalidInputError);
    const { mean } = result.predict({ x: placed.latents, time: rowsFrom(t, 3, 6) }).y!;
    expect(mean.columns).toBe(5);
  });

  it('are refused where they do not make a model, with the remedy', () => {
    const x = latent({ dim: 1, density: standardNormal() });
    const density = gaussianProcess({ kernel: rbf() });
    const evaluated = (variables: () => never) =>
      evaluate(defineModel({ name: 'wrong', variables })(undefined as never));
    const cases: [() => object, RegExp][] = [
      [
        () => ({ y: observed(Y, { density, given: x }) }),
        /'y' of the model 'wrong' is given a latent variable that has no name/,
      ],
      [() => ({ x }), /no observed one/],
      [
        () => ({ x, lone: latent({ dim: 1 }), y: observed(Y, { density, given: x }) }),
        /Nothing depends on the latent variable 'lone'/,
      ],
      [() => ({ hyper: x, y: observed(Y, { density, given: x }) }), /'hyper' .* is reserved/],
      [() => ({ x, y: observed(Y, { density: rbf() as never, given: x }) }), /A kernel makes one: gaussianProcess/],
      [() => ({ x, y: observed(Y, { density: standardNormal as never, given: x }) }), /Call the factory: /],
      [
        () => ({
          x,
          y: observed(
            Matrix.from([
              [1, Number.NaN],
              [2, 3],
            ]),
            { density: noisy(), given: x, missing: 'ignore' },
          ),
        }),
        /supports complete rows only/,
      ],
      [
        () => ({ l: shared(positive(1)), x, y: observed(Y, { density, given: x }) }),
        /Nothing uses the shared parameter 'l'/,
      ],
    ];
    for (const [variables, message] of cases) expect(() => evaluated(variables as never)).toThrow(message);
    expect(() => latent({ dim: 1, densty: standardNormal() } as never)).toThrow(/Did you mean 'density'/);
  });

  it('are not fitted where their points shrink with the scales of their density without end', async () => {
    const deep = (layer: { variance?: Parameter; noise?: Parameter }) =>
      defineModel({
        name: 'deep',
        variables: ({ y }: { y: Matrix }) => {
          const x = latent({ dim: 1, density: standardNormal() });
          const { variance = positive(1), noise = positive(0.01) } = layer;
          const h = latent({ dim: 2, density: gaussianProcess({ kernel: rbf({ variance }), noise }), given: x });
          return { x, h, y: observed(y, { density: gaussianProcess({ kernel: rbf() }), given: h }) };
        },
      })({ y: Y });
    const short = { maxIterations: 2 };
    await expect(fit(deep({}), short)).rejects.toThrow(
      /'h' shrinks with .*'h\.noise'.*without bound.*Fix a parameter of the density of 'h'/,
    );
    expect((await fit(deep({ variance: fixed(1), noise: fixed(0.01) }), short)).status).toBe('maxIterations');
    // What is drawn or only evaluated needs no maximum.
    expect(evaluate(deep({})).objective).toBeLessThan(0);
  });

  it('share a parameter under one path', async () => {
    const tied = defineModel({
      name: 'tied',
      variables: ({ y }: { y: Matrix }) => {
        const lengthscale = shared(positive(0.8));
        const x = latent({ dim: 2, density: standardNormal() });
        const columns = (from: number, to: number) => Matrix.from(y.toArrays().map((row) => row.slice(from, to)));
        const process = () => gaussianProcess({ kernel: rbf({ lengthscale }) });
        return {
          lengthscale,
          x,
          a: observed(columns(0, 2), { density: process(), given: x }),
          b: observed(columns(2, 5), { density: process(), given: x }),
        };
      },
    });
    const { gradients } = await evaluate(tied({ y: Y }));
    expect(Object.keys(gradients)).toEqual([
      'lengthscale',
      'x',
      'a.kernel.rbf.variance',
      'a.noise',
      'b.kernel.rbf.variance',
      'b.noise',
    ]);
    const result = await fit(tied({ y: Y }), { maxIterations: 20 });
    const { mean } = await result.translate({ a: [[1, 0]] }, 'b');
    expect(mean.columns).toBe(3);
  });
});

describe('a gradient that is not finite', () => {
  const root = defineDensity({
    name: 'root',
    logDensity: (_, { value }) => op.neg(op.sum<op.Tensor1D>(op.sqrt(op.square(op.sub(value, value))), 1)),
  });
  const model = defineModel({
    name: 'rooted',
    variables: ({ y }: { readonly y: Matrix }) => {
      const z = latent({ dim: 1, density: standardNormal(), factors: root() });
      return { z, y: observed(y, { density: gaussianProcess({ kernel: rbf() }), given: z }) };
    },
  })({
    y: Matrix.from([
      [1, 2],
      [2, 3],
      [4, 4],
      [5, 7],
    ]),
  });

  it('is reported with its term, by evaluate and by fit', async () => {
    expect(() => evaluate(model)).toThrow(/gradient of term 'z\.root' in 'z' is NaN/);
    await expect(fit(model)).rejects.toThrow(/gradient of term 'z\.root' in 'z' is NaN/);
  });
});

describe("a start at 'tsne'", () => {
  const sheet = Matrix.from(
    Array.from({ length: 60 }, (_, i) => {
      const [u, v] = [i % 10, Math.floor(i / 10)];
      return [Math.sin(u / 2), Math.cos(u / 2), v / 3, (u * v) / 30];
    }),
  );
  const model = defineModel({
    name: 'startedAtMap',
    variables: ({ y }: { readonly y: Matrix }) => {
      const z = latent({ dim: 2, density: standardNormal(), init: 'tsne' });
      const process = gaussianProcess({ kernel: add(rbf(), bias()), noise: 0.05 });
      return { z, y: observed(y, { density: process, given: z, center: false }) };
    },
  });

  it('is the t-SNE map of the observations at a deviation of 2, where a named model starts too', async () => {
    const started = await fit(model({ y: sheet }), { maxIterations: 0 });
    const named = await fit(
      gplvm(sheet, { latentDim: 2, init: 'tsne', kernel: add(rbf(), bias()), noise: 0.05, center: false }),
      { maxIterations: 0 },
    );
    expect(started.latents.data).toEqual(named.latents.data);
    expect(started.objective).toBe(named.objective);
    expect(started.message).toMatch(/t-SNE map/);
    const read = await loadFit(JSON.parse(JSON.stringify(started.toJSON())), {
      models: { startedAtMap: model },
    });
    expect(read.latents.data).toEqual(started.latents.data);
  });
});

describe('weights of rows', () => {
  const y = Matrix.from([
    [0.2, 1],
    [0.9, 0.1],
    [1.7, -1],
    [2.4, 0.4],
  ]);
  const times = [[0], [1], [2], [3]];
  const weighed = defineModel({
    name: 'weighed',
    variables: (data: { y: Matrix; t: number[][]; weights?: number[] }) => {
      const time = known(data.t);
      const f = mapped(time, linearMap(), { dim: 2 });
      const density = gaussian({ variance: 0.3 });
      return { time, f, y: observed(data.y, { density, given: f, center: false, weights: data.weights }) };
    },
  });

  it('count a row as often as it were there', async () => {
    const twice = [0, 1, 1, 2, 3, 3, 3];
    const repeated = { y: Matrix.from(twice.map((i) => y.row(i))), t: twice.map((i) => times[i]!) };
    const values = { 'f.weights': Matrix.from([[0.4, -0.2]]), 'y.noise': 0.3 };
    const once = evaluate(weighed({ y, t: times, weights: [1, 2, 1, 3] }), values as never);
    const all = evaluate(weighed(repeated), values as never);
    expect(Math.abs(once.objective - all.objective)).toBeLessThan(1e-12);
    expect(Math.abs((once.gradients['y.noise'] as number) - (all.gradients['y.noise'] as number))).toBeLessThan(1e-12);
  });

  it('are refused where rows are not independent, where there are not as many, and below 0', () => {
    const process = defineModel({
      name: 'process',
      variables: (data: { y: Matrix }) => {
        const z = latent({ dim: 1, density: standardNormal() });
        const density = gaussianProcess({ kernel: rbf() });
        return { z, y: observed(data.y, { density, given: z, weights: [1, 1, 1, 2] }) };
      },
    });
    expect(() => evaluate(process({ y }))).toThrow(/not independent.* use inducing inputs .* or gaussian/);
    expect(() => evaluate(weighed({ y, t: times, weights: [1, 2] }))).toThrow(/4 rows, but 2 row weights/);
    expect(() => evaluate(weighed({ y, t: times, weights: [1, -2, 1, 1] }))).toThrow(/row index 1 has -2/);
  });
});
