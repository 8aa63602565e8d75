import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { NormalizedCounts } from '../../core/namedTable.ts';
import { chosenColumn, chosenColumns } from './chosenColumns.ts';
import { type Appearance, appearance, arrayAppearance, type LeftOut, namingColumn } from './columnRoles.ts';
import { countsNote, normalized } from './normalizeCounts.ts';
import { cellsOf, type RawColumn, type RawTable } from './rawTable.ts';
import type { ReadTableOptions } from './tableOptions.ts';
import { hasThousands, presentLabel, remedyForWritten } from './tableText.ts';
import { datesIn, isDate, withCategories, withTruths } from './writtenValues.ts';

/** A table of numbers, one point per row, with the names and roles of its columns. */
export interface Table {
  /** N×D; NaN where missing. */
  readonly observations: Matrix;
  /** D names; `column0`, `column1`, … by position in the file if it has none. */
  readonly columns: string[];
  /** True if the file names its columns. */
  readonly isNamed: boolean;
  /** N names of the points, if a column holds them. */
  readonly ids?: string[];
  /** Name of the column with the ids. */
  readonly idColumn?: string;
  /** Name of the column with the labels. */
  readonly labelColumn?: string;
  /** N labels as in the file, '' where missing, if requested. */
  readonly labels?: string[];
  /** N values to color by: numbers, dates as days since 1970-01-01, or text; NaN and '' where missing; if requested. */
  readonly color?: Float64Array | string[];
  /** N×1 times of the rows: numbers, or dates as days since 1970-01-01; if requested. */
  readonly time?: Matrix;
  /** Columns of the file that are none of the above, with reasons. */
  readonly leftOut: readonly LeftOut[];
  /** Notes about how the file was read. */
  readonly notes: readonly string[];
  /** How the observations were normalized, if `rowSums` or `log1p` was given. */
  readonly counts?: NormalizedCounts;
}

/** The table of the chosen columns, or of those that look like observations. */
export function tableOf(given: RawTable, options: ReadTableOptions): Table {
  const truths = withTruths(given);
  const hot = hotColumns(truths, options);
  const raw = withCategories(truths, hot);
  const isHot = new Set(hot.map((j) => given.columns[j]!.name));
  const indicators = (j: number) => names.flatMap((name, k) => (name.startsWith(`${names[j]!}=`) ? [k] : []));
  const names = raw.columns.map(({ name }) => name);
  const chosen = (choice: string | number | undefined, purpose: string) =>
    choice === undefined || isOther(raw, choice) ? undefined : chosenColumn(names, choice, purpose, raw.file);
  const label = chosen(options.labels, 'the labels');
  const color = chosen(options.color, 'the colors');
  const time = chosen(options.time, 'the time');
  const asked = chosen(options.id, 'the ids');
  const dropped = new Set(options.drop === undefined ? [] : chosenColumns(names, options.drop, 'drop', raw.file));
  const looks: Appearance[] = raw.columns.map(raw.isArray ? arrayAppearance : appearance);
  const index = namingColumn(looks, raw.columns, (j) => j === label || dropped.has(j));
  const id = asked ?? (index < 0 ? undefined : index);

  const isTaken = (j: number) => [label, asked, time].includes(j) || dropped.has(j) || isHot.has(names[j]!);
  const features =
    options.columns === undefined
      ? likelyFeatures(looks, raw.columns, isTaken)
      : chosenColumns(names, options.columns, 'the observations', raw.file)
          .flatMap((j) => (isHot.has(names[j]!) ? indicators(j) : [j]))
          .filter((j) => !isTaken(j));
  if (features.length === 0 && options.columns !== undefined) throw noneChosen(raw.file, options);
  if (features.length === 0) throw nothingLeft(raw, looks, label);
  const used = new Set(features);
  const ids = id === undefined || (asked === undefined && used.has(id)) ? undefined : id;
  const entries = entriesOf(raw, features, options.allowMissing === true);
  const isNormalized = options.rowSums !== undefined || options.log1p === true;
  const place = (i: number, j: number) => `'${raw.file}', ${raw.place(i)}, column '${names[features[j]!]!}'`;
  const found = isNormalized ? normalized(entries, options, place) : undefined;
  return {
    observations: found?.observations ?? entries,
    columns: features.map((j) => names[j]!),
    isNamed: raw.columns.some(({ isNamed }) => isNamed),
    ...idsOf(raw, ids, options.id),
    ...(options.labels === undefined ? {} : { labels: labelsOf(raw, label, options) }),
    ...(label === undefined ? {} : { labelColumn: names[label]! }),
    ...(options.color === undefined ? {} : { color: colorOf(raw, color, options.color) }),
    ...(options.time === undefined ? {} : { time: timeOf(raw, time, options.time) }),
    leftOut: raw.columns.flatMap(({ name }, j) => {
      if (used.has(j) || j === label || (j === color && looks[j]!.kind !== 'feature')) return [];
      if (isHot.has(name)) return [{ column: name, reason: 'is read as its categories' }];
      const look: Appearance = j === time ? { kind: 'text', reason: 'is the time' } : looks[j]!;
      const constant = look.kind === 'constant' &&
        !isTaken(j) && { value: raw.columns[j]!.numbers![0]!, position: features.filter((k) => k < j).length };
      const byDefault =
        !isTaken(j) &&
        ['index', 'constant'].includes(look.kind) &&
        isNumbers(raw.columns[j]!) &&
        ({ byDefault: true } as const);
      const reason = reasonOf(j, ids, look, dropped, asked);
      return [{ column: name, reason, ...byDefault, ...(constant && { constant }) }];
    }),
    notes: found === undefined ? raw.notes : [...raw.notes, countsNote(found.counts)],
    ...(found && { counts: found.counts }),
  };
}

