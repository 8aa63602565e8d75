import { InvalidInputError } from '../../core/errors.ts';
import { type KnownColumns, type NormalizedCounts, quoted } from '../../core/namedTable.ts';
import { checkGiven, checkOptions } from '../../core/options.ts';
import { counted } from '../../core/wording.ts';
import { chosenColumns, listed } from './chosenColumns.ts';
import { appearance } from './columnRoles.ts';
import { DAYS, seasonColumns, withSeasons } from './dates.ts';
import { cellsOf, type RawColumn, type RawTable, writtenColumn } from './rawTable.ts';
import { type Table, tableOf } from './table.ts';
import { readRawTable } from './tableFiles.ts';
import { type ReadTableOptions, tableOptions } from './tableOptions.ts';
import { withKnownCategories, withTruths } from './writtenValues.ts';

/**
 * Reads a table whose observations have the columns of an earlier one: by name, in the earlier order, or by position if one of the two files has no
 * names. Counts are normalized as in the earlier table. Ids come from the column that named the points of the earlier
 * table, if there is one.
 *
 * @throws InvalidInputError if a column is missing, or for a column of numbers that the earlier table did not have; otherwise like
 *   `readTable`
 */
export async function readMatchingTable(
  file: string,
  known: KnownColumns & { readonly idColumn?: string | undefined; readonly counts?: NormalizedCounts | undefined },
  asked: Omit<ReadTableOptions, 'columns' | 'oneHot' | keyof NormalizedCounts> = {},
): Promise<Table> {
  checkGiven(file, 'readMatchingTable', "a file's path, a text", (given) => typeof given === 'string');
  checkGiven(known, 'readMatchingTable', "a fit's `table`", (of) => Array.isArray(of?.columns));
  const given = checkOptions(tableOptions, asked, 'readMatchingTable') as ReadTableOptions;
  const beside = known.covariates ?? [];
  const { offset } = known;
  const wantedNames = [...known.columns, ...beside, ...(offset ? [offset.column] : [])];
  const written = withSeasons(withTruths(await readRawTable(file, given)), wantedNames);
  const raw = withKnownCategories(written, wantedNames, undefined, given.allowAbsent);
  const names = raw.columns.map(({ name }) => name);
  const isNamed = raw.columns.some((column) => column.isNamed);
  const { idColumn } = known;
  const hasIds = isNamed && given.id === undefined && idColumn !== undefined && names.includes(idColumn);
  const reading: ReadTableOptions = {
    ...given,
    ...known.counts,
    ...(known.covariates && { given: [...known.covariates] }),
    ...(offset && { [offset.isExposure ? 'exposure' : 'offset']: offset.column }),
  };
  checkCovariates(raw, beside);
  if (offset && !names.includes(offset.column)) {
    throw new InvalidInputError(
      `'${file}' lacks the ${offset.isExposure ? 'exposure' : 'offset'} of the fit, '${offset.column}'. ${listed(names)}`,
      { code: 'unknownName', subject: offset.column },
    );
  }
  const options = hasIds && given.labels !== idColumn ? { ...reading, id: idColumn } : reading;
  if (!known.isNamed || !isNamed) return byPlace(raw, known, options);
  const present = new Set(names);
  const missing = known.columns.filter((name) => !present.has(name));
  if (missing.length > 0 && (given.allowAbsent !== true || missing.length === known.columns.length)) {
    throw new InvalidInputError(
      `'${file}' lacks ${counted(missing.length, 'column')} of the fit: ${quoted(missing)}. ${listed(names)}${missing.length < known.columns.length ? ' If the model takes missing entries, `allowAbsent: true` reads them as missing.' : ''}`,
    );
  }
  const dropped =
    options.drop === undefined ? [] : chosenColumns(names, options.drop, 'drop', file).map((j) => names[j]!);
  const expected = new Set([...wantedNames, ...known.others, ...dropped, ...[options.labels, options.id].map(String)]);
  const unknown = raw.columns.filter(
    (column, j) => !expected.has(column.name) && appearance(column, j, raw.columns).kind === 'feature',
  );
  if (unknown.length > 0) {
    throw new InvalidInputError(
      `'${file}' has ${counted(unknown.length, 'column')} that the fit does not know: ${quoted(unknown.map(({ name }) => name))}. Leave ${unknown.length === 1 ? 'it' : 'them'} out with \`drop\`.`,
    );
  }
  checkUnits(raw, known);
  const absent = missing.map((name) => absentColumn(name, raw.rows, known));
  const whole = { ...raw, columns: [...raw.columns, ...absent] };
  const read = tableOf(whole, { ...options, columns: known.columns });
  const absentNote = `The table lacks ${counted(missing.length, 'column')} of the fit, which ${missing.length === 1 ? 'is' : 'are'} read as missing: ${quoted(missing)}.`;
  const table = missing.length === 0 ? read : { ...read, notes: [...read.notes, absentNote] };
  const inFile = new Map(raw.columns.map((column) => [column.name, writtenColumn(column)]));
  const wanted = new Set(known.columns.flatMap((name) => inFile.get(name) ?? []));
  const order = names.filter((name) => wanted.has(name));
  const isSwapped = [...wanted].some((name, j) => name !== order[j]);
  return isSwapped
    ? { ...table, notes: [...table.notes, 'The columns are put in the order of the fit, by their names.'] }
    : table;
}

