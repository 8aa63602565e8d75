import { counted, countGiven } from '../core/counted.ts';
import { InvalidInputError } from '../core/errors.ts';
import { Matrix, type MatrixLike } from '../core/matrix.ts';
import { formatOf } from './source.ts';
import { writeAtomically } from './writeAtomically.ts';

/** A last column of labels. */
export interface LabelColumn {
  readonly name: string;
  readonly values: ArrayLike<string | number>;
}

/**
 * Writes a table as .csv or .tsv with a header. Each number is the shortest decimal that reads back as the same double.
 *
 * @param file - path of the file, in a folder that exists
 * @param matrix - numbers, N×D; NaN reads back as a missing cell
 * @param columnNames - D names
 * @param labels - a column of N labels to append
 * @throws InvalidInputError when names or labels do not fit the matrix, or the file cannot be written
 * @example
 * ```ts
 * await writeTable('latents.csv', result.latents, ['x1', 'x2']);
 * ```
 */
export async function writeTable(
  file: string,
  matrix: MatrixLike,
  columnNames: readonly string[],
  labels?: LabelColumn,
): Promise<void> {
  const format = formatOf(file);
  if (format === 'npy') throw new InvalidInputError(`'${file}': tables are written as .csv or .tsv.`);
  const table = Matrix.from(matrix);
  if (columnNames.length !== table.columns) {
    throw new InvalidInputError(
      `The table has ${counted(table.columns, 'column')}, but ${countGiven(columnNames.length, 'name')}.`,
    );
  }
  if (labels !== undefined && labels.values.length !== table.rows) {
    throw new InvalidInputError(
      `The table has ${counted(table.rows, 'row')}, but ${countGiven(labels.values.length, 'label')}.`,
    );
  }
  const lines = table.toArrays().map((row) => row.map(decimal));
  const header = columnNames.map(quoted);
  if (labels !== undefined) {
    header.push(quoted(labels.name));
    lines.forEach((line, i) => {
      line.push(quoted(String(labels.values[i])));
    });
  }
  const delimiter = format === 'tsv' ? '\t' : ',';
  await writeAtomically(file, [header, ...lines].map((cells) => `${cells.join(delimiter)}\n`).join(''));
}

const decimal = (value: number) => (Object.is(value, -0) ? '-0' : String(value));

const quoted = (text: string) => (/[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
