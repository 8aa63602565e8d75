import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { hasThousands, remedyForWritten } from './numberText.ts';
import type { RawColumn, RawTable } from './rawTable.ts';

/**
 * The numbers of some columns, N×D, in the given order.
 *
 * @throws InvalidInputError for a cell that is text, infinite or, unless allowed, missing, with its position
 */
export function entriesOf(raw: RawTable, columns: readonly number[], allowMissing: boolean): Matrix {
  const matrix = Matrix.zeros(raw.rows, columns.length);
  columns.forEach((column, j) => {
    const values = numbersOf(raw, raw.columns[column]!, allowMissing);
    for (let i = 0; i < raw.rows; i++) matrix.data[i * columns.length + j] = values[i]!;
  });
  return matrix;
}

function numbersOf(raw: RawTable, column: RawColumn, allowMissing: boolean): Float64Array {
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
