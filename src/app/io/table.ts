import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { GivenColumns, NamedTable } from '../../core/namedTable.ts';
import { counted } from '../../core/wording.ts';
import { chosenColumn, chosenColumns } from './chosenColumns.ts';
import { type Appearance, appearance, arrayAppearance, type LeftOut, namingColumn } from './columnRoles.ts';
import { type CompletedText, completionOf } from './completedText.ts';
import { datesIn, isDate, seasonColumns, withDays, withSeasons } from './dates.ts';
import { hasThousands, isInexact } from './numberStyle.ts';
import { cellsOf, type RawColumn, type RawTable, writtenColumn } from './rawTable.ts';
import { countsNote, normalized } from './standardization.ts';
import type { ReadTableOptions } from './tableOptions.ts';
import { beginsLikeNumber, remedyForWritten } from './writtenForms.ts';
import { withCategories, withKnownCategories, withTruths } from './writtenValues.ts';

/** Table of numbers with one point per row, and the names and roles of its columns. */
export interface Table extends NamedTable {
  /** D names; `column0`, `column1`, … by position in the file if it has none. */
  readonly columns: string[];
  /** True if the file names its columns. */
  readonly isNamed: boolean;
  /** N names of the points, if a column contains them. */
  readonly ids?: string[];
  /** N labels as in the file, '' where missing, if requested. */
  readonly labels?: string[];
  /** N values to color by: numbers, dates as days since 1970-01-01, or text; NaN and '' where missing; if requested. */
  readonly color?: Float64Array | string[];
  /** N×1 times of the rows: numbers, or dates as days since 1970-01-01; if requested. */
  readonly time?: Matrix;
  /** N weights of the rows, numbers from 0; if requested. */
  readonly weights?: Float64Array;
  /** Covariates of the rows, with a column of 0 and 1 for each level of a category; if requested. */
  readonly given?: GivenColumns;
  /** Offset of the rows; if requested. */
  readonly offset?: NonNullable<NamedTable['offset']>;
  /** Columns of the file without any of these roles, with reasons. */
  readonly leftOut: readonly LeftOut[];
  /** Notes about how the file was read. */
  readonly notes: readonly string[];
  /**
   * Text of the file's table with its missing entries filled in from `values`, N×D; if `keepCells` was set. Columns, order, names and observed cells
   * remain as they are, and columns that the file lacks follow. A missing category becomes the one with the largest value, unless categories that are
   * not observations have a larger share together. The delimiter is a tab for 'tsv', otherwise `,`, `;` or `|` as in the file; `;` with decimal commas.
   */
  readonly completedText?: CompletedText;
  /** Sequence of each row, from the column of the option `sequence`. */
  readonly sequence?: readonly string[];
}

