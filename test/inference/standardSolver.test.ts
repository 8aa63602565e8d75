import { expect, it } from 'vitest';
import type { FitProblem } from '../../src/inference/fit/fitProblem.ts';
import { standardSolver } from '../../src/inference/fit/standardSolver.ts';

it('a fit in batches takes Adam, whose step has halved after 20 epochs and is a quarter after 60', async () => {
  const { name, stochastic, options } = await standardSolver({ inBatches: { perEpoch: 4 } } as FitProblem);
  expect([name, stochastic]).toEqual(['adam', true]);
  const { learningRate } = options as { learningRate(iteration: number): number };
  expect([0, 80, 240].map(learningRate)).toEqual([0.05, 0.025, 0.0125]);
});
