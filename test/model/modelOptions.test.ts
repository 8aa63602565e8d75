import {
  defineModel,
  fit,
  fixed,
  gaussianProcess,
  InvalidInputError,
  latent,
  loadFit,
  Matrix,
  observed,
  rbf,
  seededRandom,
  standardNormal,
} from 'latentfield';
import { describedModel } from 'latentfield/models';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';

const random = seededRandom(4);
const Y = Matrix.from(
  Array.from({ length: 12 }, (_, i) => [Math.cos(i / 2), Math.sin(i / 2)].map((y) => y + 0.05 * random.normal())),
);

const options = v.strictObject({
  latentDim: v.optional(v.pipe(v.number('a whole number'), v.integer('a whole number'), v.minValue(1)), 1),
  noise: v.pipe(v.number('a number above 0'), v.gtValue(0, 'a number above 0')),
  start: v.optional(v.picklist(['pca', 'random'], "'pca' or 'random'"), 'pca'),
});
const smooth = defineModel({
  name: 'smooth',
  options,
  variables: (data: Matrix, { latentDim, noise, start }) => {
    const x = latent({ dim: latentDim, density: standardNormal(), init: start });
    return { x, y: observed(data, { density: gaussianProcess({ kernel: rbf(), noise: fixed(noise) }), given: x }) };
  },
});
/** All of its options may be left out. */
const plain = defineModel({
  name: 'plain',
  options: v.strictObject({ latentDim: v.optional(v.number(), 2) }),
  variables: (data: Matrix, { latentDim }) => {
    const x = latent({ dim: latentDim, density: standardNormal() });
    return { x, y: observed(data, { density: gaussianProcess({ kernel: rbf(), noise: 0.1 }), given: x }) };
  },
  search: (_, { latentDim }) => ({ maxIterations: 2 + latentDim }),
});

describe('a model with options', () => {
  it('passes them to its variables, with defaults', async () => {
    const [one, two] = [await fit(smooth(Y, { noise: 0.3 })), await fit(smooth(Y, { noise: 0.1, latentDim: 2 }))];
    expect([one.parameters['y.noise'], one.latents.columns]).toEqual([0.3, 1]);
    expect([two.parameters['y.noise'], two.latents.columns]).toEqual([0.1, 2]);
    expect((await fit(plain(Y))).latents.columns).toBe(2);
  });

  it('passes them to its search', async () => {
    expect((await fit(plain(Y))).diagnostics.iterations).toBe(4);
    expect((await fit(plain(Y, { latentDim: 1 }))).diagnostics.iterations).toBe(3);
  });

  it.each<[string, () => unknown, RegExp]>([
    ['an unknown one', () => smooth(Y, { noise: 0.1, nois: 1 } as never), /nois.*noise/s],
    ['one that is missing', () => smooth(Y, {} as never), /noise/],
    ['all that are missing', () => (smooth as unknown as (Y: Matrix) => unknown)(Y), /noise/],
    ['a wrong value', () => smooth(Y, { noise: -1 }), /'noise' of smooth .*a number above 0/],
    ['a wrong word', () => smooth(Y, { noise: 1, start: 'map' as never }), /'pca' or 'random'/],
    ['no object', () => plain(Y, 3 as never), /options/],
  ])('refuses %s', (_, make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });

  it('has them in its files', async () => {
    const result = await fit(smooth(Y, { noise: 0.2, start: 'random' }), { maxIterations: 5, seed: 2 });
    const saved = JSON.parse(JSON.stringify(result));
    const again = loadFit(saved, { models: { smooth } });
    expect(again.predict({ x: [[0.3]] } as never)).toEqual(result.predict({ x: [[0.3]] }));
    expect(JSON.stringify(again)).toBe(JSON.stringify(result));
    saved.model.data.options.noise = -1;
    expect(() => loadFit(saved, { models: { smooth } })).toThrow(InvalidInputError);
  });

  it('names the remedy for options that files cannot contain', async () => {
    const of = defineModel({
      name: 'of',
      options: v.strictObject({ kernel: v.custom<ReturnType<typeof rbf>>(() => true) }),
      variables: (data: Matrix, { kernel }) => {
        const x = latent({ dim: 1, density: standardNormal() });
        return { x, y: observed(data, { density: gaussianProcess({ kernel, noise: 0.1 }), given: x }) };
      },
    });
    const result = await fit(of(Y, { kernel: rbf() }), { maxIterations: 2 });
    expect(() => JSON.stringify(result)).toThrow(/'options\.kernel.*plain values as options.*in variables/);
  });

  it('is made by its name from JSON', () => {
    const made = describedModel('smooth', Y, undefined, { noise: 0.2, latentDim: 2 }, { models: { smooth } });
    expect(made.name).toBe('smooth');
    expect(() => describedModel('smooth', Y, undefined, { noise: 'much' }, { models: { smooth } })).toThrow(/noise/);
  });

  it('has their types', () => {
    expectTypeOf(smooth).parameter(1).toEqualTypeOf<v.InferInput<typeof options>>();
    expectTypeOf(plain).parameters.toEqualTypeOf<[data: Matrix, options?: { latentDim?: number | undefined }]>();
    expectTypeOf(
      (result: Awaited<ReturnType<typeof fit<ReturnType<typeof smooth>>>>) => result.predict({ x: [[0]] }).y.mean,
    ).returns.toEqualTypeOf<Matrix>();
  });
});