/** Table of the chosen columns, or of all that look like observations. */
export function tableOf(given: RawTable, options: ReadTableOptions): Table {
  const truths = withTruths(given);
  const hot = hotColumns(truths, options);
  const isHot = new Set(hot.map((j) => given.columns[j]!.name));
  const named = namesIn([options.columns ?? [], options.given ?? []].flat());
  const raw = withKnownCategories(withSeasons(withCategories(truths, hot), named), named, (name) => isHot.has(name));
  const indicators = (j: number) => names.flatMap((name, k) => (name.startsWith(`${names[j]!}=`) ? [k] : []));
  const names = raw.columns.map(({ name }) => name);
  const chosen = (choice: string | number | undefined, purpose: string) =>
    choice === undefined || isOther(raw, choice) ? undefined : chosenColumn(names, choice, purpose, raw.file);
  const label = chosen(options.labels, 'the labels');
  const color = chosen(options.color, 'the colors');
  const time = chosen(options.time, 'the time');
  const sequence = chosen(options.sequence, 'the sequences');
  const weights = chosen(options.weights, 'the weights');
  const asked = chosen(options.id, 'the ids');
  const givenColumns = chosenColumns(names, options.given ?? [], 'the covariates', raw.file);
  const covariates = givenColumns.flatMap((j) => (isHot.has(names[j]!) ? indicators(j) : [j]));
  if (options.offset !== undefined && options.exposure !== undefined) {
    throw new InvalidInputError(
      'The offset is a column, or the logarithm of an exposure, but both were given. Leave one out.',
    );
  }
  const shift = chosen(
    options.offset ?? options.exposure,
    options.exposure === undefined ? 'the offset' : 'the exposure',
  );
  const beside = new Set([...givenColumns, ...covariates]);
  const byName = new Map(names.map((name, j) => [name, j]));
  const dropped = new Set(
    (options.drop === undefined ? [] : chosenColumns(names, options.drop, 'drop', raw.file)).flatMap((j) => [
      j,
      ...seasonColumns(names[j]!).flatMap((season) => byName.get(season) ?? []),
    ]),
  );
  const looks: Appearance[] = raw.columns.map(raw.isArray ? arrayAppearance : appearance);
  const index = namingColumn(
    looks,
    raw.columns,
    (j) => [label, sequence, weights, shift].includes(j) || beside.has(j) || dropped.has(j),
  );
  const id = asked ?? (index < 0 ? undefined : index);

  const isTaken = (j: number) =>
    [label, asked, time, sequence, weights, shift].includes(j) ||
    beside.has(j) ||
    dropped.has(j) ||
    isHot.has(names[j]!);
  const features =
    options.columns === undefined
      ? likelyFeatures(looks, raw.columns, isTaken)
      : chosenColumns(names, options.columns, 'the observations', raw.file)
          .flatMap((j) => (isHot.has(names[j]!) ? indicators(j) : [j]))
          .filter((j) => !isTaken(j));
  if (features.length === 0 && options.columns !== undefined) throw noneChosen(raw.file, options);
  if (features.length === 0) throw nothingLeft(raw, looks, label);
  const used = new Set(features);
  const roles = new Map([
    [weights, 'contains the weights of the rows'],
    [sequence, 'divides the rows into sequences'],
    [time, 'is the time'],
  ]);
  const fitted = new Set(features.map((j) => names[j]!));
  let before = 0;
  const positions = names.map((_, j) => (used.has(j) ? before++ : before));
  const ids = id === undefined || (asked === undefined && used.has(id)) ? undefined : id;
  const numbered = withDays(raw, features);
  const entries = entriesOf(numbered, features, options.allowMissing === true);
  const isNormalized = options.rowSums !== undefined || options.log1p === true;
  const place = (i: number, j: number) => `'${raw.file}', ${raw.place(i)}, column '${names[features[j]!]!}'`;
  const found = isNormalized ? normalized(entries, options, place) : undefined;
  const naming = idsOf(raw, ids, options.id);
  const outside = ids === undefined && naming.ids ? { name: naming.idColumn, values: naming.ids } : undefined;
  return {
    observations: found?.observations ?? entries,
    columns: features.map((j) => names[j]!),
    isNamed: raw.columns.some(({ isNamed }) => isNamed),
    ...naming,
    ...(options.labels === undefined ? {} : { labels: labelsOf(raw, label, options) }),
    ...(label === undefined ? {} : { labelColumn: names[label]! }),
    ...(options.color === undefined ? {} : { color: colorOf(raw, color, options.color) }),
    ...(options.time === undefined ? {} : { time: timeOf(raw, time, options.time) }),
    ...(options.weights === undefined ? {} : { weights: weightsOf(raw, weights, options.weights) }),
    ...(options.given === undefined ? {} : { given: covariatesOf(raw, covariates) }),
    ...(shift === undefined ? {} : { offset: offsetOf(raw, shift, options.exposure !== undefined) }),
    ...(options.sequence === undefined ? {} : { sequence: cellsOf(columnOrOther(raw, sequence, options.sequence)) }),
    leftOut: raw.columns.flatMap(({ name }, j) => {
      if (used.has(j) || j === label || (j === color && looks[j]!.kind !== 'feature')) return [];
      const { level } = raw.columns[j]!;
      if (covariates.includes(j) && level !== undefined) return [];
      if (beside.has(j)) return [{ column: name, reason: 'is a covariate' }];
      if (j === shift) return [{ column: name, reason: 'is the offset' }];
      if (isHot.has(name)) return [{ column: name, reason: 'is replaced by a column for each of its categories' }];
      if (j !== ids && seasonColumns(name).some((each) => fitted.has(each)))
        return [{ column: name, reason: 'is replaced by the cosine and sine of its season' }];
      const role = roles.get(j);
      const look: Appearance = role === undefined ? looks[j]! : { kind: 'text', reason: role };
      const constant = look.kind === 'constant' &&
        !isTaken(j) && { value: raw.columns[j]!.numbers![0]!, position: positions[j]! };
      const byDefault =
        !isTaken(j) &&
        ['index', 'constant'].includes(look.kind) &&
        isNumbers(raw.columns[j]!) &&
        ({ byDefault: true } as const);
      const reason = reasonOf(j, ids, look, dropped, asked);
      return [{ column: name, reason, ...byDefault, ...(constant && { constant }) }];
    }),
    notes: [
      ...numbered.notes,
      ...missingNotes(numbered, features),
      ...(label === undefined ? [] : missingLabels(raw, raw.columns[label]!)),
      ...(found === undefined ? [] : [countsNote(found.counts)]),
    ],
    ...(found && { counts: found.counts }),
    ...writtenUnits(numbered, features),
    ...(options.keepCells && { completedText: completionOf(numbered, features, entries, outside) }),
  };
}

