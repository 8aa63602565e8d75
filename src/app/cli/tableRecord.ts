import { type Fit, type FittedTable, InvalidInputError, Matrix } from '../../index.ts';
import { type StandardisedColumns, standardise, type Table } from '../io/index.ts';

/** Record of the fitted table in fit.json, under `table`. */
export type TableRecord = FittedTable;

/** Record of a table that is about to be fitted. */
export function tableRecord(table: Table, labelColumn?: string, columns?: StandardisedColumns): TableRecord {
  const others = table.leftOut.map(({ column }) => column);
  return {
    columns: table.columns,
    isNamed: table.isNamed,
    others: labelColumn === undefined ? others : [...others, labelColumn],
    ...(table.ids === undefined ? {} : { ids: table.ids, idColumn: table.idColumn }),
    ...(labelColumn === undefined ? {} : { labelColumn }),
    ...(table.labels === undefined ? {} : { labels: table.labels }),
    ...(table.counts === undefined ? {} : { counts: table.counts }),
    ...(columns === undefined
      ? {}
      : { standardised: { mean: Array.from(columns.mean), deviation: Array.from(columns.deviation) } }),
  };
}

/** Conversion between the units of the table and those of the fit. */
export function unitsOf(record: TableRecord | undefined): StandardisedColumns | undefined {
  if (record?.standardised === undefined) return undefined;
  return standardise(record.standardised);
}

/** Names of the columns that a fit predicts. */
export const columnNames = (record: TableRecord | undefined, columns: number): string[] =>
  record?.columns.length === columns ? [...record.columns] : Array.from({ length: columns }, (_, j) => `column${j}`);

/** Names of the latent dimensions. */
export const dimensionNames = (latents: Matrix): string[] =>
  Array.from({ length: latents.columns }, (_, d) => `x${d + 1}`);

/** Names of the columns of latent variances. */
export const varianceNames = (latents: Matrix): string[] =>
  Array.from({ length: latents.columns }, (_, d) => `variance${d + 1}`);

/** Variances of a fit's latents, if they are distributions. */
export const latentVariancesOf = (fit: Fit): Matrix | undefined =>
  'latentVariances' in fit ? (fit.latentVariances as Matrix | undefined) : undefined;

/** Several matrices side by side. */
export function sideBySide(...matrices: readonly Matrix[]): Matrix {
  const rows = matrices[0]!.rows;
  const columns = matrices.reduce((sum, matrix) => sum + matrix.columns, 0);
  const joined = Matrix.zeros(rows, columns);
  let from = 0;
  for (const matrix of matrices) {
    for (let i = 0; i < rows; i++) joined.data.set(matrix.row(i), i * columns + from);
    from += matrix.columns;
  }
  return joined;
}

/**
 * Rows of the data that the latents belong to, for models that show and list a part of them (isomap of the largest component); undefined for all
 * others.
 */
function shownPoints({ parameters, latents }: Fit): readonly number[] | undefined {
  const { points } = parameters;
  return Array.isArray(points) && points.length === latents.rows ? points : undefined;
}

/** The values of the rows that the latents belong to. */
export function ofPoints<T extends string | number>(fit: Fit, all: ArrayLike<T> | undefined): T[] | undefined {
  return all === undefined ? undefined : (shownPoints(fit)?.map((i) => all[i]!) ?? Array.from(all));
}

/**
 * The rows of a table that the latents belong to.
 *
 * @throws InvalidInputError if the table cannot be the fitted one
 */
export function rowsOfPoints(fit: Fit, table: Matrix): Matrix {
  const points = shownPoints(fit);
  const expected = points === undefined ? table.rows === fit.latents.rows : Math.max(...points) < table.rows;
  if (!expected) {
    throw new InvalidInputError(
      `The fit has ${fit.latents.rows} points, but the data have ${table.rows} rows. Give the data that were fitted.`,
    );
  }
  return points === undefined ? table : selectRows(table, points);
}

/** Selects rows of a matrix. */
export const selectRows = (matrix: Matrix, rows: readonly number[]): Matrix =>
  Matrix.from(rows.map((i) => matrix.row(i)));
