import * as v from 'valibot';
import { log1p, square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import type { NormalizedCounts } from '../../core/namedTable.ts';
import { checkRange, type Standardization, standardizationOf, standardized } from '../../core/observations.ts';
import { checkGiven, checkOptions, type OptionsIn } from '../../core/options.ts';
import { medianOf } from '../../engine/vectors.ts';

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

/** Options for normalizing counts. */
export interface NormalizeCountsOptions extends OptionsIn<typeof countEntries> {}

const target = "a number above 0, or 'median'";
export const countEntries = {
  /** Common sum of the scaled rows, above 0, or 'median' for the median of the rows' sums; by default rows are not scaled. */
  rowSums: v.optional(
    v.union([v.pipe(v.number(target), v.finite(target), v.gtValue(0, target)), v.literal('median')], target),
  ),
  /** Whether each scaled entry y is replaced by log(1 + y); default false. */
  log1p: v.optional(v.boolean('true or false')),
};
const schema = v.strictObject(countEntries);

/**
 * Scales each row of counts to a common sum s, y_nd ← s·y_nd/Σ_d y_nd, and optionally replaces it by log(1 + y), the usual preparation of single-cell
 * tables for principal components and neighbors. `counts` of the result, passed as options, applies the same scaling to other rows.
 *
 * @param Y - nonnegative numbers, N×D
 * @param options - see {@link NormalizeCountsOptions}
 * @returns `observations`, N×D, and `counts`, the options with the sum as a number
 * @throws InvalidInputError for an unknown option, an entry that is missing or below 0, and with `rowSums` a row whose sum is 0
 * @see Wolf, Angerer & Theis 2018 (normalize_total and log1p of scanpy)
 * @example
 * ```ts
 * const { observations, counts } = normalizeCounts([[4, 0], [1, 3], [0, 9]], { rowSums: 'median', log1p: true });
 * counts.rowSums; // 4
 * normalizeCounts([[10, 10]], counts).observations.row(0); // log 3, log 3
 * ```
 */
export function normalizeCounts(
  Y: MatrixLike,
  options: NormalizeCountsOptions = {},
): { readonly observations: Matrix; readonly counts: NormalizedCounts } {
  const { rowSums, log1p: isLog } = checkOptions(schema, options, 'normalizeCounts');
  const given = Matrix.from(Y, 'The counts');
  return normalized(given, { rowSums, log1p: isLog }, (row, column) => `Entry [${row}][${column}]`);
}

/** @param place - name of a row, or of an entry, in messages */
export function normalized(
  { data, rows, columns }: Matrix,
  { rowSums, log1p: isLog = false }: NormalizeCountsOptions,
  place: (row: number, column: number) => string,
): { readonly observations: Matrix; readonly counts: NormalizedCounts } {
  const wrong = data.findIndex((entry) => !(entry >= 0));
  if (wrong >= 0) {
    throw new InvalidInputError(
      `${place(Math.floor(wrong / columns), wrong % columns)} is ${Number.isNaN(data[wrong]) ? 'missing' : describe(data[wrong])}: row sums and log1p are of numbers from 0. Drop its row or its column.`,
    );
  }
  const sums = Float64Array.from({ length: rows }, (_, i) =>
    data.subarray(i * columns, (i + 1) * columns).reduce((sum, entry) => sum + entry, 0),
  );
  const empty = rowSums === undefined ? -1 : sums.indexOf(0);
  if (empty >= 0) {
    throw new InvalidInputError(
      `${place(empty, 0)} and all others of its row are 0: it has no sum to divide by. Drop it.`,
    );
  }
  const sum = rowSums === 'median' ? medianOf(sums) : rowSums;
  const scaled = sum === undefined ? data : data.map((entry, k) => (entry * sum) / sums[Math.floor(k / columns)]!);
  return {
    observations: new Matrix(isLog ? scaled.map((entry) => log1p(entry)) : scaled, rows, columns),
    counts: { ...(sum !== undefined && { rowSums: sum }), ...(isLog && { log1p: true }) },
  };
}

/** The normalization in words. */
export function countsNote({ rowSums, log1p: isLog }: NormalizedCounts): string {
  const scaled = rowSums === undefined ? [] : [`each row is scaled to sum to ${rowSums}`];
  const said = [...scaled, ...(isLog ? ['entries are log(1 + y)'] : [])].join(', ');
  return `${said[0]!.toUpperCase()}${said.slice(1)}: predictions are in that unit.`;
}
