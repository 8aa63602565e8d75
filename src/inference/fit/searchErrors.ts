import { InvalidInputError, OptimizationError } from '../../core/errors.ts';
import { brokenTerms } from '../../model/objective.ts';
import type { FitProblem } from './fitProblem.ts';

/** @throws InvalidInputError that names the parameter whose bounds the solver does not support */
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

/** Error at a start that names the terms of the log density that are not finite. */
export function startError(error: unknown, { densityAt, inBatches }: FitProblem, x: Float64Array): unknown {
  if (!(error instanceof OptimizationError) || inBatches !== undefined) return error;
  try {
    const { value, terms } = densityAt(x);
    if (Number.isFinite(value)) return error;
    return new OptimizationError(
      `The objective is not finite at the start: ${brokenTerms(terms)}. Start from a point where it is.`,
      { cause: error },
    );
  } catch {
    // The error reports that the density cannot be evaluated there.
    return error;
  }
}
