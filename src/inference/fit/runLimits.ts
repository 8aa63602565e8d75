import { InvalidInputError } from '../../core/errors.ts';
import type { TraceEntry } from '../../model/fit.ts';
import type { Progress } from '../minimize/solution.ts';
import type { FitProblem } from './fitProblem.ts';

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

/** @throws InvalidInputError that names the parameter whose bounds a solver cannot keep to */
export function checkUnbounded(
  { variables }: FitProblem['layout'],
  limits: FitProblem['limits'],
  solver: string,
): void {
  for (const { path, start, size } of variables) {
    for (let i = start; limits !== undefined && start >= 0 && i < start + size; i++) {
      const [lower, upper] = [limits.bounds.lower[i]!, limits.bounds.upper[i]!];
      if (lower === Number.NEGATIVE_INFINITY && upper === Number.POSITIVE_INFINITY) continue;
      throw new InvalidInputError(
        `${solver} cannot keep to bounds, but '${path}' is bounded to [${lower}, ${upper}]. Use lbfgsb(), or leave the solver out.`,
      );
    }
  }
}
