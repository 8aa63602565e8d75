import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import type { Fit, FittedModel } from '../model/fit.ts';

/** True if this says that a row has to be whole. */
export const takesWholeRows = (error: unknown): error is InvalidInputError =>
  error instanceof InvalidInputError && error.code === 'missingEntry';

/**
 * What a fit fills in where entries of rows are hidden.
 *
 * @throws InvalidInputError with the code 'missingEntry' where a density needs whole rows, such as counts under the offset of their rows
 */
export async function filledIn(fitted: FittedModel, hidden: Matrix, signal: AbortSignal | undefined) {
  try {
    return await (fitted as Fit).impute!(hidden, signal && { signal });
  } catch (error) {
    if (!takesWholeRows(error)) throw error;
    throw new InvalidInputError(
      `No entries can be hidden from ${fitted.model} to be predicted by the others of their rows: ${error.message}`,
      { cause: error, code: 'missingEntry' },
    );
  }
}
