import { InvalidInputError } from '../../core/errors.ts';
import { type WriteOptions, writeAtomically } from '../../core/fileWriting.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { namedOptions } from '../../core/options.ts';
import { formatOf } from './format.ts';
import { type LabelColumn, tableText, type WriteTableOptions } from './tableText.ts';

/**
 * Writes `tableText` as .csv or .tsv.
 *
 * @param file - path of the file, in an existing folder
 * @param matrix - numbers, N×D; NaN reads back as a missing cell
 * @param columnNames - D names
 * @param labels - a column of N labels to append
 * @param options - see {@link WriteTableOptions}
 * @throws InvalidInputError if names, ids or labels do not match the matrix, or the file cannot be written
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
  options: WriteTableOptions & WriteOptions = {},
): Promise<void> {
  const format = file.endsWith('.gz') ? undefined : formatOf(file);
  if (format !== 'csv' && format !== 'tsv') {
    throw new InvalidInputError(`'${file}': tables are written as .csv or .tsv.`);
  }
  const delimiter = format === 'tsv' ? '\t' : ',';
  const { replace = true, ...text } = namedOptions(options, 'writeTable', ['replace', 'ids', 'guardFormulas']);
  await writeAtomically(file, tableText(matrix, columnNames, labels, { ...text, delimiter }), { replace });
}
