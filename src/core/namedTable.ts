import { InvalidInputError } from './errors.ts';
import { describe, Matrix, type MatrixLike } from './matrix.ts';
import { standardized } from './observations.ts';
import { counted } from './wording.ts';

/** Normalization of a table of counts; see `normalizeCounts` of `latentfield/io`. */
export interface NormalizedCounts {
  /** Sum of each row after scaling. */
  readonly rowSums?: number;
  /** Whether entries are log(1 + y). */
  readonly log1p?: boolean;
}

/** A table of observations with the names of its columns, such as `readTable` returns. */
export interface NamedTable {
  /** Observations, N×D, NaN where missing. */
  readonly observations: Matrix;
  /** D names. */
  readonly columns: readonly string[];
  /** False if the columns have no names in the file and are named by position; default true. */
  readonly isNamed?: boolean;
  /** N names of the points. */
  readonly ids?: readonly string[];
  /** Name of the column with the ids. */
  readonly idColumn?: string;
  /** Name of the column with the labels. */
  readonly labelColumn?: string;
  /** N labels of the points, '' where missing. */
  readonly labels?: readonly string[];
  /** Columns of the file that are not observations. */
  readonly leftOut?: readonly { readonly column: string }[];
  /** How the counts of each row were normalized, if at all. */
  readonly counts?: NormalizedCounts;
  /** Units that cells are written with, such as '%', by column. */
  readonly writtenUnits?: Readonly<Record<string, string>>;
  /** Covariates of the points. */
  readonly given?: GivenColumns | undefined;
  /** Offset of the functions of counts and labels. */
  readonly offset?: (OffsetColumn & { readonly rows: Matrix }) | undefined;
}

/** Column of a table with an offset, or with an exposure, whose logarithm is the offset. */
export interface OffsetColumn {
  readonly column: string;
  readonly isExposure: boolean;
}

/** Columns of a table that are covariates. */
export interface GivenColumns {
  /** p names; `season=winter` for a level of the category `season`. */
  readonly columns: readonly string[];
  /** N×p. */
  readonly rows: Matrix;
}

/** Columns of a fitted table. */
export interface KnownColumns {
  /** Names of the observed columns, in order. */
  readonly columns: readonly string[];
  /** Whether the file named its columns. */
  readonly isNamed: boolean;
  /** The other columns of the file. */
  readonly others: readonly string[];
  /** Units that cells are written with, such as '%', by column. */
  readonly writtenUnits?: Readonly<Record<string, string>> | undefined;
  /** Names of the covariates, in order. */
  readonly covariates?: readonly string[] | undefined;
  readonly offset?: OffsetColumn | undefined;
}

/** Description of the table that a fit was made from. */
export interface FittedTable extends KnownColumns {
  readonly idColumn?: string | undefined;
  /** N names of the points. */
  readonly ids?: readonly string[] | undefined;
  readonly labelColumn?: string | undefined;
  /** N labels of the points, '' where missing. */
  readonly labels?: readonly string[] | undefined;
  /** How counts were normalized; `readMatchingTable` normalizes other tables alike. */
  readonly counts?: NormalizedCounts | undefined;
  /**
   * Means subtracted from the columns and deviations they were divided by, as `fit --standardize` of the command line does. Matching a table
   * standardizes it the same way. Predictions are in the standardized units; `standardize(table.standardized).undo(mean)` returns to the original
   * ones.
   */
  readonly standardized?: { readonly mean: readonly number[]; readonly deviation: readonly number[] } | undefined;
}

/** Observations, or a table of them. */
export type ObservationsLike = MatrixLike | NamedTable;

export const isTable = (value: unknown): value is NamedTable =>
  typeof value === 'object' && value !== null && 'observations' in value && 'columns' in value;

