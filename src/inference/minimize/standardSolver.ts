import type { FitProblem } from '../fit/fitProblem.ts';
import { lbfgs } from '../solvers/lbfgs.ts';
import { lbfgsb } from '../solvers/lbfgsb.ts';
import type { Solver } from '../solvers/solver.ts';

/** The solver of a fit that is given none: the one that suits the model, or that keeps to its bounds. */
export function standardSolver({ limits, model }: FitProblem): Solver {
  if (model.solver !== undefined) return model.solver;
  return limits === undefined ? lbfgs() : lbfgsb();
}