/** Names in a choice of columns. */
const namesIn = (choice: ReadTableOptions['columns']): string[] =>
  [choice ?? []].flat().flatMap((part) => [
    String(part),
    ...String(part)
      .split(',')
      .map((name) => name.trim()),
  ]);

/** Maximum number of levels of a text column that is encoded by default, and the minimum number of rows per level on average. */
const MOST_LEVELS = 20;
const ROWS_PER_LEVEL = 3;

/** Indices of the columns to be encoded by category. */
function hotColumns(raw: RawTable, { oneHot, categories, given, ...options }: ReadTableOptions): readonly number[] {
  const { columns, file, missing } = raw;
  const names = columns.map(({ name }) => name);
  const { labels, id, color, time, sequence, weights, drop } = options;
  const dropped = drop === undefined ? [] : chosenColumns(names, drop, 'drop', file);
  const chosen = oneHot === undefined ? [] : chosenColumns(names, oneHot, 'the categories', file);
  const covariates = namesIn(given);
  const beside = columns.flatMap((column, j) =>
    covariates.includes(column.name) && column.text !== undefined && !appearanceIsOfDates(column, j, columns)
      ? [j]
      : [],
  );
  const asked = [...new Set([...chosen, ...beside])].filter((j) => !dropped.includes(j));
  if (categories === undefined) return asked;
  const others = [labels, id, color, time, sequence, weights].filter((one) => one !== undefined && !isOther(raw, one));
  const taken = new Set([...asked, ...others.map((one) => chosenColumn(names, one!, 'its role', file)), ...dropped]);
  const isCategory = (column: RawColumn, j: number) => {
    if (taken.has(j) || column.text === undefined) return false;
    const present = column.text.filter((cell) => !missing.isMissing(cell));
    const levels = new Set(present);
    const areFew = levels.size >= 2 && levels.size <= MOST_LEVELS && present.length >= ROWS_PER_LEVEL * levels.size;
    const look = appearance(column, j, columns);
    return areFew && look.kind === 'text' && !look.isOfDates && ![...levels].some(beginsLikeNumber);
  };
  return columns.flatMap((column, j) => (asked.includes(j) || isCategory(column, j) ? [j] : []));
}

function writtenUnits({ columns }: RawTable, features: readonly number[]): Pick<Table, 'writtenUnits'> {
  const units = features.flatMap((j) => (columns[j]!.unit === undefined ? [] : [[columns[j]!.name, columns[j]!.unit]]));
  return units.length === 0 ? {} : { writtenUnits: Object.fromEntries(units) };
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
    `No column of '${file}' is left of those that are chosen, '${chosen}' (\`columns\`): all of them are ${why}. Choose others${drop === undefined ? '' : ', or drop fewer (`drop`)'}.`,
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
  const cells = index === undefined ? [...raw.others![String(options.labels)]!] : cellsOf(raw.columns[index]!);
  return cells.map(presentText(raw));
}

/** Most places of rows without values that a note lists. */
const MOST_PLACES = 3;

/** Notes on the number of missing cells in the columns of the observations, and their contents; a category is one column. */
function missingNotes(raw: RawTable, features: readonly number[]): string[] {
  const columns = new Map(
    features.map((j) => {
      const column = raw.columns[j]!;
      return [writtenColumn(column), column];
    }),
  );
  const cells = Array.from(columns.values(), ({ numbers, text, source, read }) => {
    if (text !== undefined) return text.filter((cell) => cell === '' || Number.isNaN(read?.(cell)));
    return Array.from(numbers!.keys())
      .filter((i) => Number.isNaN(numbers![i]))
      .map((i) => source?.(i) ?? '');
  }).flat();
  if (cells.length === 0) return [];
  const all = raw.rows * columns.size;
  const isEmpty = (i: number) => [...columns.values()].every((column) => isMissingAt(column, i));
  const empty = Array.from({ length: raw.rows }, (_, i) => i).filter(isEmpty);
  const places = [
    ...empty.slice(0, MOST_PLACES).map((i) => raw.place(i)),
    ...(empty.length > MOST_PLACES ? ['…'] : []),
  ];
  const lines = columns.size < 2 || empty.length === 0 ? '' : `, among them all of ${places.join(', ')}`;
  return [`${cells.length} of ${all} entries ${cells.length === 1 ? 'is' : 'are'} missing${holding(cells)}${lines}.`];
}

