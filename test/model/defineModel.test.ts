import {
  defineModel,
  evaluate,
  fit,
  gamma,
  gaussianProcess,
  InvalidInputError,
  initialLatents,
  latentVariableModel,
  loadFit,
  Matrix,
  open,
  positive,
  rbf,
  real,
  standardNormal,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { expectClose } from '../tolerance.ts';

const random = seededRandom(3);
const Y = Matrix.from(
  Array.from({ length: 15 }, (_, i) =>
    [Math.cos(i / 2), Math.sin(i / 2), i / 10].map((entry) => entry + 0.05 * random.normal()),
  ),
);
const kernel = rbf({ variance: 0.8, lengthscale: 1.2 });

const withNoise = (noise: number | number[]) =>
  defineModel({
    name: 'plain',
    parts: (given: Matrix) => ({
      latents: real(initialLatents('pca', given, 2)),
      mapping: gaussianProcess({ kernel, noise }),
    }),
    terms: {
      mapping: (v, given, context) =>
        context.parts.mapping.logDensity(v.mapping, context.latents, op.tensor(given), context),
      prior: (v) => op.sub(op.mul(-0.5, op.sum(op.square(v.latents))), 15 * Math.log(2 * Math.PI)),
    },
    latents: (v) => v.latents,
    predict: (v, X, given, context) =>
      context.parts.mapping.predict(v.mapping, context.latents, op.tensor(given), X, context),
    pointLogDensity: (_, X) => op.sub(op.mul(-0.5, op.sum(op.square(X), 1)), Math.log(2 * Math.PI)),
  });

const plain = withNoise(0.02);

/** The same, named. */
const named = (noise: number | number[] = 0.02) =>
  latentVariableModel({
    observations: Y,
    latentDim: 2,
    kernel,
    noise,
    centre: false,
    priors: [standardNormal()],
  });

describe('a GPLVM written with defineModel', () => {
  it('is the named one: objective, gradients, predictions and projections', async () => {
    const latents = initialLatents('pca', Y, 2);
    const [own, theirs] = [evaluate(plain(Y), { latents }), evaluate(named(), { latents })];
    expectClose(own.objective, theirs.objective, 1e-13);
    for (const [path, gradient] of Object.entries(theirs.gradients)) {
      expectClose(own.gradients[path] as Matrix, gradient as Matrix, 1e-11, path);
    }
    const [mine, fitted] = [await fit(plain(Y), { maxIterations: 20 }), await fit(named(), { maxIterations: 20 })];
    expectClose(mine.objective, fitted.objective, 1e-9);
    const X = [
      [0.3, -0.2],
      [1, 0.5],
    ];
    for (const noise of [false, true]) {
      expectClose(mine.predict(X, { noise }).mean, fitted.predict(X, { noise }).mean, 1e-6);
      expectClose(mine.predict(X, { noise }).variance, fitted.predict(X, { noise }).variance, 1e-6);
    }
    const fresh = [Array.from(Y.row(3), (entry) => entry + 0.02)];
    const [placed, wanted] = [await mine.project(fresh), await fitted.project(fresh)];
    expectClose(placed.latents, wanted.latents, 1e-4);
    expectClose(placed.logDensity, wanted.logDensity, 1e-5);
    expectClose(await mine.reconstruct(fresh), await fitted.reconstruct(fresh), 1e-4);
  });

  it('passes the conformance check, and comes back from JSON with the same bits', async () => {
    expect(checkModel(plain(Y), { models: { plain } }).passed).toBe(true);
    const result = await fit(plain(Y), { maxIterations: 10, restarts: 1 });
    const again = loadFit(JSON.parse(JSON.stringify(result)), { models: { plain } });
    const X = result.latents;
    expect(again.predict(X)).toEqual(result.predict(X));
    expect(again.sample(X, { seed: 2 })).toEqual(result.sample(X, { seed: 2 }));
    expect(() => loadFit(JSON.parse(JSON.stringify(result)))).toThrow(
      /\{ models \}, or --parts FILE\) has no model 'plain'/,
    );
  });

  it('draws jointly: draws at one point twice agree but for noise', async () => {
    const result = await fit(plain(Y), { maxIterations: 5 });
    const drawn = result.sample(
      [
        [2.5, 2.5],
        [2.5, 2.5],
      ],
      { seed: 1, noise: false },
    );
    expectClose(drawn.row(0), drawn.row(1), 1e-4);
  });

  it.each([[0.02], [[0.01, 0.3, 0.02]]])('draws what the named one draws, bit by bit: noise %j', async (own) => {
    const [mine, theirs] = [
      await fit(withNoise(own)(Y), { maxIterations: 0 }),
      await fit(named(own), { maxIterations: 0 }),
    ];
    const X = mine.latents.toArrays().slice(0, 4);
    for (const noise of [false, true]) {
      expect(mine.sample(X, { seed: 5, noise })).toEqual(theirs.sample(X, { seed: 5, noise }));
    }
  });

  it('draws entries by themselves where predict gives no covariances, and noise of its own for each entry', async () => {
    const spread = Matrix.from([[0.5, 0, 2]]);
    const alone = defineModel({
      name: 'alone',
      parts: () => ({ latents: real(Matrix.from([[0]])) }),
      terms: { prior: (v) => op.neg(op.sum(op.square(v.latents))) },
      latents: (v) => v.latents,
      predict: (_, X) => {
        const ones = op.ones<op.Tensor2D>([X.shape[0], 1]);
        const noise = op.matMul<op.Tensor2D>(op.square(X), op.tensor<op.Tensor2D>(spread));
        return { mean: op.mul(op.ones([1, 3]), op.mul(0, X)) as op.Tensor2D, variance: ones, noise };
      },
    });
    const result = await fit(alone(undefined), { maxIterations: 0 });
    const X = Array.from({ length: 4000 }, () => [2]);
    for (const noise of [false, true]) {
      const drawn = result.sample(X, { seed: 1, noise });
      const squares = [0, 1, 2].map((j) => X.reduce((sum, _, i) => sum + drawn.at(i, j) ** 2, 0) / X.length);
      // The variance of an estimate of a variance v from n draws is 2v²/n; four deviations.
      const wanted = noise ? [3, 1, 9] : [1, 1, 1];
      wanted.forEach((v, j) => {
        expect(Math.abs(squares[j]! - v)).toBeLessThan(4 * v * Math.sqrt(2 / X.length));
      });
    }
  });
});