/** Indices of the columns to be encoded by category. */
function hotColumns({ columns, file }: RawTable, { oneHot }: ReadTableOptions): readonly number[] {
  const names = columns.map(({ name }) => name);
  return oneHot === undefined ? [] : chosenColumns(names, oneHot, 'the categories', file);
}

const isOther = (raw: RawTable, choice: string | number) =>
  raw.others !== undefined && Object.hasOwn(raw.others, String(choice));

/** Columns that look like observations; if there are none, those that look like an index, or else constant ones. */
function likelyFeatures(
  looks: readonly Appearance[],
  columns: readonly RawColumn[],
  isTaken: (j: number) => boolean,
): number[] {
  for (const kind of ['feature', 'index', 'constant'] as const) {
    const found = looks.flatMap((look, j) =>
      look.kind === kind && (kind === 'feature' || isNumbers(columns[j]!)) && !isTaken(j) ? [j] : [],
    );
    if (found.length > 0) return found;
  }
  return [];
}

const isNumbers = ({ numbers }: RawColumn) => numbers !== undefined;

function reasonOf(
  j: number,
  ids: number | undefined,
  look: Appearance,
  dropped: ReadonlySet<number>,
  asked: number | undefined,
): string {
  if (j === asked) return 'names the points';
  if (dropped.has(j)) return 'is dropped';
  const reason = look.kind === 'feature' ? 'is not chosen' : look.reason;
  return j === ids ? `${reason}: it names the points` : reason;
}

/** Error for chosen columns that all have another role. */
function noneChosen(file: string, { columns, drop }: ReadTableOptions): InvalidInputError {
  const chosen = typeof columns === 'object' ? columns.join(', ') : columns;
  const why = drop === undefined ? 'the labels or the ids' : 'dropped, or the labels or the ids';
  return new InvalidInputError(
    `No column of '${file}' is left of those that are chosen, '${chosen}' (--columns): all of them are ${why}. Choose others${drop === undefined ? '' : ', or drop fewer (--drop)'}.`,
  );
}

function nothingLeft(raw: RawTable, looks: readonly Appearance[], label: number | undefined): InvalidInputError {
  const reasons = raw.columns.flatMap(({ name }, j) => {
    const look = looks[j]!;
    return j === label || look.kind === 'feature' ? [] : [`'${name}' ${look.reason}`];
  });
  const why = reasons.length === 0 ? '' : ` ${reasons.slice(0, 5).join('; ')}${reasons.length > 5 ? '; …' : ''}.`;
  const labels = label === undefined ? '' : ` but the labels '${raw.columns[label]!.name}'`;
  return new InvalidInputError(`'${raw.file}' has no column of numbers${labels}: there are no data.${why}`);
}

function idsOf(raw: RawTable, index: number | undefined, asked: string | number | undefined) {
  if (asked !== undefined && index === undefined)
    return { ids: [...raw.others![String(asked)]!], idColumn: String(asked) };
  if (index === undefined) return raw.ids === undefined ? {} : { ids: [...raw.ids.values], idColumn: raw.ids.name };
  const column = raw.columns[index]!;
  return { ids: cellsOf(column), idColumn: column.isNamed ? column.name : 'id' };
}

function labelsOf(raw: RawTable, index: number | undefined, options: ReadTableOptions): string[] {
  const { labels, allowMissing, allowMissingLabels = allowMissing } = options;
  const cells = (index === undefined ? [...raw.others![String(labels)]!] : cellsOf(raw.columns[index]!)).map(
    presentLabel,
  );
  const absent = cells.indexOf('');
  if (absent < 0 || allowMissingLabels) return cells;
  const name = index === undefined ? String(labels) : raw.columns[index]!.name;
  throw new InvalidInputError(
    `'${raw.file}', ${raw.place(absent)}, column '${name}' is empty. Fill this label in, or drop its row.`,
  );
}

