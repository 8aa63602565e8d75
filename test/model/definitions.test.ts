import { describe, expect, it } from 'vitest';
import { defineFieldLayer } from '../../src/fields/index.ts';
import {
  defineDensity,
  defineKernel,
  defineLikelihood,
  defineMap,
  defineModel,
  definePrior,
  defineRadialKernel,
  fit,
  gplvm,
  InvalidInputError,
  loadFit,
  rbf,
} from '../../src/index.ts';

type Define = (definition: never) => unknown;
const work = () => undefined;

describe('a definition with an unknown name is refused at once, with the probable one', () => {
  it.each<[Define, object, string, string]>([
    [defineModel, { name: 'own', variables: work, serach: {} }, 'serach', 'search'],
    [defineModel, { name: 'own', solve: work, posteriors: work }, 'posteriors', 'posterior'],
    [definePrior, { name: 'own', logDensitty: work }, 'logDensitty', 'logDensity'],
    [defineKernel, { name: 'own', covarience: work }, 'covarience', 'covariance'],
    [defineRadialKernel, { name: 'own', value: work, slopes: work }, 'slopes', 'slope'],
    [defineLikelihood, { name: 'own', logDensity: work, moment: work }, 'moment', 'moments'],
    [defineMap, { name: 'own', aply: work }, 'aply', 'apply'],
    [defineDensity, { name: 'own', logdensity: work }, 'logdensity', 'logDensity'],
    [defineFieldLayer, { name: 'own', precisions: work }, 'precisions', 'precision'],
  ])('%o of %o', (define, definition, given, meant) => {
    const make = () => define(definition as never);
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(
      `A definition for ${define.name} has no member '${given}'. Did you mean '${meant}'? Known are name, `,
    );
  });
});

describe('a definition that lacks a function is refused at once', () => {
  it.each<[Define, object, string]>([
    [definePrior, { name: 'own' }, 'definePrior needs logDensity to be a function, but undefined was given.'],
    [definePrior, { name: 'own', logDensity: work, search: { hessian: 3 } }, 'needs hessian to be a function, but 3'],
    [defineKernel, { name: 'own' }, 'defineKernel needs covariance to be a function, but undefined was given.'],
    [
      defineKernel,
      { name: 'own', covariance: work, diagonal: [] },
      'needs diagonal to be a function, but an array of 0',
    ],
    [defineRadialKernel, { name: 'own', value: work }, 'defineRadialKernel needs slope to be a function'],
    [defineLikelihood, { name: 'own' }, 'defineLikelihood needs logDensity to be a function'],
    [defineMap, { name: 'own' }, 'defineMap needs apply to be a function'],
    [defineFieldLayer, { name: 'own' }, 'defineFieldLayer needs precision to be a function'],
  ])('%o of %o', (define, definition, message) => {
    const make = () => define(definition as never);
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });
});

it('loadFit names kinds of parts that it does not know', async () => {
  const Y = Array.from({ length: 6 }, (_, i) => [Math.sin(i), Math.cos(2 * i), i]);
  const json = JSON.parse(JSON.stringify(await fit(gplvm(Y, { latentDim: 1 }), { maxIterations: 1 })));
  const load = () => loadFit(json, { kernel: { rbf } } as object);
  expect(load).toThrow(InvalidInputError);
  expect(load).toThrow("loadFit has no kind of parts 'kernel'. Did you mean 'kernels'? Known are models, kernels, ");
  // A module of one's own may export anything beside its parts.
  const parts = await import('../../src/app/data/manifolds.ts');
  expect(loadFit(json, parts as object).latents.rows).toBe(6);
  expect(loadFit(json, { kernels: undefined }).latents.rows).toBe(6);
});