const isMissingAt = ({ numbers, text, read }: RawColumn, i: number): boolean =>
  text === undefined ? Number.isNaN(numbers![i]) : text[i] === '' || Number.isNaN(read?.(text[i]!));

function missingLabels(raw: RawTable, column: RawColumn): string[] {
  const cells = cellsOf(column).filter((cell) => raw.missing.isMissing(cell.trim()));
  if (cells.length === 0) return [];
  const keep = cells.some((cell) => cell.trim() !== '') ? ' (`missingValues: []` takes all texts for labels)' : '';
  return [
    `${counted(cells.length, 'label')} of '${column.name}' ${cells.length === 1 ? 'is' : 'are'} missing${holding(cells)}${keep}.`,
  ];
}

/** Contents of missing cells in words, except empty ones. */
function holding(cells: readonly string[]): string {
  const kinds = [...new Set(cells)].filter((cell) => cell.trim() !== '');
  if (kinds.length === 0) return '';
  const listed = kinds.slice(0, 4).map((cell) => `'${cell}'`);
  return `: ${[...listed, ...(kinds.length > 4 ? ['…'] : [])].join(', ')}`;
}

/** Text of a cell, '' if it is missing. */
const presentText =
  ({ missing }: RawTable) =>
  (cell: string): string =>
    missing.isMissing(cell.trim()) ? '' : cell;

function colorOf(raw: RawTable, index: number | undefined, asked: string | number): Float64Array | string[] {
  const column = columnOrOther(raw, index, asked);
  return numbersOf(raw, column, index) ?? cellsOf(column).map(presentText(raw));
}

const columnOrOther = (raw: RawTable, index: number | undefined, asked: string | number): RawColumn =>
  index === undefined ? { name: String(asked), isNamed: true, text: raw.others![String(asked)]! } : raw.columns[index]!;

/** Numbers of a column of numbers or dates, or of a separate array; undefined for other text. */
function numbersOf(raw: RawTable, column: RawColumn, index: number | undefined): Float64Array | undefined {
  const found = column.numbers ?? datesIn(column, raw.missing);
  if (found !== undefined) return found.slice();
  const numbers = index === undefined ? column.text!.map(Number) : [Number.NaN];
  return numbers.every(Number.isFinite) ? Float64Array.from(numbers) : undefined;
}

const appearanceIsOfDates = (...of: Parameters<typeof appearance>): boolean => {
  const look = appearance(...of);
  return look.kind !== 'feature' && look.isOfDates === true;
};

/** @throws InvalidInputError for a covariate that is missing or not a number */
function covariatesOf(raw: RawTable, places: readonly number[]): GivenColumns {
  const all = places.map((j) => {
    const column = raw.columns[j]!;
    const numbers = numbersOf(raw, column, j) ?? Float64Array.from(column.text!, (cell) => column.read?.(cell) ?? NaN);
    const wrong = numbers.findIndex((entry) => !Number.isFinite(entry));
    if (wrong < 0) return numbers;
    const name = column.level?.column ?? column.name;
    throw new InvalidInputError(
      `${placeOf(raw, wrong, name)} is ${quotedCell(cellsOf(column)[wrong]!)}, but covariates are needed in each row. Correct it, or remove the row.`,
      { code: 'missingEntry', subject: name },
    );
  });
  return {
    columns: places.map((j) => raw.columns[j]!.name),
    rows: Matrix.zeros(raw.rows, all.length).map((_, i, j) => all[j]![i]!),
  };
}

/** @throws InvalidInputError for an offset that is missing or no number, and an exposure that is not above 0 */
function offsetOf(raw: RawTable, index: number, isExposure: boolean): NonNullable<Table['offset']> {
  const column = raw.columns[index]!;
  const numbers =
    numbersOf(raw, column, index) ?? Float64Array.from(column.text!, (cell) => column.read?.(cell) ?? NaN);
  const wrong = numbers.findIndex((entry) => !(Number.isFinite(entry) && (entry > 0 || !isExposure)));
  if (wrong < 0) {
    const rows = Matrix.zeros(raw.rows, 1).map((_, i) => (isExposure ? log(numbers[i]!) : numbers[i]!));
    return { column: column.name, isExposure, rows };
  }
  throw new InvalidInputError(
    `${placeOf(raw, wrong, column.name)} is ${quotedCell(cellsOf(column)[wrong]!)}, but ${isExposure ? 'exposures are numbers above 0' : 'offsets are numbers'}, one in each row. Correct it, or remove the row.`,
    { code: 'missingEntry', subject: column.name },
  );
}

