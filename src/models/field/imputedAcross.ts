import { Matrix } from '../../core/matrix.ts';
import { fit } from '../../inference/fit/fit.ts';
import { mean as meanOf, sampleVariance } from '../../inference/sampling/givenDraws.ts';
import type { LearnedField, Prediction } from '../../model/posterior.ts';
import type { FieldModel } from './fieldModel.ts';

/**
 * Maximum number of column groups, and of iterations of each fit to the other groups: if pairs of rows agree in all common entries, a longer search
 * only narrows the field.
 */
const MOST_GROUPS = 10;
const MOST_ITERATIONS = 30;

/** Columns to fill in, and the field for each. */
export interface ImputedAcross {
  /** Fitted columns, N×D, NaN where missing. */
  readonly table: Matrix;
  /** Imputation by the field itself. */
  readonly byField: LearnedField['impute'];
  /** Model of a subset of the fitted rows and columns. */
  modelOf(rows: readonly number[], columns: readonly number[]): FieldModel;
}

/**
 * Fills in columns over the points of a field; fitted columns are filled in by the field of other columns.
 *
 * A field has more multipliers than points, and its graph connects rows that agree in their observed entries, so it predicts fitted entries better
 * than missing ones, and its intervals are too narrow. The columns are therefore divided into at most ten groups, and each group is filled in by a
 * field (graph and multipliers) learned from the other groups, scaled to the group's observed entries. A row without entries in any other column gets
 * the mean and variance of the column.
 *
 * @param Y - N×n: columns that equal a fitted one are filled in this way, others by the field itself
 * @see Stone, J. R. Statist. Soc. B 36 (1974), on assessing predictions by left-out observations
 */
export async function imputedAcross(
  { table, byField, modelOf }: ImputedAcross,
  Y: Matrix,
  isCalibrated: boolean,
  signal?: AbortSignal,
): Promise<Prediction> {
  const { mean, variance } = await byField(Y, isCalibrated);
  const groups = Math.min(MOST_GROUPS, table.columns);
  const fitted = Array.from({ length: Y.columns }, (_, c) => fittedColumn(table, Y.column(c)));
  for (let group = 0; group < groups; group++) {
    const columns = Array.from(fitted.keys()).filter((c) => fitted[c]! % groups === group);
    if (columns.length === 0) continue;
    const others = Array.from({ length: table.columns }, (_, d) => d).filter((d) => d % groups !== group);
    const rows = Array.from({ length: Y.rows }, (_, i) => i).filter((i) =>
      others.some((d) => !Number.isNaN(table.at(i, d))),
    );
    const { impute } = await fit(modelOf(rows, others), {
      maxIterations: MOST_ITERATIONS,
      ...(signal && { signal }),
    });
    const found = await impute(Matrix.from(rows.map((i) => columns.map((c) => Y.at(i, c)))), {
      calibrated: isCalibrated,
    });
    for (const [k, c] of columns.entries()) {
      const observed = Y.column(c).filter((entry) => !Number.isNaN(entry));
      for (let i = 0, next = 0; i < Y.rows; i++) {
        const place = rows[next] === i ? next++ : -1;
        if (!Number.isNaN(Y.at(i, c))) continue;
        mean.data[i * Y.columns + c] = place < 0 ? meanOf(observed) : found.mean.at(place, k);
        variance.data[i * Y.columns + c] = place < 0 ? sampleVariance(observed) : found.variance.at(place, k);
      }
    }
  }
  return { mean, variance };
}

/** Index of the fitted column with missing entries that equals this one; −1 if there is none. */
function fittedColumn(table: Matrix, column: Float64Array): number {
  if (!column.some(Number.isNaN)) return -1;
  return Array.from({ length: table.columns }, (_, d) => d).findIndex((d) =>
    column.every((entry, i) => Object.is(entry, table.at(i, d))),
  );
}
