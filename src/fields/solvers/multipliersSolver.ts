import { isSparse } from '../../engine/sparse/index.ts';
import { boundedNewton } from '../../inference/solvers/boundedNewton.ts';
import type { Solver } from '../../model/solver.ts';
import { denseWeightsSolver } from './denseWeights.ts';
import type { FieldProblem } from './fieldProblem.ts';
import { sparseWeightsSolver } from './interiorPoint.ts';

/**
 * Solver for the multipliers of a field whose rows do not move. Loaded on demand, since pages that only show fits do not need it.
 *
 * @param problem - the problem for squared differences at edges; undefined for other constraints
 * @param holedCopies - c, if entries of the rows are missing
 */
export function multipliersSolver(problem: FieldProblem | undefined, holedCopies: number | undefined): Solver {
  if (holedCopies !== undefined) return boundedNewton({ unit: holedCopies / 2 });
  if (problem === undefined) return boundedNewton({});
  return isSparse(problem) ? sparseWeightsSolver(problem) : denseWeightsSolver(problem);
}
