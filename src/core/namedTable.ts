import { counted } from './counted.ts';
import { InvalidInputError } from './errors.ts';
import { describe, Matrix, type MatrixLike } from './matrix.ts';
import { standardized } from './observations.ts';

/** What was done to a table of counts: see `normaliseCounts` of `latentfield/io`. */
export interface NormalisedCounts {
  /** What each row was scaled to sum to. */
  readonly rowSums?: number;
  /** Whether entries are log(1 + y). */
  readonly log1p?: boolean;
}

/** A table of observations with the names of its columns, such as `readTable` returns. */
export interface NamedTable {
  /** N×D */
  readonly observations: Matrix;
  /** D names. */
  readonly columns: readonly string[];
  /** Whether they are names, rather than places in a file without any; true unless given. */
  readonly isNamed?: boolean;
  /** N names of the points. */
  readonly ids?: readonly string[];
  /** The column of the ids. */
  readonly idColumn?: string;
  /** The column of the labels. */
  readonly labelColumn?: string;
  /** N labels of the points, '' where missing. */
  readonly labels?: readonly string[];
  /** Columns that are none of the observations. */
  readonly leftOut?: readonly { readonly column: string }[];
  /** How its rows were normalised, if they were. */
  readonly counts?: NormalisedCounts;
}

/** What is known of the columns of a table. */
export interface KnownColumns {
  /** Those of its observations, in order. */
  readonly columns: readonly string[];
  /** Whether its file named them. */
  readonly isNamed: boolean;
  /** The other columns of its file. */
  readonly others: readonly string[];
}

/** What a fit remembers of the table that was fitted. */
export interface FittedTable extends KnownColumns {
  readonly idColumn?: string | undefined;
  /** N names of the points. */
  readonly ids?: readonly string[] | undefined;
  readonly labelColumn?: string | undefined;
  /** N labels of the points, '' where missing. */
  readonly labels?: readonly string[] | undefined;
  /** How rows of counts were normalised; `readMatchingTable` does the same to other tables. */
  readonly counts?: NormalisedCounts | undefined;
  /**
   * What columns were divided by after their means were subtracted, by `fit --standardise` of the command line. Tables are then standardised as they are
   * matched; predictions are in the units that were fitted, which `standardise(table.standardised).undo(mean)` undoes.
   */
  readonly standardised?: { readonly mean: readonly number[]; readonly deviation: readonly number[] } | undefined;
}

/** Observations, or a table of them. */
export type ObservationsLike = MatrixLike | NamedTable;

export const isTable = (value: unknown): value is NamedTable =>
  typeof value === 'object' && value !== null && 'observations' in value && 'columns' in value;

/** What a fit keeps of a table. */
export function rememberedTable(table: NamedTable): FittedTable {
  const { columns, isNamed = true, ids, idColumn, labelColumn, labels, leftOut = [], counts } = checkTable(table);
  const others = leftOut.map(({ column }) => column);
  return {
    columns: [...columns],
    isNamed,
    others: labelColumn === undefined || others.includes(labelColumn) ? others : [...others, labelColumn],
    ...(ids !== undefined && { ids: [...ids], idColumn }),
    ...(labelColumn !== undefined && { labelColumn }),
    ...(labels !== undefined && { labels: [...labels] }),
    ...(counts !== undefined && { counts: { ...counts } }),
  };
}

function checkTable(table: NamedTable): NamedTable {
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
 * The observations of a table in the order of the columns that are known, by their names; of anything else, itself.
 *
 * @throws InvalidInputError when a column is missing, one is there that is not known, or nothing is known of columns
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
      `The rows of the fit have ${saidOf(known.counts)}, those of the table ${saidOf(given.counts)}. Read it with readMatchingTable(file, fit.table).`,
    );
  }
  if (!known.isNamed || !isNamed) return inUnits(observations, known);
  const missing = known.columns.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw new InvalidInputError(
      `The table lacks ${counted(missing.length, 'column')} of the fit: ${quoted(missing)}. Read it with readMatchingTable(file, fit.table), which leaves none of them out.`,
    );
  }
  const unknown = columns.filter((name) => ![...known.columns, ...known.others, labelColumn].includes(name));
  if (unknown.length > 0) {
    throw new InvalidInputError(
      `The table has ${counted(unknown.length, 'column')} that the fit does not know: ${quoted(unknown)}. Leave ${unknown.length === 1 ? 'it' : 'them'} out with the option drop of readTable.`,
    );
  }
  const places = known.columns.map((name) => columns.indexOf(name));
  const matched = Matrix.zeros(observations.rows, places.length);
  for (let i = 0; i < observations.rows; i++) {
    places.forEach((place, j) => {
      matched.data[i * places.length + j] = observations.at(i, place);
    });
  }
  return inUnits(matched, known);
}

const saidOf = ({ rowSums, log1p }: NormalisedCounts = {}): string =>
  `${rowSums === undefined ? 'the sums of their file' : `sums of ${rowSums}`}${log1p ? ' and logarithms, log(1 + y)' : ''}`;

/** Observations in the units that were fitted. */
function inUnits(Y: Matrix, { standardised, columns }: FittedTable): Matrix {
  if (standardised === undefined || Y.columns !== columns.length) return Y;
  return standardized(Y, {
    mean: Float64Array.from(standardised.mean),
    deviation: Float64Array.from(standardised.deviation),
  });
}

/** Some names, for a message. */
export const quoted = (names: readonly string[]): string =>
  `${names
    .slice(0, 8)
    .map((name) => `'${name}'`)
    .join(', ')}${names.length > 8 ? ', …' : ''}`;
