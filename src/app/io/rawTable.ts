/** A column as in its file: numbers, or text that may contain numbers. */
export interface RawColumn {
  readonly name: string;
  /** True if the file names the column. */
  readonly isNamed: boolean;
  /** NaN where missing; ±Infinity where the file says so or a number exceeds the largest double. */
  readonly numbers?: Float64Array;
  /** For columns that are not entirely numbers. */
  readonly text?: readonly string[];
  /** Reads a cell of `text` as a number: NaN if it is missing, undefined if it is text. */
  readonly read?: (cell: string) => number | undefined;
  /** Text in the file for a row of `numbers`, if it was text. */
  readonly source?: (row: number) => string;
}

/** A table as in its file, column by column. */
export interface RawTable {
  readonly file: string;
  readonly rows: number;
  readonly columns: readonly RawColumn[];
  /** Position of a row in the file: "line 3", "row 0". */
  place(row: number): string;
  /** Whether it is an array of numbers, none of whose columns is an index: NumPy's. */
  readonly isArray?: boolean;
  /** Notes about how the file was read. */
  readonly notes: readonly string[];
  /** Names of the points beside the table, and what they are called. */
  readonly ids?: { readonly name: string; readonly values: readonly string[] };
  /** Columns beside the table by name: other arrays of an archive. */
  readonly others?: Readonly<Record<string, readonly string[]>>;
}

/** The text of a column in each row, '' where missing. */
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
