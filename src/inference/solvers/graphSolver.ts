import type { Solver } from '../../model/solver.ts';
import { followedBy } from './followedBy.ts';
import { lbfgs } from './lbfgs.ts';
import { newton } from './newton.ts';
import { smoothed } from './smoothed.ts';

/** Most correction pairs: as many as there are variables take half the evaluations of forty. */
const MOST_PAIRS = 400;
/** Iterations after which second derivatives lead to the end. */
const ITERATIONS_BEFORE = 100;

/**
 * L-BFGS that moves the rows of neighbours together, and Newton's method after it where all second derivatives are known.
 *
 * @param rows - the variables that are one row for each node of the graph
 */
export function graphSolver(rows: Parameters<typeof smoothed>[1], isCurved: boolean): Solver {
  const history = Math.max(10, Math.min(MOST_PAIRS, rows.graph.size * rows.columns));
  const first = smoothed(lbfgs({ history, scaling: 'diagonal' }), rows);
  return isCurved ? followedBy(first, ITERATIONS_BEFORE, newton()) : first;
}
