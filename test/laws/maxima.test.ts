import { describe, expect, it } from 'vitest';
import {
  type AnyModel,
  defineModel,
  fit,
  fixed,
  gaussian,
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

  it('names the scale that nothing determines', async () => {
    const { status, message } = await fit(through(undefined, linearMap()), { seed: 1 });
    expect(status).toBe('converged');
    expect(message).toMatch(/The scale of 'x' is arbitrary: .* 'x' shrinks with 'f\.weights'/);
  });
});
