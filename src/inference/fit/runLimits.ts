import type { TraceEntry } from '../../model/fit.ts';
import type { Progress } from '../minimize/solution.ts';

/** Iterations where none are given. */
export const MOST_ITERATIONS = 1000;

/** Halvings of the way between a start where the log density is not finite and the model's own start. */
export const MOST_HALVINGS = 10;

/** What the trace of a run says of where it stands. */
export function traceEntry({
  iterations,
  evaluations,
  value,
  gradientNorm,
}: Omit<Progress, 'x' | 'state'>): TraceEntry {
  return { iteration: iterations, evaluations, objective: -value, gradientNorm };
}
