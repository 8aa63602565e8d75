import { log, square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { entryInWords, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { givenOptions } from '../../core/options.ts';

/** Selection of entries of an N×D matrix: true or 1 for those that count, false or 0 for the others. */
export type Mask = readonly (readonly boolean[])[] | MatrixLike;

/**
 * Indices of the entries that count; all without a mask.
 *
 * @throws InvalidInputError if the mask has another shape, or selects nothing
 */
function countedEntries({ rows, columns }: Matrix, mask: Mask | undefined): number[] {
  const all = Array.from({ length: rows * columns }, (_, i) => i);
  const counted = mask === undefined ? all : chosen(all, maskMatrix(mask), rows, columns);
  if (counted.length === 0) {
    throw new InvalidInputError(`A score needs at least one entry, but none of the ${rows}×${columns} counts.`);
  }
  return counted;
}

function maskMatrix(mask: Mask): Matrix {
  const rows = Array.isArray(mask) ? mask.map((row) => (Array.isArray(row) ? row.map(Number) : row)) : mask;
  return Matrix.from(rows as MatrixLike, 'The mask');
}

function chosen(all: number[], mask: Matrix, rows: number, columns: number): number[] {
  if (mask.rows !== rows || mask.columns !== columns) {
    throw new InvalidInputError(
      `The mask must be ${rows}×${columns}, as the observations are, but it is ${mask.rows}×${mask.columns}.`,
    );
  }
  return all.filter((i) => mask.data[i] !== 0);
}

/** Throws unless two matrices have the same shape. */
function checkSameShape(expected: Matrix, given: Matrix, name: string): void {
  if (given.rows === expected.rows && given.columns === expected.columns) return;
  throw new InvalidInputError(
    `${name} must be ${expected.rows}×${expected.columns}, as the observations are, but it is ${given.rows}×${given.columns}.`,
  );
}

/** Entry of a matrix at a selected position, which must be finite. */
function finiteEntry(matrix: Matrix, i: number, name: string): number {
  const entry = matrix.data[i]!;
  if (Number.isFinite(entry)) return entry;
  throw new InvalidInputError(
    `${name} must be finite where it counts, but ${entryInWords(matrix, i)}. Leave that entry out with a mask.`,
  );
}

/**
 * Root mean squared error of predictions: √(mean of (y − ŷ)²) over the entries that count.
 *
 * @param Y - observations, N×D; entries that do not count may be NaN
 * @param mean - predictions, N×D
 * @param mask - N×D, true or 1 for the entries that count, such as held-out ones; default all
 * @returns a number in the unit of Y
 * @throws InvalidInputError if shapes differ, nothing counts, or an entry that counts is not finite
 * @example
 * ```ts
 * rootMeanSquaredError([[1, 2]], [[1, 5]]); // √4.5
 * rootMeanSquaredError([[1, Number.NaN]], [[3, 0]], [[true, false]]); // 2
 * ```
 */
export function rootMeanSquaredError(Y: MatrixLike, mean: MatrixLike, mask?: Mask): number {
  const observed = Matrix.from(Y, 'Y');
  const predicted = Matrix.from(mean, 'mean');
  checkSameShape(observed, predicted, 'mean');
  const entries = countedEntries(observed, mask);
  let sum = 0;
  for (const i of entries) sum += square(finiteEntry(observed, i, 'Y') - finiteEntry(predicted, i, 'mean'));
  return Math.sqrt(sum / entries.length);
}

/**
 * Negative log density of observations under Gaussian predictions, the mean over the entries that count of
 * ½·log(2π·v) + (y − ŷ)²/(2v).
 *
 * @param Y - observations, N×D; entries that do not count may be NaN
 * @param prediction - `mean` and `variance` (> 0), both N×D, of new observations: `predict(X, { noise: true })`
 * @param mask - N×D, true or 1 for the entries that count, such as held-out ones; default all
 * @returns nats per entry
 * @throws InvalidInputError if shapes differ, nothing counts, an entry that counts is not finite or a variance is not positive
 * @see Quiñonero-Candela et al., Evaluating predictive uncertainty challenge (2006), §2
 * @example
 * ```ts
 * const prediction = result.predict(X, { noise: true });
 * negativeLogPredictiveDensity(Y, prediction);
 * ```
 */
export function negativeLogPredictiveDensity(
  Y: MatrixLike,
  prediction: { readonly mean: MatrixLike; readonly variance: MatrixLike },
  mask?: Mask,
): number {
  const observed = Matrix.from(Y, 'Y');
  const given = givenOptions(prediction, 'negativeLogPredictiveDensity');
  const mean = Matrix.from(given.mean, 'mean');
  const variance = Matrix.from(given.variance, 'variance');
  checkSameShape(observed, mean, 'mean');
  checkSameShape(observed, variance, 'variance');
  const entries = countedEntries(observed, mask);
  let sum = 0;
  for (const i of entries) {
    const v = finiteEntry(variance, i, 'variance');
    if (!(v > 0)) {
      throw new InvalidInputError(`variance must be positive where it counts, but ${entryInWords(variance, i)}.`);
    }
    sum += log(2 * Math.PI * v) / 2 + square(finiteEntry(observed, i, 'Y') - finiteEntry(mean, i, 'mean')) / (2 * v);
  }
  return sum / entries.length;
}
