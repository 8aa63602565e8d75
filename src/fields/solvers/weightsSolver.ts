import { quadraticApproximation } from '../../inference/solvers/quadraticApproximation.ts';
import type { Solver } from '../../model/solver.ts';
import { laplacianFactor } from '../../numerics/sparse/laplacianFactor.ts';
import { type FieldProblem, weightScale } from '../density/kktResidual.ts';
import type { FieldProgress, FieldStep } from './fieldSearch.ts';
import { firstWeights } from './firstWeights.ts';
import { interiorPoint } from './interiorPoint.ts';
import { searchSolver } from './searchSolver.ts';

/** Largest violation of the optimality conditions at a maximum. */
export const CONVERGED = 1e-8;

/** The path of the multipliers. */
export const WEIGHTS = 'field.weights';

/** The solver for the weights of a field with a dense covariance, in w/min(c/φ, 4C). */
export function denseWeightsSolver(problem: FieldProblem): Solver {
  return quadraticApproximation({ unit: problem.copies / 2, first: () => firstWeights(problem) });
}

/** The solver for the weights of a field on a sparse graph. */
export function sparseWeightsSolver(problem: FieldProblem): Solver {
  const { squaredDistances, copies } = problem;
  return searchSolver<FieldStep, FieldProgress>({
    name: 'interiorPoint',
    scale: squaredDistances.map((distance) => weightScale(problem, distance)),
    begin: (start, memory) => interiorPoint(problem, laplacianFactor(problem), start, memory),
    pointAt: ({ weights, value, resistances }) => ({
      x: weights,
      value,
      gradient: resistances.map((R, e) => 0.5 * (copies * R - squaredDistances[e]!)),
    }),
    ending: ({ kktResidual }) =>
      kktResidual <= CONVERGED
        ? { status: 'converged', reason: 'no weight can be moved any further' }
        : { status: 'failed', reason: 'rounding lets no weight be moved any further' },
  });
}
