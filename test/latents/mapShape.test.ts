import {
  backConstrained,
  bayesianGplvm,
  defineMap,
  encoded,
  evaluate,
  fixed,
  gplvm,
  InvalidInputError,
  type LatentMap,
  Matrix,
  real,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';

const Y = Array.from({ length: 8 }, (_, i) => [Math.cos(i), Math.sin(i), i / 4]);
const weights = (columns: number) => Matrix.from(Array.from({ length: 3 }, (_, i) => Array(columns).fill(0.1 + i)));
const linear = (columns: number) => ({
  apply: (p: Readonly<Record<'weights', op.Tensor>>, X: op.Tensor2D) => op.matMul(X, p.weights),
  parameters: { weights: real(weights(columns)) },
});

/** Maps to a number of columns, however their start is found. */
const maps: [string, (columns: number) => LatentMap][] = [
  ['one whose start is fitted', (columns) => defineMap({ name: 'odd', ...linear(columns) })()],
  [
    'one that fits its start itself',
    (columns) =>
      defineMap({
        ...linear(columns),
        name: 'odd',
        parameters: ({ latents }) => ({ weights: real(weights(columns * Math.sign(latents.rows))) }),
      })(),
  ],
  [
    'a fixed one can be passed',
    (columns) => defineMap({ name: 'odd', ...linear(columns) })({ weights: fixed(weights(columns)) }),
  ],
];

describe.each(maps)('a map that gives latents of another width: %s', (_, map) => {
  it.each([1, 3])('is refused with %i columns instead of 2', (columns) => {
    const run = () => evaluate(gplvm(Y, { latentDim: 2, posterior: backConstrained(map(columns)) }));
    expect(run).toThrow(InvalidInputError);
    expect(run).toThrow(
      `Map 'odd' must give one row of latents for each of 8 observations, 2 wide, but its result has shape [8,${columns}]`,
    );
  });

  it.each([2, 6])('is refused with %i columns as an encoder, which takes 4', (columns) => {
    const run = () => evaluate(bayesianGplvm(Y, { latentDim: 2, inducing: 4, posterior: encoded(map(columns)) }));
    expect(run).toThrow(InvalidInputError);
    expect(run).toThrow(
      new RegExp(`Map 'odd' must give one row of .*, 4 wide, but its result has shape \\[8,${columns}\\]`),
    );
  });

  it('is taken with as many as there must be', () => {
    expect(evaluate(gplvm(Y, { latentDim: 2, posterior: backConstrained(map(2)) })).objective).toBeLessThan(0);
  });
});