describe('terms of a model', () => {
  const broken = (terms: object, more: object = {}) =>
    defineModel({
      name: 'broken',
      parts: () => ({ latents: real(Y), scale: gaussianProcess({ kernel }) }),
      terms: { fine: (v) => op.sum(v.latents), ...terms },
      latents: (v) => v.latents,
      ...more,
    })(undefined);
  let outlived: ReturnType<typeof op.scalar> | undefined;

  it.each<[string, object, RegExp]>([
    [
      'a value that no part has',
      { odd: (v: { latent: never }) => op.sum(v.latent) },
      /has no value 'latent'\. Did you mean 'latents'/,
    ],
    [
      'a value that a part does not have',
      { odd: (v: { scale: { nose: never } }) => op.sum(v.scale.nose) },
      /Part 'scale' of the model 'broken' has no value 'nose'\. Did you mean 'noise'/,
    ],
    ['no scalar', { odd: (v: { latents: never }) => op.square(v.latents) }, /Term 'odd' .*shape is \[15,3\]\. Sum it/],
    ['no tensor', { odd: () => 3 }, /Term 'odd' .*scalar tensor, but 3 was returned/],
    [
      'a tensor that outlived its evaluation',
      {
        odd: () => {
          outlived ??= op.scalar(1);
          return op.mul(outlived, 2);
        },
      },
      /Term 'odd' .*disposed of.*constants/,
    ],
  ])('refuse %s', (_, terms, message) => {
    const model = broken(terms);
    const run = () => {
      evaluate(model);
      evaluate(model);
    };
    expect(run).toThrow(InvalidInputError);
    expect(run).toThrow(message);
  });

  it('refuse a name that a prior of a parameter has, and two parameters of one path', () => {
    const prior = gamma({ shape: 2, rate: 1 });
    const twice = defineModel({
      name: 'twice',
      parts: () => ({ latents: real(Y), scale: positive(1, { prior }) }),
      terms: { 'hyper.scale': (v) => op.mul(v.scale, op.sum(v.latents)) },
      latents: (v) => v.latents,
    });
    expect(() => evaluate(twice(undefined))).toThrow(/two terms of the name 'hyper.scale'/);
    const paths = defineModel({
      name: 'paths',
      parts: () => ({ 'a.b': real(1), a: { parameters: { b: real(1) } } }),
      terms: { all: (v) => op.mul(v['a.b'], v.a.b) },
      latents: () => op.tensor(Y),
    });
    expect(() => evaluate(paths(undefined))).toThrow(/two parameters of the path 'a.b'/);
  });

  it('and latents that are not a matrix are refused, as are a definition without them', async () => {
    const flat = defineModel({
      name: 'flat',
      parts: () => ({ latents: real([1, 2]) }),
      terms: { all: (v) => op.neg(op.sum(op.square(v.latents))) },
      // biome-ignore lint/suspicious/noExplicitAny: what a caller without types may do.
      latents: (v) => v.latents as any,
    });
    await expect(fit(flat(undefined), { maxIterations: 0 })).rejects.toThrow(
      /latents of the model 'flat'.*one row a point/,
    );
    expect(() => broken({}, { latents: undefined })).toThrow(/needs latents of the model 'broken'/);
    expect(() => broken({}, { name: '' })).toThrow(/needs a name/);
  });

  it('and a posterior without latents is refused, naming the model', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: what a caller without types may do.
    const posterior = () => ({ mapping: undefined }) as any;
    const model = defineModel({
      name: 'broken',
      parts: () => ({ latents: real(Y) }),
      terms: { fine: (v) => op.neg(op.sum(op.square(v.latents))) },
      latents: (v) => v.latents,
      posterior,
    });
    const run = fit(model(undefined), { maxIterations: 0 });
    await expect(run).rejects.toThrow(InvalidInputError);
    await expect(run).rejects.toThrow(
      /posterior of the model 'broken' has no latents\. Return a Matrix, one row a point/,
    );
  });

  it('may be computed together, with constants that are kept as long as the model', () => {
    const together = defineModel({
      name: 'together',
      parts: () => ({ latents: real(Y), precision: positive(2) }),
      constants: () => ({ centre: op.tensor([[0.1, 0.2, 0.3]]) }),
      terms: (v, _, { constants }) => {
        const squares = op.sum(op.square(op.sub(v.latents, constants.centre)));
        return { near: op.mul(-0.5, op.mul(v.precision, squares)), size: op.mul(22.5, op.log(v.precision)) };
      },
      latents: (v) => v.latents,
    });
    expect(checkModel(together(undefined), { models: { together } }).passed).toBe(true);
    expect(Object.keys(evaluate(together(undefined)).terms)).toEqual(['near', 'size']);
  });
});

