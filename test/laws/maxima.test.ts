import { describe, expect, it } from 'vitest';
import * as op from '../../src/engine/tensors/ops.ts';
import {
  type AnyModel,
  defineDensity,
  defineModel,
  fit,
  fixed,
  gaussian,
  gaussianLatents,
  gaussianProcess,
  gplvm,
  latent,
  linearMap,
  Matrix,
  mapped,
  markov,
  mlpMap,
  normal,
  observed,
  positive,
  rbf,
  real,
  seededRandom,
  standardNormal,
} from '../../src/index.ts';

// Law: a search that converges is at a maximum. Where the objective does not fall as points shrink and other parameters make up for it, there is none.

const random = seededRandom(1);
const y = Matrix.from(
  Array.from({ length: 20 }, () => {
    const [u, v] = [random.normal(), random.normal()];
    return [u, v, u + v, u - v].map((entry) => entry + 0.1 * random.normal());
  }),
);
type Parts = Parameters<typeof latent>[0]['density'];
const through = (density: Parts | undefined, map: Parameters<typeof mapped>[1], dim = 2) =>
  defineModel({
    name: 'through',
    variables: ({ y }: { y: Matrix }) => {
      const x = latent({ dim, ...(density && { density }) });
      const f = mapped(x, map, { dim: 4 });
      return { x, f, y: observed(y, { density: gaussian({ variance: fixed(0.01) }), given: f }) };
    },
  })({ y });
const process = (lengthscale: Parameters<typeof rbf>[0]) =>
  defineModel({
    name: 'process',
    variables: ({ y }: { y: Matrix }) => {
      const x = latent({ dim: 1, density: standardNormal() });
      return { x, y: observed(y, { density: gaussianProcess({ kernel: rbf(lengthscale), noise: 0.05 }), given: x }) };
    },
  })({ y });
const held = () =>
  linearMap({
    weights: real(
      Matrix.from([
        [1, 0, 1, 1],
        [0, 1, 1, -1],
      ]),
      { prior: normal({ mean: 0, deviation: 1 }) },
    ),
  });

describe('a search that converges is at a maximum', () => {
  const without = [
    ['points under a linear map', through(standardNormal(), linearMap())],
    ['a chain under a linear map', through(markov(), linearMap())],
    ['one column of points under a linear map', through(standardNormal(), linearMap(), 1)],
    ['points under a network', through(standardNormal(), mlpMap({ hidden: 2 }))],
    ['points of a process with a free lengthscale', process({})],
    ['gplvm with a free lengthscale', gplvm(y, { latentDim: 1, kernel: rbf() })],
  ] as const;
  const isReported = async (model: AnyModel, maxIterations: number) => {
    const { status, message } = await fit(model, { seed: 1, maxIterations });
    expect(status).not.toBe('converged');
    expect(message).toMatch(
      /has no maximum: .* '(x|latents)' shrinks with '(f\.(layer1\.)?weights|(y|mapping)\.kernel\.rbf\.lengthscale)/,
    );
  };
  it.each(without)('not where none exists, after a few iterations: %s', (_, model) => isReported(model, 30));
  it.each(without)('not where none exists: %s', { tags: 'long' }, (_, model) => isReported(model, 5000));

  it('is refused where the objective rises without bound', async () => {
    for (const chain of [markov({ variance: positive(1) }), normal({ mean: fixed(0), deviation: positive(1) })]) {
      await expect(fit(through(chain, linearMap()), { seed: 1 })).rejects.toThrow(/'x' shrinks with .*without bound/);
    }
  });

  it.each([
    ['weights with a prior', through(standardNormal(), held())],
    ['a chain under such weights', through(markov(), held())],
    ['points of a process with a fixed lengthscale', process({ lengthscale: fixed(1) })],
    ['the default gplvm', gplvm(y, { latentDim: 1 })],
  ])('reports it where one exists: %s', async (_, model) => {
    const { status, message } = await fit(model, { seed: 1, maxIterations: 5000 });
    expect(status).toBe('converged');
    expect(message).not.toMatch(/maximum: the objective|arbitrary/);
  });

  it('passes on the error of a density that fails where points shrink', async () => {
    const faulty = defineDensity({
      name: 'faulty',
      parameters: { scale: positive(1) },
      logDensity: ({ scale }, { value }) => {
        if (op.valueOf(op.max(op.abs(value))) < 1e-2) throw new RangeError('no digits are left');
        return op.sum<op.Tensor1D>(op.sub(op.mul(-0.5, op.square(op.div(value, scale))), op.log(scale)), 1);
      },
    });
    const error = await fit(through(faulty(), linearMap()), { seed: 1 }).catch((reason: Error) => reason);
    expect(error).toMatchObject({ message: /faulty|'x'/, cause: { message: 'no digits are left' } });
  });

  it('reports points under weights with a prior that are not as wide as their density, and forecasts that are too wide', async () => {
    const draws = seededRandom(4);
    const weights = [1, -0.8, 0.6, 1.2];
    let at = 0;
    const table = Matrix.from(
      Array.from({ length: 200 }, () => {
        at = 0.8 * at + 0.6 * draws.normal();
        return weights.map((weight) => weight * at + 0.2 * draws.normal());
      }),
    );
    const chain = (isSpread: boolean) =>
      defineModel({
        name: 'chain',
        variables: ({ y }: { y: Matrix }) => {
          const density = markov({ coefficient: 0.8, variance: 0.36 });
          const x = latent({ dim: 1, density, ...(isSpread && { posterior: gaussianLatents() }) });
          const own = real(Matrix.from([[1, 1, 1, 1]]), { prior: normal({ mean: 0, deviation: 1 }) });
          const f = mapped(x, linearMap({ weights: own }), { dim: 4 });
          return { x, f, y: observed(y, { density: gaussian({ variance: 0.1 }), given: f, center: false }) };
        },
      })({ y: table });
    const [points, spread] = [await fit(chain(false), { seed: 1 }), await fit(chain(true), { seed: 1 })];
    // A step of 0.6 standard deviations and noise of 0.2.
    const exact = weights.map((weight) => 0.36 * weight ** 2 + 0.04);
    expect(points.message).toMatch(/Priors alone set the scale of 'x' .* 'f.weights': .* too wide/);
    expect(points.forecast(1).variance.at(0, 0)).toBeGreaterThan(2 * exact[0]!);
    expect(spread.message).not.toMatch(/Priors alone/);
    expect(Math.abs(spread.forecast(1).variance.at(0, 0) / exact[0]! - 1)).toBeLessThan(0.3);
  });

  it('names the scale that nothing determines', async () => {
    const { status, message } = await fit(through(undefined, linearMap()), { seed: 1 });
    expect(status).toBe('converged');
    expect(message).toMatch(/The scale of 'x' is arbitrary: .* 'x' shrinks with 'f\.weights'/);
  });
});
