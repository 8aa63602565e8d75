import { counted } from '../../core/wording.ts';
import { type MissingCodes, type MissingValues, missingCodes } from './missingValues.ts';

/** Column as in its file: numbers, or text that may contain numbers. */
export interface RawColumn {
  readonly name: string;
  /** True if the file names the column. */
  readonly isNamed: boolean;
  /** Numbers, NaN where missing; ±Infinity if the file contains it or a number exceeds the largest double. */
  readonly numbers?: Float64Array;
  /** Text of columns that are not entirely numbers. */
  readonly text?: readonly string[];
  /** Reads a cell of `text` as a number: NaN if it is missing, undefined if it is text. */
  readonly read?: (cell: string) => number | undefined;
  /** True for durations and clock times in seconds; as times of rows they are converted to days. */
  readonly isSeconds?: true;
  /** Unit in all cells, such as '%'. */
  readonly unit?: string;
  /** Content of columns of lists and records (as JSON in `text`), as the end of a sentence. */
  readonly nested?: string;
  /** Text for a number in the form of the other cells, with this decimal mark; default the plain number. */
  readonly write?: (value: number, mark: string) => string;
  /** Category whose indicators these numbers are, and its column. */
  readonly level?: { readonly column: string; readonly category: string };
  /** Column of dates whose season these numbers are. */
  readonly seasonOf?: string;
  /** True for columns that the file lacks, which are missing throughout. */
  readonly isAbsent?: true;
  /** Text in the file for a row of `numbers`, if it was text. */
  readonly source?: (row: number) => string;
}

/** Name of the file's column that a column was read or made from. */
export const writtenColumn = ({ name, level, seasonOf }: RawColumn): string => level?.column ?? seasonOf ?? name;

/** Cells of a text and their form. */
export interface TextLayout {
  /** First line, if it contains names. */
  readonly header?: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: string;
  readonly decimal: '.' | ',';
}

/** Table as in its file, column by column. */
export interface FileTable {
  readonly file: string;
  readonly rows: number;
  readonly columns: readonly RawColumn[];
  /** Position of a row in the file: "line 3", "row 0". */
  place(row: number): string;
  /** True for an array of numbers without an index column, as from NumPy. */
  readonly isArray?: boolean;
  /** Notes about how the file was read. */
  readonly notes: readonly string[];
  /** Names of the points outside the table, with a title. */
  readonly ids?: { readonly name: string; readonly values: readonly string[] };
  /** Form of a table of text; other formats have none. */
  readonly layout?: TextLayout;
  /** Further columns by name: other arrays of an archive. */
  readonly others?: Readonly<Record<string, readonly string[]>>;
}

/** Table as in its file, with NaN for numbers that mark missing values. */
export interface RawTable extends FileTable {
  /** Test for missing values. */
  readonly missing: MissingCodes;
}

/** Numbers that often mark missing values. */
const USUAL_CODES = [-9, -99, -999, -9999, -99999, 999, 9999, 99999];

/** Table with codes of missing values as NaN; without any, numbers that look like codes are noted. */
export function withCodes(table: FileTable, missingValues: MissingValues | undefined): RawTable {
  const missing = missingCodes(missingValues);
  if (missingValues === undefined) return { ...table, missing, notes: [...table.notes, ...codeNotes(table)] };
  const columns = table.columns.map((column) =>
    column.numbers === undefined
      ? column
      : { ...column, numbers: column.numbers.map((value) => (missing.isMissingNumber(value) ? Number.NaN : value)) },
  );
  return { ...table, columns, missing };
}

/** Notes about numbers that look like codes: at the end of a column's range, and farther from its other numbers than those are from each other. */
function codeNotes({ columns }: FileTable): string[] {
  const found = columns.flatMap(({ name, numbers }) => {
    const code = numbers === undefined ? undefined : suspiciousCode(numbers);
    return code === undefined ? [] : [{ name, code, count: numbers!.filter((value) => value === code).length }];
  });
  const first = found[0];
  if (first === undefined) return [];
  const others = found.length === 1 ? '' : `, and ${counted(found.length - 1, 'other column')} such a number`;
  const codes = [...new Set(found.map(({ code }) => code))];
  return [
    `'${first.name}' contains ${first.code} ${first.count === 1 ? 'once' : `${first.count} times`}, far from its other numbers${others}: if that marks a missing value, set \`missingValues: [${codes.map((code) => `'${code}'`).join(', ')}]\`.`,
  ];
}

function suspiciousCode(numbers: Float64Array): number | undefined {
  const codes = USUAL_CODES.filter((code) => numbers.includes(code));
  if (codes.length === 0) return undefined;
  const rest = numbers.filter((value) => !Number.isNaN(value) && !codes.includes(value));
  if (rest.length < 3) return undefined;
  const least = rest.reduce((a, b) => Math.min(a, b));
  const most = rest.reduce((a, b) => Math.max(a, b));
  return codes.find((code) => code < least - (most - least) || code > most + (most - least));
}

/** Text of a column in each row, '' where missing. */
export function cellsOf({ numbers, text, source }: RawColumn): string[] {
  if (text !== undefined) return [...text];
  return Array.from(numbers!, (value, i) => source?.(i) ?? (Number.isNaN(value) ? '' : String(value)));
}

/** Makes names unique: the second `a` becomes `a.1`, as in pandas. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const next = new Map<string, number>();
  return names.map((name) => {
    let number = next.get(name);
    next.set(name, number ?? 1);
    if (number === undefined) return name;
    while (taken.has(`${name}.${number}`)) number++;
    next.set(name, number + 1);
    return `${name}.${number}`;
  });
}
