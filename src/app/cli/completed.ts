import { join } from 'node:path';
import { type Fit, InvalidInputError, Matrix, NumericalError, type Prediction } from '../../index.ts';
import { type LabelColumn, type StandardisedColumns, writeTable } from '../io/index.ts';
import type { TableRecord } from './tableRecord.ts';

/** A table with its missing entries filled in. */
export interface Completed {
  /** N×D, the observation or, where it is missing, its mean. */
  readonly mean: Matrix;
  /** N×D, 0 where observed. */
  readonly deviation: Matrix;
}

/**
 * The fitted table with missing entries filled in, in its own units, by a field's `impute` or by predictions at the latents.
 *
 * @returns undefined if the model has neither
 */
export async function completedTable(
  fit: Fit,
  Y: Matrix,
  units: StandardisedColumns | undefined,
): Promise<Completed | undefined> {
  let found: Prediction | undefined;
  try {
    found = fit.graph === undefined ? fit.predict?.(fit.latents, { noise: true }) : await fit.impute?.(Y);
  } catch (error) {
    if (!(error instanceof InvalidInputError || error instanceof NumericalError)) throw error;
  }
  return found && found.mean.rows === Y.rows ? filled(Y, found, units) : undefined;
}

/** Y where it is observed, the prediction elsewhere. */
export function filled(Y: Matrix, { mean, variance }: Prediction, units: StandardisedColumns | undefined): Completed {
  const means = new Matrix(
    Y.data.map((entry, k) => (Number.isNaN(entry) ? mean.data[k]! : entry)),
    Y.rows,
    Y.columns,
  );
  const variances = new Matrix(
    Y.data.map((entry, k) => (Number.isNaN(entry) ? variance.data[k]! : 0)),
    Y.rows,
    Y.columns,
  );
  return { mean: units?.undo(means) ?? means, deviation: deviations(units?.undoVariance(variances) ?? variances) };
}

/** Square roots of variances. */
export const deviations = ({ data, rows, columns }: Matrix): Matrix => new Matrix(data.map(Math.sqrt), rows, columns);

export const COMPLETED_FILES = ['completed.csv', 'completedDeviations.csv'] as const;

/** Writes completed.csv and completedDeviations.csv. */
export async function completedFiles(
  folder: string,
  { mean, deviation }: Completed,
  { columns }: TableRecord,
  options: { readonly ids?: LabelColumn; readonly replace: boolean },
): Promise<string[]> {
  const files = COMPLETED_FILES.map((name) => join(folder, name)) as [string, string];
  await writeTable(files[0], mean, columns, undefined, options);
  await writeTable(files[1], deviation, columns, undefined, options);
  return files;
}
