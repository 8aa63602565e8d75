import { quadraticApproximation } from '../../inference/solvers/quadraticApproximation.ts';
import type { Solver } from '../../model/solver.ts';
import type { FieldProblem } from '../density/kktResidual.ts';
import { firstWeights } from './firstWeights.ts';

/** Largest violation of the optimality conditions at a maximum. */
export const CONVERGED = 1e-8;

/** The path of the multipliers. */
export const WEIGHTS = 'field.weights';

/** The solver for the weights of a field with a dense covariance, in w/min(c/φ, 4C). */
export function denseWeightsSolver(problem: FieldProblem): Solver {
  return quadraticApproximation({ unit: problem.copies / 2, first: () => firstWeights(problem) });
}
