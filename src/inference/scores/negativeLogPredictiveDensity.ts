import { log, square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { givenOptions } from '../../core/given.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkSameShape, countedEntries, finiteEntry, type Mask } from './maskedEntries.ts';

/**
 * Negative log density of observations under Gaussian predictions, the mean over the entries that count of
 * ½·log(2π·v) + (y − ŷ)²/(2v).
 *
 * @param Y - observations, N×D; entries that do not count may be NaN
 * @param prediction - `mean` and `variance` (> 0), both N×D: those of new observations, `predict(X, { noise: true })`
 * @param mask - N×D, true or 1 for the entries that count (those held out, say); all unless given
 * @returns nats per entry
 * @throws InvalidInputError when shapes differ, nothing counts, an entry that counts is not finite or a variance not positive
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
      throw new InvalidInputError(
        `variance must be positive where it counts, but row ${Math.floor(i / mean.columns)}, column ${i % mean.columns} is ${v}.`,
      );
    }
    sum += log(2 * Math.PI * v) / 2 + square(finiteEntry(observed, i, 'Y') - finiteEntry(mean, i, 'mean')) / (2 * v);
  }
  return sum / entries.length;
}
