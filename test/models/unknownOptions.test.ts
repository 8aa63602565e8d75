import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import * as root from '../everything.ts';

const { observations: Y } = pipeFlow({ points: 16, seed: 1 });
const graph = root.knnGraph(Y, 3);
const wrong = (options: object) => options as never;

describe('an option that is not known', () => {
  it.each<[string, () => unknown]>([
    ['gaussianLatents', () => root.gaussianLatents(wrong({ mean: 0 }))],
    ['standardNormal', () => root.standardNormal(wrong({ means: 1 }))],
    ['dynamics', () => root.dynamics(wrong({ ordr: 1 }))],
    ['markov', () => root.markov(wrong({ coeficient: 1 }))],
    ['laplacian', () => root.laplacian(graph, wrong({ strenght: 1 }))],
    ['discriminative', () => root.discriminative([0, 1], wrong({ strenght: 1 }))],
    ['expectedMoments', () => root.expectedMoments(wrong({ graph, grph: 1 }))],
    ['maxEntropy', () => root.maxEntropy(wrong({ expect: {}, bas: 1 }))],
    ['gaussian', () => root.gaussian(wrong({ varance: 1 }))],
    ['poisson', () => root.poisson(wrong({ ofset: 'rowSums' }))],
    ['gamma', () => root.gamma(wrong({ shape: 1, rate: 1, scale: 2 }))],
    ['rbf', () => root.rbf(wrong({ varance: 1 }))],
    ['mlpMap', () => root.mlpMap(wrong({ hiden: 3 }))],
    ['positive', () => root.positive(1, wrong({ transfrom: 'log' }))],
    ['lbfgs', () => root.lbfgs(wrong({ memry: 1 }))],
    ['gaussianProcess', () => root.gaussianProcess(wrong({ kernel: root.rbf(), nois: 1 }))],
    ['latent', () => root.latent(wrong({ dim: 1, densty: 1 }))],
  ])('is refused by %s, with those that are', (_, make) => {
    expect(make).toThrow(root.InvalidInputError);
    expect(make).toThrow(/has no (option|parameter|member|value) '|Known are/);
  });
});

it('a seed of draws is a whole number', async () => {
  const fitted = await root.fit(root.gplvm(Y, { latentDim: 1 }), { seed: 1, maxIterations: 2 });
  for (const seed of [-1.5, Number.NaN, 0.1]) {
    expect(() => fitted.sample([[0]], { seed })).toThrow(/Option 'seed' of sample must be a whole number/);
  }
});

it('an object that only claims to be a kernel or a likelihood is refused, by every function of one', () => {
  const kernel = wrong({ kind: 'kernel' });
  const takers = [
    () => root.gplvm(Y, { latentDim: 1, kernel }),
    () => root.bayesianGplvm(Y, { latentDim: 1, kernel }),
    () => root.kernelPca(Y, { kernel }),
    () => root.mpme(Y, { latentDim: 1, distances: kernel }),
    () => root.dynamics({ kernel }),
    () => root.add(kernel, root.rbf()),
    () => root.scale(kernel, 2),
    () => root.select(kernel, [0]),
  ];
  for (const take of takers) expect(take).toThrow(/takes kernels, but an object \(Object\) was given/);
  const likelihood = wrong({ kind: 'likelihood' });
  expect(() => root.latentVariableModel({ observations: Y, latentDim: 1, kernel: root.rbf(), likelihood })).toThrow(
    root.InvalidInputError,
  );
});

it('sizes that no parameter can have are refused', () => {
  expect(() => root.simplex(1e308)).toThrow(/from 2 to 1000000/);
  expect(() => root.choleskyFactor(2 ** 53)).toThrow(/from 1 to 1000/);
});
