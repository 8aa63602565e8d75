import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { checkDensity, checkKernel, checkPrior } from '../../src/testing/index.ts';
import * as l from '../everything.ts';

const Y = Array.from({ length: 12 }, (_, i) => [Math.cos(i), Math.sin(i), i / 5]);
const bare = (kind: string, more = {}) => ({ kind, ...more }) as never;
const gplvm = (options: object) => l.fit(l.gplvm(Y, { latentDim: 1, ...options }), { maxIterations: 1 });

describe('objects that only claim to be a part', () => {
  it.each<[string, () => unknown]>([
    ['a prior', () => gplvm({ priors: [bare('prior')] })],
    ['a prior with a name', () => gplvm({ priors: [bare('prior', { name: 'own' })] })],
    ['latents', () => gplvm({ posterior: bare('latents') })],
    ['latents with a name', () => gplvm({ posterior: bare('latents', { name: 'free' }) })],
    ['latents as distributions', () => l.bayesianGplvm(Y, { latentDim: 1, posterior: bare('latentDistribution') })],
    ['a kernel', () => gplvm({ kernel: bare('kernel') })],
    ['a likelihood', () => gplvm({ likelihood: bare('likelihood') })],
    ['a map', () => l.backConstrained(bare('map'))],
    ['a map of an encoder', () => l.encoded(bare('map'))],
    ['a map of a variable', () => l.mapped(l.known(Y), bare('map'))],
    ['a prior of a parameter', () => l.positive(1, { prior: bare('parameterPrior') })],
    [
      'a prior of a parameter with a name',
      () => l.positive(1, { prior: bare('parameterPrior', { distribution: 'gamma' }) }),
    ],
    ['a density', () => l.latent({ dim: 1, density: bare('density') })],
    ['a factor', () => l.latent({ dim: 1, factors: bare('prior') })],
    ['a variable', () => l.mapped(bare('variable'), l.linearMap())],
    ['points of a variable', () => l.latent({ dim: 1, posterior: bare('latents') })],
    ['distributed rows of a variable', () => l.latent({ dim: 1, posterior: bare('latentDistribution') })],
    [
      'a variable among those of a model',
      () => l.defineModel({ name: 'own', variables: () => ({ z: bare('variable') }) })(Y),
    ],
    ['the assembly of a model', () => l.fit({ name: 'own', assemble: () => ({}), posterior: () => ({}) } as never)],
    ['the assembly of a model that is evaluated', () => l.evaluate({ name: 'own', assemble: () => ({}) } as never)],
    ['the assembly of a model that is opened', () => l.logDensityOf({ name: 'own', assemble: () => ({}) } as never)],
    ['the assembly of a model at given values', () => l.fitAt({ name: 'own', assemble: () => ({}) } as never, {})],
    [
      'the assembly of a model that is drawn from',
      () => l.samplePosterior({ name: 'own', assemble: () => ({}) } as never),
    ],
    ['a prior that is checked', () => checkPrior(bare('prior'))],
    ['a kernel that is checked', () => checkKernel(bare('kernel'))],
    ['a density that is checked', () => checkDensity(bare('density'))],
    ['a prior that is saved', () => l.priorToJSON(bare('prior'))],
  ])('are refused with the expected form: %s', async (_, make) => {
    await expect((async () => make())()).rejects.toMatchObject({
      name: 'InvalidInputError',
      message: expect.stringMatching(/(must (be|return)|takes?|is|needs) .*an object \(Object\)/s),
    });
  });

  it.each([-1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'as seeds, numbers that are not whole are refused: %d',
    (seed) => {
      expect(() => l.seededRandom(seed)).toThrow('a whole number as its seed');
      expect(() => pipeFlow({ points: 3, seed })).toThrow(l.InvalidInputError);
    },
  );
});
