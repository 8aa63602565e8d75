import type { Solver } from '../../model/solver.ts';
import { adam } from '../solvers/adam.ts';
import { lbfgs } from '../solvers/lbfgs.ts';
import { lbfgsb } from '../solvers/lbfgsb.ts';
import type { FitProblem } from './fitProblem.ts';

/** Step size of adam in the first epoch, and the epochs after which it has halved. */
const STEP = 0.05;
const HALVING = 20;

/**
 * The model's preferred solver if it supports the model's bounds, otherwise the default: one for noisy mini-batch gradients, or one for bounds.
 * Loaded only if a fit was not passed a solver.
 */
export async function standardSolver({ model, limits, inBatches, seed }: FitProblem): Promise<Solver> {
  if (inBatches !== undefined) {
    const learningRate = (iteration: number) => STEP / (1 + iteration / (HALVING * inBatches.perEpoch));
    return Object.freeze({ ...adam({ learningRate }), stochastic: true });
  }
  const solver = model.search?.solver;
  const own = typeof solver === 'function' ? await solver(seed) : solver;
  if (own !== undefined && (own.bounded || limits === undefined)) return own;
  return limits === undefined ? lbfgs() : lbfgsb();
}
