import {
  backConstrained,
  defineDensity,
  defineKernel,
  defineLikelihood,
  defineMap,
  definePrior,
  evaluate,
  gplvm,
  InvalidInputError,
  knnGraph,
  type LatentMap,
  Matrix,
  positive,
} from 'latentfield';
import { defineFieldLayer } from 'latentfield/fields';
import * as op from 'latentfield/ops';
import { expect, it } from 'vitest';

const Y = Matrix.from([
  [0, 1],
  [1, 3],
  [2, 2],
  [4, 0],
]);
const graph = knnGraph(Y, 1);
const precision = () => ({ diagonal: op.ones<op.Tensor1D>([4]), edges: op.ones<op.Tensor1D>([1]) });
const parameters = { width: positive(1) };

/** A map's parameters are looked at when a model is evaluated. */
const evaluated = (map: LatentMap) => evaluate(gplvm(Y, { latentDim: 2, posterior: backConstrained(map) }));

it('factories of parts without parameters take none, in types and in fact', () => {
  const kernel = defineKernel({ name: 'none', covariance: (_, A) => A });
  const prior = definePrior({ name: 'none', logDensity: () => op.scalar(0) });
  const map = defineMap({ name: 'none', apply: (_, Y) => Y });
  const likelihood = defineLikelihood({ name: 'none', logDensity: (_, f) => f });
  const distribution = defineDensity({ name: 'none', entrywise: true, logDensity: (_, { value }) => value });
  const layer = defineFieldLayer({ name: 'none', precision });
  for (const part of [kernel(), kernel({}), prior(), prior({}), map(), map({}), likelihood(), likelihood({})]) {
    expect(part).toHaveProperty('name', 'none');
  }
  for (const part of [distribution(), distribution({}), layer({}, graph)]) {
    expect(part).toBeTypeOf('object');
  }
  const attempts = [
    // @ts-expect-error no parameters
    () => kernel({ width: 1 }),
    // @ts-expect-error no parameters
    () => prior({ width: 1 }),
    // @ts-expect-error no parameters
    () => evaluated(map({ width: 1 })),
    // @ts-expect-error no parameters
    () => likelihood({ width: 1 }),
    // @ts-expect-error no parameters
    () => distribution({ width: 1 }),
    // @ts-expect-error no parameters
    () => layer({ width: 1 }, graph),
  ];
  for (const attempt of attempts) expect(attempt).toThrow(InvalidInputError);
});

it('those with parameters take these only', () => {
  const kernel = defineKernel({ name: 'one', parameters, covariance: (_, A) => A });
  const prior = definePrior({ name: 'one', parameters, logDensity: () => op.scalar(0) });
  const map = defineMap({ name: 'one', parameters, apply: (_, Y) => Y });
  const likelihood = defineLikelihood({ name: 'one', parameters, logDensity: (_, f) => f });
  const distribution = defineDensity({ name: 'one', parameters, entrywise: true, logDensity: (_, { value }) => value });
  const layer = defineFieldLayer({ name: 'one', parameters, precision });
  const width = 2;
  for (const part of [kernel({ width }), prior({ width }), map({ width }), likelihood({ width })]) {
    expect(part).toHaveProperty('name', 'one');
  }
  for (const part of [distribution({ width }), layer({ width }, graph)]) expect(part).toBeTypeOf('object');
  const attempts = [
    // @ts-expect-error a typo
    () => kernel({ widht: 1 }),
    // @ts-expect-error a typo
    () => prior({ widht: 1 }),
    // @ts-expect-error a typo
    () => evaluated(map({ widht: 1 })),
    // @ts-expect-error a typo
    () => likelihood({ widht: 1 }),
    // @ts-expect-error a typo
    () => distribution({ widht: 1 }),
    // @ts-expect-error a typo
    () => layer({ widht: 1 }, graph),
  ];
  for (const attempt of attempts) expect(attempt).toThrow(/has no .*'widht'. Did you mean 'width'/);
});

it('a likelihood with options and no parameters takes its options', () => {
  const powered = defineLikelihood<never, { power: number }>({
    name: 'powered',
    options: { power: Number },
    logDensity: (_p, f) => f,
  });
  expect(powered({ power: 3 }).toJSON()).toMatchObject({ options: { power: 3 } });
  // @ts-expect-error a typo
  expect(() => powered({ pover: 3 })).toThrow(InvalidInputError);
});

it.each<[string, (definition: never) => unknown]>([
  ['kernel', defineKernel],
  ['prior', definePrior],
  ['map', defineMap],
  ['likelihood', defineLikelihood],
  ['density', defineDensity],
])('a %s has a name of one word', (of, define) => {
  const own = {
    covariance: (_: unknown, A: unknown) => A,
    logDensity: () => op.scalar(0),
    apply: (_: unknown, Y: unknown) => Y,
  };
  for (const name of [undefined, 3, '', 'two words', '2nd']) {
    expect(() => define({ ...own, name } as never)).toThrow(`A ${of}'s name is one word of letters and digits, but`);
  }
});
