import { square } from '../../core/elementary/index.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkSameShape, countedEntries, finiteEntry, type Mask } from './maskedEntries.ts';

/**
 * Root mean squared error of predictions: √(mean of (y − ŷ)²) over the entries that count.
 *
 * @param Y - observations, N×D; entries that do not count may be NaN
 * @param mean - predictions, N×D
 * @param mask - N×D, true or 1 for the entries that count (those held out, say); all unless given
 * @returns a number in the unit of Y
 * @throws InvalidInputError when shapes differ, nothing counts, or an entry that counts is not finite
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
