import * as v from 'valibot';
import { InvalidInputError, Matrix } from '../index.ts';
import { type KnownColumns, type StandardisedColumns, standardise, type Table } from '../io/index.ts';

/** What fit.json keeps of the table that was fitted, under `table`. */
export interface TableRecord extends KnownColumns {
  readonly idColumn?: string | undefined;
  /** N names of the points. */
  readonly ids?: readonly string[] | undefined;
  readonly labelColumn?: string | undefined;
  /** What the columns were divided by after their means were subtracted. */
  readonly standardised?: { readonly mean: readonly number[]; readonly deviation: readonly number[] } | undefined;
}

const names = v.array(v.string());
const numbers = v.array(v.pipe(v.number(), v.finite()));
const schema = v.object({
  columns: v.pipe(names, v.minLength(1)),
  isNamed: v.boolean(),
  others: names,
  idColumn: v.optional(v.string()),
  ids: v.optional(names),
  labelColumn: v.optional(v.string()),
  standardised: v.optional(
    v.object({ mean: numbers, deviation: v.array(v.pipe(v.number(), v.finite(), v.gtValue(0))) }),
  ),
});

/** The record of a table that is about to be fitted. */
export function tableRecord(table: Table, labelColumn?: string, columns?: StandardisedColumns): TableRecord {
  const others = table.leftOut.map(({ column }) => column);
  return {
    columns: table.columns,
    isNamed: table.isNamed,
    others: labelColumn === undefined ? others : [...others, labelColumn],
    ...(table.ids === undefined ? {} : { ids: table.ids, idColumn: table.idColumn }),
    ...(labelColumn === undefined ? {} : { labelColumn }),
    ...(columns === undefined
      ? {}
      : { standardised: { mean: Array.from(columns.mean), deviation: Array.from(columns.deviation) } }),
  };
}

/**
 * What a saved fit says of its table; undefined where it says nothing, as one that was saved in code.
 *
 * @throws InvalidInputError when it is damaged
 */
export function recordFromJSON(json: unknown, file: string): TableRecord | undefined {
  if (json === undefined) return undefined;
  const result = v.safeParse(schema, json);
  const record = result.success ? (result.output as TableRecord) : undefined;
  const widths = record?.standardised && [record.standardised.mean.length, record.standardised.deviation.length];
  if (record !== undefined && (widths === undefined || widths.every((width) => width === record.columns.length))) {
    return record;
  }
  const place = result.success
    ? 'standardised'
    : (result.issues[0].path?.map(({ key }) => String(key)).join('.') ?? '');
  throw new InvalidInputError(`'${file}' is damaged at table.${place}. Fit the data again.`);
}

/** Between the units of the table and those that were fitted. */
export function unitsOf(record: TableRecord | undefined): StandardisedColumns | undefined {
  if (record?.standardised === undefined) return undefined;
  const { mean, deviation } = record.standardised;
  return standardise({ mean: Float64Array.from(mean), deviation: Float64Array.from(deviation) });
}

/** The names of the columns that a fit predicts. */
export const columnNames = (record: TableRecord | undefined, columns: number): string[] =>
  record?.columns.length === columns ? [...record.columns] : Array.from({ length: columns }, (_, j) => `column${j}`);

/** The names of the latent dimensions. */
export const dimensionNames = (latents: Matrix): string[] =>
  Array.from({ length: latents.columns }, (_, d) => `x${d + 1}`);

/** Columns of several matrices side by side. */
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
