import { InvalidInputError } from '../../core/errors.ts';
import { checkGiven } from '../../core/given.ts';
import { namedOptions } from '../../core/options.ts';
import { type DelimitedRow, decodeText, parseDelimited } from './delimited.ts';
import { parseNumpy } from './npy.ts';
import { numberOf, presentLabel } from './numberText.ts';
import { readSource } from './source.ts';

export interface ReadLabelsOptions {
  /** Expected number of labels, that of the points. */
  readonly count?: number;
}

/**
 * Reads labels, one per row, from a .csv, .tsv, .txt or .npy file of a single column: text or numbers.
 *
 * Whether the first line of text is a name cannot be seen from text alone, so it is taken as one when there is one row
 * more than `count`, it is not a number and no row repeats it; without `count`, when it is the only row that is not a number.
 *
 * @param file - path of the file; its extension says the format
 * @param options - the number of labels expected
 * @returns the labels as they stand in the file, '' where one is missing (empty, NaN, NA, null, ?, a dash)
 * @throws InvalidInputError if the file cannot be read, has several columns, or holds another number of labels
 * @example
 * ```ts
 * const labels = await readLabels('classes.csv', { count: 150 });
 * ```
 */
export async function readLabels(file: string, options: ReadLabelsOptions = {}): Promise<string[]> {
  const { count } = namedOptions(options, 'readLabels', ['count']);
  checkGiven(file, 'readLabels', "a file's path, a text", (given) => typeof given === 'string');
  const { bytes, format } = await readSource(file);
  if (format === 'npz' || format === 'parquet' || format === 'arrow' || format === 'mtx') {
    throw new InvalidInputError(`'${file}' cannot hold labels. Give a .csv, .tsv, .txt or .npy file.`);
  }
  const column = format === 'npy' ? numpyColumn(bytes, file) : textColumn(bytes, format, file, count);
  const labels = (format !== 'npy' && startsWithName(column, count) ? column.slice(1) : column).map(presentLabel);
  if (count !== undefined && labels.length !== count) {
    throw new InvalidInputError(
      `'${file}' holds ${labels.length} labels, but there are ${count} points. Give one label for each point.`,
    );
  }
  return labels;
}

function startsWithName(column: string[], count: number | undefined): boolean {
  const [first, ...rest] = column;
  if (first === undefined || numberOf(first) !== undefined) return false;
  if (count === undefined) return rest.length > 0 && rest.every((label) => numberOf(label) !== undefined);
  return column.length === count + 1 && !rest.includes(first);
}

function textColumn(
  bytes: Uint8Array,
  format: 'csv' | 'tsv' | 'txt',
  file: string,
  count: number | undefined,
): string[] {
  const { text } = decodeText(bytes);
  const firstLine = text.trimStart().split(/\r?\n/, 1)[0]!;
  const delimiter = format === 'tsv' ? '\t' : firstLine.includes(';') && !firstLine.includes(',') ? ';' : ',';
  const rows = parseDelimited(text, delimiter, file);
  const columns = rows[0]!.cells.length;
  if (columns !== 1) throw severalColumns(file, columns);
  const written = rows.map(({ cells }) => cells[0]!);
  if (count === undefined) return written;
  // A blank line in a single column is either a missing label or decoration; the number of points decides.
  const within = withBlankLines(text, rows);
  const candidates = [within.concat(blankLinesAfter(text)), within];
  return candidates.find(({ length }) => length === count || length === count + 1) ?? written;
}

/** The labels of the rows, with '' for each blank line between them. */
function withBlankLines(text: string, rows: readonly DelimitedRow[]): string[] {
  const lines = text.split(LINE_END);
  let next = rows[0]!.line;
  return rows.flatMap(({ line, cells: [label] }) => {
    const blank = lines.slice(next - 1, line - 1).filter((each) => each.trim() === '');
    next = line + label!.split(LINE_END).length;
    return [...blank.map(() => ''), label!];
  });
}

function blankLinesAfter(text: string): string[] {
  const after = /(?:[^\S\r\n]*(?:\r\n|\r|\n))*[^\S\r\n]*$/.exec(text)![0];
  return after
    .split(LINE_END)
    .slice(2)
    .map(() => '');
}

const LINE_END = /\r\n|\r|\n/;

function numpyColumn(bytes: Uint8Array, file: string): string[] {
  const { shape, numbers, text } = parseNumpy(bytes, file);
  const columns = shape.slice(1).reduce((product, length) => product * length, 1);
  if (columns !== 1) throw severalColumns(file, columns);
  return text ?? Array.from(numbers!, String);
}

const severalColumns = (file: string, columns: number) =>
  new InvalidInputError(
    `'${file}' has ${columns} columns, but labels are a single one. Keep that column alone in the file.`,
  );
