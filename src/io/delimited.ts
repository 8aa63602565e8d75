import { CsvError, parse } from 'csv-parse/sync';
import { counted } from '../core/counted.ts';
import { InvalidInputError } from '../core/errors.ts';

/** A line of text cut into cells. */
export interface DelimitedRow {
  /** Where the row ends in the file, from 1. */
  readonly line: number;
  readonly cells: string[];
}

/**
 * Cuts CSV or TSV text into rows of equal length. Cells may be quoted by `"`; blank lines, a byte order mark and blanks
 * around cells are dropped.
 *
 * @throws InvalidInputError when a quote is not closed, rows differ in length or there are none
 */
export function parseDelimited(text: string, delimiter: string, file: string): DelimitedRow[] {
  const rows = split(text, delimiter, file);
  const first = rows[0];
  if (first === undefined) throw new InvalidInputError(`'${file}' is empty: it holds nothing but blank lines.`);
  for (const { line, cells } of rows) {
    if (cells.length !== first.cells.length) {
      throw new InvalidInputError(
        `'${file}' is ragged: line ${first.line} has ${counted(first.cells.length, 'cell')}, but line ${line} has ${cells.length}. Give every line the same number of cells.`,
      );
    }
  }
  return rows;
}

/** The comma, unless the first line has semicolons and no comma, as spreadsheets in much of Europe write. */
export function guessDelimiter(text: string): ',' | ';' {
  const firstLine = text.trimStart().split(/\r?\n/, 1)[0]!;
  return firstLine.includes(';') && !firstLine.includes(',') ? ';' : ',';
}

function split(text: string, delimiter: string, file: string): DelimitedRow[] {
  try {
    const records = parse(text, {
      delimiter,
      bom: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      info: true,
    }) as unknown as { info: { lines: number }; record: string[] }[];
    return records.map(({ info, record }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    if (error instanceof CsvError) {
      throw new InvalidInputError(`'${file}' is not valid CSV: ${error.message}.`, { cause: error });
    }
    throw error;
  }
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A cell as a number: NaN when it is missing (empty, NaN or NA), undefined when it is something else. */
export function numberOf(cell: string): number | undefined {
  if (NUMBER.test(cell)) {
    const value = Number(cell);
    return Number.isFinite(value) ? value : undefined;
  }
  return /^(nan|na)?$/i.test(cell) ? Number.NaN : undefined;
}
