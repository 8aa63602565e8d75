import { InvalidInputError } from '../../core/errors.ts';
import { counted } from '../../core/wording.ts';
import type { MissingCodes } from './missingValues.ts';
import type { RawColumn, RawTable } from './rawTable.ts';

/** Numbers that the text of a column represents; undefined if a cell does not represent one, or all are missing. */
export function numbersIn(
  { text }: RawColumn,
  { isMissing: isAbsent }: MissingCodes,
  read: (cell: string) => number | undefined,
): Float64Array | undefined {
  if (text === undefined) return undefined;
  const numbers = new Float64Array(text.length);
  let held = 0;
  for (const [i, cell] of text.entries()) {
    const isMissing = isAbsent(cell);
    const value = isMissing ? Number.NaN : read(cell);
    if (value === undefined) return undefined;
    if (!isMissing) held++;
    numbers[i] = value;
  }
  return held === 0 ? undefined : numbers;
}

const truth = (cell: string): number | undefined => (/^true$/i.test(cell) ? 1 : /^false$/i.test(cell) ? 0 : undefined);

/** Words for the nearer one of 1 and 0, in capitals or small letters like another. */
const truthsLike =
  (word: string) =>
  (value: number): string => {
    const nearer = value >= 0.5 ? 'true' : 'false';
    if (word === word.toUpperCase()) return nearer.toUpperCase();
    return word[0] === word[0]!.toUpperCase() ? `${nearer[0]!.toUpperCase()}${nearer.slice(1)}` : nearer;
  };

/** True for the words true and false. */
export const isTruth = (cell: string): boolean => truth(cell) !== undefined;

/** Table with columns of true and false as 1 and 0; labels and ids stay text. */
export function withTruths(raw: RawTable): RawTable {
  const read: string[] = [];
  const columns = raw.columns.map((column): RawColumn => {
    const numbers = numbersIn(column, raw.missing, truth);
    if (numbers === undefined) return column;
    read.push(`'${column.name}'`);
    const { name, isNamed, text } = column;
    return { name, isNamed, numbers, source: (row) => text![row]!, write: truthsLike(text!.find(isTruth)!) };
  });
  if (read.length === 0) return raw;
  const some = read.length > 5 ? `${read.slice(0, 5).join(', ')}, …` : read.join(', ');
  const note = `${counted(read.length, 'column')} of true and false ${read.length === 1 ? 'is' : 'are'} read as 1 and 0: ${some}.`;
  return { ...raw, columns, notes: [...raw.notes, note] };
}

const categoryName = (column: string, category: string) => `${column}=${category}`;

/** Maximum number of categories of one column. */
const MOST_CATEGORIES = 1000;

/**
 * Table with each of these text columns replaced by columns of 0 and 1, one per category in alphabetical order, `kind=oil` for `kind`; NaN where
 * missing.
 *
 * @throws InvalidInputError for a column of numbers, or with too many categories
 */
export function withCategories(raw: RawTable, chosen: readonly number[]): RawTable {
  const columns = raw.columns.flatMap((column, j) => {
    if (!chosen.includes(j)) return [column];
    const { text, name, source, numbers } = column;
    const cells = text ?? (source === undefined ? undefined : Array.from(numbers!, (_, i) => source(i)));
    if (cells === undefined) {
      throw new InvalidInputError(
        `Column '${name}' of '${raw.file}' contains numbers, not categories. Use it as it is.`,
      );
    }
    const categories = [...new Set(cells.filter((cell) => !raw.missing.isMissing(cell)))].sort();
    if (categories.length > MOST_CATEGORIES) {
      throw new InvalidInputError(
        `Column '${name}' of '${raw.file}' contains ${categories.length} categories, more than ${MOST_CATEGORIES}. Leave it out, or join some.`,
      );
    }
    return [column, ...categories.map((category) => indicator(column, cells, category, raw.missing))];
  });
  return { ...raw, columns };
}

const indicator = (
  { name, isNamed }: RawColumn,
  cells: readonly string[],
  category: string,
  { isMissing }: MissingCodes,
): RawColumn => ({
  name: categoryName(name, category),
  isNamed,
  level: { column: name, category },
  source: (row) => (isMissing(cells[row]!) ? cells[row]! : String(Number(cells[row] === category))),
  numbers: Float64Array.from(cells, (cell) => (isMissing(cell) ? Number.NaN : Number(cell === category))),
});

/**
 * Table with the indicator columns of categories that a fit knows; unknown categories have all indicators 0, or are missing, which is noted.
 *
 * @param isCategory - true for the name of a column that may have such categories
 * @param isMissing - whether unknown categories are missing
 */
export function withKnownCategories(
  raw: RawTable,
  known: readonly string[],
  isCategory: (name: string) => boolean = () => true,
  isMissing = false,
): RawTable {
  const names = new Set(raw.columns.map(({ name }) => name));
  const notes: string[] = [];
  const added = raw.columns.flatMap((column) => {
    const { name, text, numbers, source } = column;
    const wanted = isCategory(name) ? known.filter((each) => each.startsWith(`${name}=`) && !names.has(each)) : [];
    const cells = text ?? (source === undefined ? undefined : Array.from(numbers!, (_, i) => source(i)));
    if (wanted.length === 0 || cells === undefined) return [];
    const isNew = (cell: string) => !raw.missing.isMissing(cell) && !known.includes(categoryName(name, cell));
    const row = cells.findIndex(isNew);
    if (row >= 0) {
      const count = cells.filter(isNew).length;
      notes.push(
        `'${name}' contains ${count === 1 ? 'a category without a column' : `${count} cells with categories without a column`}, such as '${cells[row]}' (${raw.place(row)}): ${count === 1 ? 'it ' : 'they '}${isMissing ? (count === 1 ? 'is read as missing' : 'are read as missing') : count === 1 ? 'has 0 in each column of a category' : 'have 0 in each column of a category'}.`,
      );
    }
    const read = isMissing ? cells.map((cell) => (isNew(cell) ? '' : cell)) : cells;
    return wanted.map((each) => indicator(column, read, each.slice(name.length + 1), raw.missing));
  });
  if (added.length === 0) return raw;
  return { ...raw, columns: [...raw.columns, ...added], notes: [...raw.notes, ...notes] };
}
