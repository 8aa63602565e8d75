import type { Solver } from '../../model/solver.ts';
import { laplacianFactor } from '../../numerics/sparse/laplacianFactor.ts';
import { type FieldProblem, weightScale } from '../density/kktResidual.ts';
import type { FieldProgress, FieldStep } from './fieldSearch.ts';
import { interiorPoint } from './interiorPoint.ts';
import { searchSolver } from './searchSolver.ts';
import { CONVERGED } from './weightsSolver.ts';

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