/** @throws InvalidInputError for a covariate that the file lacks, and for a level of a category that was not fitted */
function checkCovariates({ columns, file, place }: RawTable, known: readonly string[]): void {
  const names = columns.map(({ name }) => name);
  const missing = known.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new InvalidInputError(
      `'${file}' lacks ${counted(missing.length, 'covariate')} of the fit: ${quoted(missing)}. ${listed(names)}`,
      { code: 'unknownName', subject: missing[0]! },
    );
  }
  const levels = columns.filter(({ name, level }) => level !== undefined && known.includes(name));
  for (const category of new Set(levels.map(({ level }) => level!.column))) {
    const own = levels.filter(({ level }) => level!.column === category);
    const row = own[0]!.numbers!.findIndex((_, i) => own.every(({ numbers }) => numbers![i] === 0));
    if (row < 0) continue;
    const { text, source } = columns.find(({ name }) => name === category)!;
    throw new InvalidInputError(
      `'${file}', ${place(row)}: '${category}' is '${text?.[row] ?? source?.(row)}', a level that was not fitted (${quoted(own.map(({ level }) => level!.category))}). Correct it, leave the row out, or fit again with rows of that level.`,
      { code: 'unknownName', subject: category },
    );
  }
}

/** Column that the file lacks; `kind=oil` is a level of `kind`, if the fitted table had a column of categories with this name. */
function absentColumn(name: string, rows: number, { others }: KnownColumns): RawColumn {
  const column = others.find((other) => name.startsWith(`${other}=`));
  return {
    ...{ name, isNamed: true, isAbsent: true, numbers: new Float64Array(rows).fill(Number.NaN) },
    ...(column !== undefined &&
      (seasonColumns(column).includes(name)
        ? { seasonOf: column }
        : { level: { column, category: name.slice(column.length + 1) } })),
  };
}

/** @throws InvalidInputError for a column that is in percent in one of the two tables only */
function checkUnits({ columns, file, place, missing }: RawTable, known: KnownColumns): void {
  const isKnown = new Set(known.columns);
  for (const column of columns) {
    const { name, unit, numbers } = column;
    if (!isKnown.has(name)) continue;
    const before = known.writtenUnits?.[name];
    if (before === DAYS && numbers?.some((value) => !Number.isNaN(value))) {
      throw new InvalidInputError(
        `Column '${name}' contained dates in the fitted table, but it contains numbers in '${file}'. Write dates, such as 2024-02-29.`,
      );
    }
    if (before === unit || ![before, unit].includes('%')) continue;
    const cells = cellsOf(column);
    const bare = cells.findIndex((cell) => !missing.isMissing(cell) && !cell.endsWith('%'));
    if (before === '%' && bare >= 0 && cells.some((cell) => cell.endsWith('%'))) {
      throw new InvalidInputError(
        `'${file}', ${place(bare)}, column '${name}' is '${cells[bare]!.slice(0, 40)}', without the % of its other cells and of the fitted table. Write it as percent, such as 12 %.`,
      );
    }
    const written = (each: string | undefined) => (each === undefined ? 'without a unit' : `in ${each}`);
    throw new InvalidInputError(
      `Column '${name}' was written ${written(before)} in the fitted table, but it is ${written(unit)} in '${file}', where a number means another amount. Write its cells ${before === '%' ? 'as percent, such as 12 %' : written(before)}.`,
    );
  }
}

function byPlace(raw: RawTable, { columns, others }: KnownColumns, options: ReadTableOptions): Table {
  const places = columns.map((name) => Number(/^column(\d+)$/.exec(name)?.[1]));
  const isWhole = raw.columns.length === columns.length + others.length && places.every((j) => j < raw.columns.length);
  const table = tableOf(raw, isWhole ? { ...options, columns: places } : options);
  if (table.columns.length !== columns.length) {
    throw new InvalidInputError(
      `'${raw.file}' has ${counted(table.columns.length, 'column')} of observations, but the fit has ${columns.length}. Choose with \`drop\`, or give both tables column names to match them by.`,
    );
  }
  return table;
}
