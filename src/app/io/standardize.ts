import { square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { checkRange, type Standardization, standardizationOf, standardized } from '../../core/observations.ts';
import { checkGiven } from '../../core/options.ts';

/** Standardization of columns to mean 0 and standard deviation 1, and its inverse. */
export interface StandardizedColumns extends Standardization {
  /** Standardized matrix (y − mean)/deviation, for a matrix with the same columns. */
  apply(Y: Matrix): Matrix;
  /** Original matrix mean + deviation·z. */
  undo(Z: Matrix): Matrix;
  /** Original variances deviation²·v. */
  undoVariance(V: Matrix): Matrix;
}

/**
 * Standardizes the columns of Y to mean 0 and standard deviation 1 over their observed entries; a constant column is only centered.
 *
 * @param Y - N×D, NaN where missing; or the means and deviations that an earlier call returned
 * @throws InvalidInputError for a column whose squares overflow, or underflow to 0
 * @example
 * ```ts
 * const { observations } = await readTable('income.csv');
 * const columns = standardize(observations);
 * const standardized = gplvm(columns.apply(observations), { latentDim: 2 });
 * ```
 */
export function standardize(
  Y: Matrix | { readonly mean: ArrayLike<number>; readonly deviation: ArrayLike<number> },
): StandardizedColumns {
  checkGiven(
    Y,
    'standardize',
    'a Matrix, or a mean and a deviation',
    (given) => given instanceof Matrix || given.mean.length === given.deviation.length,
  );
  const found = Y instanceof Matrix ? standardizationOf(checkRange(Y, true), true, true) : Y;
  const [mean, deviation] = [Float64Array.from(found.mean), Float64Array.from(found.deviation)];
  return {
    mean,
    deviation,
    apply: (given) => standardized(given, { mean, deviation }),
    undo: (Z) => Z.map((entry, _, j) => mean[j]! + deviation[j]! * entry),
    undoVariance: (V) => V.map((entry, _, j) => square(deviation[j]!) * entry),
  };
}