/** @throws InvalidInputError for a weight that is missing, below 0 or no number */
function weightsOf(raw: RawTable, index: number | undefined, asked: string | number): Float64Array {
  const column = columnOrOther(raw, index, asked);
  const weights =
    column.numbers?.slice() ??
    Float64Array.from(column.text!, (cell) =>
      index === undefined ? Number(cell || NaN) : (column.read?.(cell) ?? NaN),
    );
  const wrong = weights.findIndex((weight) => !(weight >= 0 && Number.isFinite(weight)));
  if (wrong < 0) return weights;
  throw new InvalidInputError(
    `${placeOf(raw, wrong, column.name)} is ${quotedCell(cellsOf(column)[wrong]!)}, but weights of rows are numbers from 0, one in each row. Correct it, or remove the row.`,
  );
}

/** @throws InvalidInputError for a missing time, or one that is neither a number nor a date */
function timeOf(raw: RawTable, index: number | undefined, asked: string | number): Matrix {
  const column = columnOrOther(raw, index, asked);
  const times = numbersOf(raw, column, index)?.map((value) => (column.isSeconds ? value / DAY : value));
  const cells = () => cellsOf(column);
  const wrong = times === undefined ? cells().findIndex((cell) => !isDate(cell)) : times.findIndex(Number.isNaN);
  if (times !== undefined && wrong < 0) return new Matrix(times, times.length, 1);
  const row = Math.max(0, wrong);
  const cell = cells()[row]!;
  const expected = isInexact(cell)
    ? 'numbers that a double can represent. Subtract a common start from them, or write dates such as 2024-02-29T12:00.'
    : 'numbers, or dates such as 2024-02-29 or 2024-02-29T12:00, one in each row.';
  throw new InvalidInputError(
    `'${raw.file}', ${raw.place(row)}, column '${column.name}' is ${quotedCell(cell)}, but times are expected: ${expected}`,
  );
}

/** Seconds of a day. */
const DAY = 86_400;

const quotedCell = (cell: string) => (cell === '' ? 'empty' : `'${cell.slice(0, 40)}'`);

/**
 * Numbers of the selected columns, N×D, in the requested order.
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
  const { text, source, name } = column;
  const numbers = column.numbers ?? Float64Array.from(text!, (cell, i) => numberIn(raw, i, column, cell));
  const wrong = numbers.findIndex((value) => !Number.isFinite(value) && !(allowMissing && Number.isNaN(value)));
  if (wrong < 0) return numbers;
  const place = placeOf(raw, wrong, name);
  const cell = text?.[wrong] ?? source?.(wrong) ?? String(numbers[wrong]);
  if (Number.isNaN(numbers[wrong])) {
    throw new InvalidInputError(
      `${place} is ${cell === '' ? 'empty' : `'${cell}'`}. Fill it in, drop its row, or allow missing values: \`allowMissing: true\`.`,
      { code: 'missingEntry' },
    );
  }
  throw new InvalidInputError(
    `${place} contains '${cell}', which is not a finite number. Correct it, or drop the column.`,
  );
}

function numberIn(raw: RawTable, row: number, { name, read, text }: RawColumn, cell: string): number {
  const value = read?.(cell) ?? (cell === '' ? Number.NaN : undefined);
  if (value !== undefined) return value;
  throw new InvalidInputError(
    `${placeOf(raw, row, name)} contains '${cell}', which is not a finite number. ${remedyFor(cell, row, text!.indexOf(cell, row + 1) >= 0)}`,
  );
}

function remedyFor(cell: string, row: number, isRepeated: boolean): string {
  if (hasThousands(cell)) return "Set the thousands separator: `thousands: ','`.";
  if (/^[+-]?\d+[.,]\d+$/.test(cell)) {
    return `Numbers of this table are read with a decimal ${cell.includes('.') ? 'comma' : 'point'}: write all with the same one.`;
  }
  const written = remedyForWritten(cell);
  if (written !== undefined) {
    const sentence = `${written[0]!.toUpperCase()}${written.slice(1)}`;
    return `${sentence}. Or leave the column out with \`drop\`.`;
  }
  if (isRepeated || !/[\p{L}\d]/u.test(cell)) {
    return `If it marks a missing value, set \`missingValues: ['${cell}']\`. Otherwise correct it, or drop the column.`;
  }
  return row === 0
    ? 'If this line contains names or units, remove it. Otherwise correct it, drop the column, or name it as the labels.'
    : 'Correct it, remove its line, drop the column, or name it as the labels.';
}

const placeOf = (raw: RawTable, row: number, name: string) => `'${raw.file}', ${raw.place(row)}, column '${name}'`;
