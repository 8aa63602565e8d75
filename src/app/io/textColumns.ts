import type { DelimitedRow } from './delimited.ts';
import type { ReadNumber } from './numberStyle.ts';
import type { RawColumn } from './rawTable.ts';
import { readWritten } from './writtenForms.ts';

/** Columns of a text, below its names. */
export interface TextColumns {
  readonly rows: readonly DelimitedRow[];
  readonly read: ReadNumber;
  /** Receives sentences about cells that are not plain numbers. */
  readonly notes: string[];
}

/** Column of a text: numbers if all of its cells are numbers, plainly or in another unambiguous form. */
export function textColumn({ rows, read, notes }: TextColumns, j: number, name: string, isNamed: boolean): RawColumn {
  const source = (i: number) => rows[i]!.cells[j]!;
  const plain = numbersOf(rows, j, read);
  if (plain !== undefined) return { name, isNamed, numbers: plain, source };
  const cells = rows.map((row) => row.cells[j]!);
  const written = readWritten(cells, read);
  if (written !== undefined) {
    notes.push(written.note(name));
    const { note: _, ...column } = written;
    return { name, isNamed, source, ...column };
  }
  return withoutTextMarks({ name, isNamed, text: cells, read }, notes);
}

function numbersOf(rows: readonly DelimitedRow[], j: number, read: ReadNumber): Float64Array | undefined {
  const numbers = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const value = read(rows[i]!.cells[j]!);
    if (value === undefined) return undefined;
    numbers[i] = value;
  }
  return numbers;
}

/** Pattern of a cell that a spreadsheet keeps as text: ="00123" or '14.26. */
const MARKED = /^(?:="(.*)"|'([+\-\u2212]?[\d.,].*))$/s;

/** Column without spreadsheet marks that keep cells as text, if there are any; numbers with leading zeros are codes and stay text. */
function withoutTextMarks(column: RawColumn, notes: string[]): RawColumn {
  const { name, isNamed, text, read } = column;
  const marked = text!.filter((cell) => MARKED.test(cell));
  if (marked.length === 0) return column;
  const cells = text!.map((cell) => cell.replace(MARKED, (_, quoted, rest) => quoted ?? rest));
  const shown = `'${marked[0]!}' is read as ${cells[text!.indexOf(marked[0]!)]!}`;
  notes.push(`'${name}' contains cells that a spreadsheet keeps as text: ${shown}, without the mark.`);
  const values = cells.map(read!);
  const areCodes = cells.some((cell) => /^[+-]?0\d/.test(cell));
  if (areCodes || values.some((value) => value === undefined)) {
    return { name, isNamed, text: cells, ...(!areCodes && { read: read! }) };
  }
  return { name, isNamed, numbers: Float64Array.from(values as number[]), source: (i) => cells[i]! };
}
