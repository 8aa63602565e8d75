import type { FitProblem } from '../fit/fitProblem.ts';
import { lbfgs } from '../solvers/lbfgs.ts';
import { lbfgsb } from '../solvers/lbfgsb.ts';
import { smoothed } from '../solvers/smoothed.ts';
import type { Solver } from '../solvers/solver.ts';

/** Most correction pairs on a graph: as many as there are variables take half the evaluations of forty. */
const MOST_PAIRS = 400;

/** The solver of a fit that is given none: the one that suits the model, that keeps to its bounds, or that is preconditioned by its graph. */
export function standardSolver({ limits, model, onGraph, start }: FitProblem): Solver {
  if (model.solver !== undefined) return model.solver;
  if (limits !== undefined) return lbfgsb();
  if (onGraph === undefined) return lbfgs();
  const history = Math.max(10, Math.min(MOST_PAIRS, start.length));
  return smoothed(lbfgs({ history, scaling: 'diagonal' }), onGraph);
}
