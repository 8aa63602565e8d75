import type { FitProblem } from '../fit/fitProblem.ts';
import { adam } from '../solvers/adam.ts';
import { lbfgs } from '../solvers/lbfgs.ts';
import { lbfgsb } from '../solvers/lbfgsb.ts';
import type { Solver } from '../solvers/solver.ts';

/** Steps of adam in the first epoch, and the epochs after which they have halved. */
const STEP = 0.05;
const HALVING = 20;

/** The solver of a fit that is given none, of a model that has none: one for noisy gradients, or one that keeps to the model's bounds. */
export function standardSolver({ limits, inBatches }: FitProblem): Solver {
  if (inBatches === undefined) return limits === undefined ? lbfgs() : lbfgsb();
  const learningRate = (iteration: number) => STEP / (1 + iteration / (HALVING * inBatches.perEpoch));
  return Object.freeze({ ...adam({ learningRate }), stochastic: true });
}