describe('data of a model', () => {
  const holder = defineModel({
    name: 'holder',
    parts: ({ start }: { start: Matrix; odd: unknown }) => ({ latents: real(start) }),
    terms: { all: (v) => op.neg(op.sum(op.square(v.latents))) },
    latents: (v) => v.latents,
  });

  it('come back as they were: numbers that JSON has no form for, matrices, lists of doubles', () => {
    const data = { start: Y, odd: [Number.NaN, -0, Infinity, { list: Float64Array.of(0.1, Number.NaN), none: null }] };
    let restored: unknown;
    const spy = defineModel({
      name: 'spy',
      parts: (given: typeof data) => {
        restored = given;
        return { latents: real(given.start) };
      },
      terms: { all: (v) => op.sum(v.latents) },
      latents: (v) => v.latents,
    });
    evaluate(spy.restore(JSON.parse(JSON.stringify(spy(data).toJSON()))));
    expect(restored).toEqual(data);
  });

  it('say where JSON has no form for them', () => {
    expect(() => holder({ start: Y, odd: { k: [kernel.covariance] } }).toJSON()).toThrow(
      /'data.odd.k\[0\]'.*toJSON, fromJSON/,
    );
  });
});

describe('open', () => {
  it('gives the log density over unconstrained variables, its gradient and its terms', () => {
    const density = open(plain(Y), { seed: 1 });
    const { size, start } = density;
    expect(size).toBe(15 * 2 + 3);
    const { value, gradient, terms } = density.evaluate(start);
    expectClose(value, evaluate(plain(Y)).objective, 1e-14);
    expectClose(value, terms.mapping! + terms.prior!, 1e-13);
    for (const i of [0, 17, 30, 31, 32]) {
      const at = (step: number) => density.evaluate(start.with(i, start[i]! + step)).value;
      const h = 1e-4;
      const difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      expectClose(gradient[i]!, difference, 1e-8, `variable ${i}`);
    }
    expect(density.values(start)['mapping.noise']).toBeCloseTo(0.02, 15);
    expect(density.variables(density.values(start))).toEqual(start);
    expect(() => density.evaluate([1])).toThrow(/33 variables, but 1 were given/);
    density.dispose();
    density.dispose();
    expect(() => density.evaluate(start)).toThrow(/disposed of/);
  });
});
