import { counted, rowsOf } from '../../core/index.ts';
import { type Fit, type FittedTable, InvalidInputError, type Matrix } from '../../index.ts';
import { type StandardizedColumns, standardize, type Table } from '../io/index.ts';

/** Record of the fitted table in fit.json, under `table`. */
export type TableRecord = FittedTable;

/** Record of a table to be fitted. */
export function tableRecord(table: Table, labelColumn?: string, columns?: StandardizedColumns): TableRecord {
  const others = table.leftOut.map(({ column }) => column);
  return {
    columns: table.columns,
    isNamed: table.isNamed,
    others: labelColumn === undefined ? others : [...others, labelColumn],
    ...(table.ids === undefined ? {} : { ids: table.ids, idColumn: table.idColumn }),
    ...(labelColumn === undefined ? {} : { labelColumn }),
    ...(table.labels === undefined ? {} : { labels: table.labels }),
    ...(table.counts === undefined ? {} : { counts: table.counts }),
    ...(table.writtenUnits === undefined ? {} : { writtenUnits: table.writtenUnits }),
    ...(table.given === undefined ? {} : { covariates: table.given.columns }),
    ...(table.offset && { offset: { column: table.offset.column, isExposure: table.offset.isExposure } }),
    ...(columns === undefined
      ? {}
      : { standardized: { mean: Array.from(columns.mean), deviation: Array.from(columns.deviation) } }),
  };
}

/** Conversion between the units of the table and of the fit. */
export function unitsOf(record: TableRecord | undefined): StandardizedColumns | undefined {
  if (record?.standardized === undefined) return undefined;
  return standardize(record.standardized);
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

/** The column of an offset, or of an exposure. */
export const offsetInWords = ({ column, isExposure }: NonNullable<TableRecord['offset']>): string =>
  `${isExposure ? 'the logarithm of ' : ''}'${column}'`;

/** Rows of the data that the latents belong to, for models that show and list a subset (isomap of the largest component); undefined for other models. */
function shownPoints({ parameters, latents }: Fit): readonly number[] | undefined {
  const { points } = parameters;
  return Array.isArray(points) && points.length === latents.rows ? points : undefined;
}

/** Values of the rows that the latents belong to. */
export function ofPoints<T extends string | number>(fit: Fit, all: ArrayLike<T> | undefined): T[] | undefined {
  return all === undefined ? undefined : (shownPoints(fit)?.map((i) => all[i]!) ?? Array.from(all));
}

/**
 * Rows of a table that the latents belong to.
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
  return points === undefined ? table : rowsOf(table, points);
}

/** Sentences about omitted, converted or missing parts of a table. */
export const notesOf = (
  { leftOut, notes }: Pick<Table, 'leftOut' | 'notes'>,
  remedy?: (them: string) => string,
): string[] => [...leftOutReport(leftOut, remedy), ...notes.map((note) => `note: ${note}`)];

/** Sentences about the treatment of a table before computations. */
export function tableReport(file: string, table: Table, labels?: string, color?: string): string[] {
  const { observations, columns, ids, idColumn } = table;
  const lines = [
    `${file}: ${counted(observations.rows, 'point')}, ${counted(observations.columns, 'column')}: ${list(columns)}`,
  ];
  if (ids !== undefined) lines.push(`ids: '${idColumn}'`);
  if (table.given !== undefined) lines.push(`covariates: ${list(table.given.columns)}`);
  if (table.offset !== undefined) lines.push(`offset: ${offsetInWords(table.offset)}`);
  if (labels !== undefined) {
    const present = table.labels!.filter((label) => label !== '');
    const missing = table.labels!.length - present.length;
    lines.push(`labels: '${labels}', ${new Set(present).size} kinds${missing > 0 ? `, ${missing} missing` : ''}`);
  }
  if (color !== undefined) {
    const isUsed = columns.includes(color);
    lines.push(`colors: '${color}'${isUsed ? ', which is among the observations too (--drop leaves it out)' : ''}`);
  }
  return [...lines, ...notesOf(table), ...equalRows(observations)];
}

/** Advice for including an omitted column. */
const COLUMNS_TAKES = (them: string) => `--columns takes ${them}`;

/**
 * Sentences about omitted columns, each with its reason; many columns with the same reason share a sentence.
 *
 * @param remedy - advice about columns that might be wanted, called "it" or "them"
 */
function leftOutReport(leftOut: Table['leftOut'], remedy = COLUMNS_TAKES): string[] {
  const byReason = new Map<string, { readonly names: string[]; readonly reason: string; readonly byDefault?: true }>();
  for (const { column, reason, byDefault } of leftOut) {
    // Each piece of advice appears once, for the first column.
    const advice = reason.replace(/numbers such as '.*':/, 'numbers:');
    const known = byReason.get(advice);
    if (known === undefined) byReason.set(advice, { names: [column], reason, ...(byDefault && { byDefault }) });
    else known.names.push(column);
  }
  return Array.from(byReason.values(), ({ names, reason, byDefault }) => {
    const isSingle = names.length === 1;
    const hint = byDefault ? ` (${remedy(isSingle ? 'it' : 'them')})` : '';
    return `left out: ${list(names.map((name) => `'${name}'`))}${isSingle ? '' : ': each'} ${reason}${hint}`;
  });
}

const MOST_LISTED = 8;

/** Up to eight names; for a longer list, the first names and the last. */
export function list(names: readonly string[]): string {
  if (names.length <= MOST_LISTED) return names.join(', ');
  return `${names.slice(0, 5).join(', ')}, … ${names.slice(-2).join(', ')}`;
}

/** Number of entries above which a search for equal rows would cost more than reading them. */
const MOST_COMPARED = 5e6;

/** Note about rows that repeat others. */
function equalRows({ data, rows, columns }: Matrix): string[] {
  if (data.length > MOST_COMPARED) return [];
  const seen = new Set<string>();
  for (let i = 0; i < rows; i++) seen.add(data.subarray(i * columns, (i + 1) * columns).join());
  const equal = rows - seen.size;
  if (equal === 0) return [];
  return [`note: ${equal === 1 ? '1 row is' : `${equal} rows are`} equal to an earlier one.`];
}