/** @throws InvalidInputError unless it is a table of observations with a name for each column, and an id and a label for each row if it has any */
export function checkTable(table: NamedTable): NamedTable {
  const { observations, columns, ids, labels } = (table ?? {}) as Partial<NamedTable>;
  if (!(observations instanceof Matrix) || !Array.isArray(columns)) {
    throw new InvalidInputError(
      `A table has observations, a Matrix, and columns, their names, as readTable returns it, but ${describe(table)} was given.`,
    );
  }
  if (columns.length !== observations.columns) {
    throw new InvalidInputError(
      `The table has ${counted(columns.length, 'name')} of columns, but its observations have ${observations.columns}. Name each column.`,
    );
  }
  for (const [noun, texts] of Object.entries({ id: ids, label: labels })) {
    if (texts === undefined || texts.length === observations.rows) continue;
    throw new InvalidInputError(
      `The table has ${counted(texts.length, noun)}, but its observations have ${observations.rows} rows. Give each point ${noun === 'id' ? 'an id' : 'a label'}.`,
    );
  }
  return table;
}

/**
 * The observations of a table with its columns in the known order, by name; any other observations are returned unchanged.
 *
 * @throws InvalidInputError if a column is missing or unknown, or if the names of the columns are not known
 */
export function matchedObservations(given: ObservationsLike, known: FittedTable | undefined): MatrixLike {
  if (!isTable(given)) return given;
  const { observations, columns, isNamed = true, labelColumn } = checkTable(given);
  if (known === undefined) {
    throw new InvalidInputError(
      'This fit remembers no columns, so a table cannot be matched with it. Give table.observations, or fit with the option table.',
    );
  }
  if (known.counts?.rowSums !== given.counts?.rowSums || !known.counts?.log1p !== !given.counts?.log1p) {
    throw new InvalidInputError(
      `The rows of the fit have ${normalizationOf(known.counts)}, but the table has ${normalizationOf(given.counts)}. Read it with readMatchingTable(file, fit.table).`,
    );
  }
  if (given.offset?.column !== known.offset?.column || given.offset?.isExposure !== known.offset?.isExposure) {
    throw new InvalidInputError(
      `The offset of the fit is ${known.offset ? `'${known.offset.column}'` : 'none'}. Read the table with readMatchingTable(file, fit.table).`,
    );
  }
  if (given.given?.columns.join() !== known.covariates?.join()) {
    throw new InvalidInputError(
      `The covariates of the fit are ${quoted(known.covariates ?? [])}. Read the table with readMatchingTable(file, fit.table).`,
    );
  }
  if (!known.isNamed || !isNamed) return inUnits(observations, known);
  const missing = known.columns.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw new InvalidInputError(
      `The table lacks ${counted(missing.length, 'column')} of the fit: ${quoted(missing)}. readMatchingTable(file, fit.table, { allowAbsent: true }) reads absent ones as missing.`,
    );
  }
  const unknown = columns.filter((name) => ![...known.columns, ...known.others, labelColumn].includes(name));
  if (unknown.length > 0) {
    throw new InvalidInputError(
      `The table has ${counted(unknown.length, 'column')} that the fit does not know: ${quoted(unknown)}. Leave ${unknown.length === 1 ? 'it' : 'them'} out with the option drop of readTable.`,
    );
  }
  const places = known.columns.map((name) => columns.indexOf(name));
  return inUnits(
    Matrix.zeros(observations.rows, places.length).map((_, i, j) => observations.at(i, places[j]!)),
    known,
  );
}

const normalizationOf = ({ rowSums, log1p }: NormalizedCounts = {}): string =>
  `${rowSums === undefined ? 'the sums of their file' : `sums of ${rowSums}`}${log1p ? ' and logarithms, log(1 + y)' : ''}`;

/** Observations in the units of the fitted table. */
function inUnits(Y: Matrix, { standardized: scales, columns }: FittedTable): Matrix {
  if (scales === undefined || Y.columns !== columns.length) return Y;
  return standardized(Y, {
    mean: Float64Array.from(scales.mean),
    deviation: Float64Array.from(scales.deviation),
  });
}

/** The first names in quotes, for a message. */
export const quoted = (names: readonly string[]): string =>
  `${names
    .slice(0, 8)
    .map((name) => `'${name}'`)
    .join(', ')}${names.length > 8 ? ', …' : ''}`;
