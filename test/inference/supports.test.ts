import { bounded, fit } from 'latentfield';
import * as op from 'latentfield/ops';
import { expect, it } from 'vitest';
import { looseModel } from '../model/looseModel.ts';

/** c·(v − 1) − ½·Σx², which is greatest at v = 1, the border that a v between 0 and 1 never reaches but by rounding. */
const leading = looseModel(
  'leading',
  [[0.1], [0.2]],
  { v: bounded(0, 1, 0.5) },
  { density: ({ points, v }) => op.sub(op.mul(1e10, op.sub(v!, 1)), op.mul(0.5, op.sum(op.square(points!)))) },
);

it('a fit whose value was rounded to the border of its support has failed, and names it', async () => {
  const result = await fit(leading(undefined), { seed: 1, maxIterations: 500, tolerance: 0, relativeDecrease: 0 });
  expect(result.parameters.v).toBe(1);
  expect(result.status).toBe('failed');
  expect(result.message).toMatch(/^Failed: 'v' must be greater than 0 and less than 1, but the search reached 1\./);
});
