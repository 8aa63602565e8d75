/** A column as a file has it: numbers, or text some of which may be numbers. */
export interface RawColumn {
  readonly name: string;
  /** Whether the file gives the name. */
  readonly isNamed: boolean;
  /** NaN where missing; ±Infinity where the file says so, or a number is beyond the largest double. */
  readonly numbers?: Float64Array;
  /** For columns that are not numbers throughout. */
  readonly text?: readonly string[];
  /** A cell of `text` as a number, NaN where it is missing, undefined where it is none. */
  readonly read?: (cell: string) => number | undefined;
  /** What the file says in a row of `numbers`, where that is text. */
  readonly source?: (row: number) => string;
}

/** A table as a file has it, column by column. */
export interface RawTable {
  readonly file: string;
  readonly rows: number;
  readonly columns: readonly RawColumn[];
  /** Where a row is: "line 3", "row 0". */
  place(row: number): string;
  /** Whether it is an array of numbers, all of whose columns were meant: NumPy's. */
  readonly isArray?: boolean;
  /** Sentences about how the file was read. */
  readonly notes: readonly string[];
  /** Names of the points that are beside the table, and what they are called. */
  readonly ids?: { readonly name: string; readonly values: readonly string[] };
  /** Columns beside the table, by name: other arrays of an archive. */
  readonly others?: Readonly<Record<string, readonly string[]>>;
}

/** What a column says in each row: '' where it is missing. */
export function cellsOf({ numbers, text, source }: RawColumn): string[] {
  if (text !== undefined) return [...text];
  return Array.from(numbers!, (value, i) => source?.(i) ?? (Number.isNaN(value) ? '' : String(value)));
}

/** Names that differ from each other: the second `a` becomes `a.1`, as in pandas. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const next = new Map<string, number>();
  return names.map((name) => {
    let number = next.get(name);
    next.set(name, number ?? 1);
    if (number === undefined) return name;
    while (taken.has(`${name}.${number}`)) number++;
    taken.add(`${name}.${number}`);
    next.set(name, number + 1);
    return `${name}.${number}`;
  });
}
