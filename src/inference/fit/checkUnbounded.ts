import { InvalidInputError } from '../../core/errors.ts';
import type { FitProblem } from './fitProblem.ts';

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