function colorOf(raw: RawTable, index: number | undefined, asked: string | number): Float64Array | string[] {
  const column = columnOrOther(raw, index, asked);
  return numbersOf(column, index) ?? cellsOf(column).map(presentLabel);
}

const columnOrOther = (raw: RawTable, index: number | undefined, asked: string | number): RawColumn =>
  index === undefined ? { name: String(asked), isNamed: true, text: raw.others![String(asked)]! } : raw.columns[index]!;

/** Numbers of a column of numbers or dates, or of an array beside the table; undefined for other text. */
function numbersOf(column: RawColumn, index: number | undefined): Float64Array | undefined {
  const found = column.numbers ?? datesIn(column);
  if (found !== undefined) return found.slice();
  const numbers = index === undefined ? column.text!.map(Number) : [Number.NaN];
  return numbers.every(Number.isFinite) ? Float64Array.from(numbers) : undefined;
}

/** @throws InvalidInputError for a time that is missing, or neither a number nor a date */
function timeOf(raw: RawTable, index: number | undefined, asked: string | number): Matrix {
  const column = columnOrOther(raw, index, asked);
  const times = numbersOf(column, index);
  const cells = () => cellsOf(column);
  const wrong = times === undefined ? cells().findIndex((cell) => !isDate(cell)) : times.findIndex(Number.isNaN);
  if (times !== undefined && wrong < 0) return new Matrix(times, times.length, 1);
  throw new InvalidInputError(
    `'${raw.file}', ${raw.place(Math.max(0, wrong))}, column '${column.name}' is ${quotedCell(cells()[Math.max(0, wrong)]!)}, but it is to hold times: ` +
      'numbers, or dates such as 2024-02-29 or 2024-02-29T12:00, one in each row.',
  );
}

const quotedCell = (cell: string) => (cell === '' ? 'empty' : `'${cell.slice(0, 40)}'`);

/**
 * The numbers of some columns, N×D, in the given order.
 *
 * @throws InvalidInputError for a cell that is text, infinite or, unless allowed, missing, with its position
 */
function entriesOf(raw: RawTable, columns: readonly number[], allowMissing: boolean): Matrix {
  const matrix = Matrix.zeros(raw.rows, columns.length);
  columns.forEach((column, j) => {
    const values = finiteNumbersOf(raw, raw.columns[column]!, allowMissing);
    for (let i = 0; i < raw.rows; i++) matrix.data[i * columns.length + j] = values[i]!;
  });
  return matrix;
}

function finiteNumbersOf(raw: RawTable, column: RawColumn, allowMissing: boolean): Float64Array {
  const { text, read, source, name } = column;
  const numbers = column.numbers ?? Float64Array.from(text!, (cell, i) => numberIn(raw, i, name, cell, read));
  const wrong = numbers.findIndex((value) => !Number.isFinite(value) && !(allowMissing && Number.isNaN(value)));
  if (wrong < 0) return numbers;
  const place = placeOf(raw, wrong, name);
  const cell = text?.[wrong] ?? source?.(wrong) ?? String(numbers[wrong]);
  if (Number.isNaN(numbers[wrong])) {
    throw new InvalidInputError(
      `${place} is ${cell === '' ? 'empty' : `'${cell}'`}. Fill it in, drop its row, or allow missing values (allowMissing).`,
      { code: 'missingEntry' },
    );
  }
  throw new InvalidInputError(
    `${place} holds '${cell}', which is not a finite number. Correct it, or drop the column.`,
  );
}

function numberIn(raw: RawTable, row: number, name: string, cell: string, read: RawColumn['read']): number {
  const value = read?.(cell) ?? (cell === '' ? Number.NaN : undefined);
  if (value !== undefined) return value;
  throw new InvalidInputError(
    `${placeOf(raw, row, name)} holds '${cell}', which is not a finite number. ${remedyFor(cell, row)}`,
  );
}

function remedyFor(cell: string, row: number): string {
  if (hasThousands(cell)) return 'Say how thousands are written: thousands (--thousands ,).';
  if (/^[+-]?\d+[.,]\d+$/.test(cell)) {
    return `Numbers of this table are read with a decimal ${cell.includes('.') ? 'comma' : 'point'}: write all with the same one.`;
  }
  const written = remedyForWritten(cell);
  if (written !== undefined) return `Such cells are numbers as people write them: ${written}.`;
  return row === 0
    ? 'If this line holds names or units, remove it. Otherwise correct it, drop the column, or name it as the labels.'
    : 'Correct it, remove its line, drop the column, or name it as the labels.';
}

const placeOf = (raw: RawTable, row: number, name: string) => `'${raw.file}', ${raw.place(row)}, column '${name}'`;
