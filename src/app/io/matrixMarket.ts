import { InvalidInputError } from '../../core/errors.ts';
import { SparseMatrix } from '../../core/sparseMatrix.ts';
import { checkSize, mostBytes } from './format.ts';
import type { FileTable } from './rawTable.ts';
import type { SparseTable } from './readSparseTable.ts';

const BANNER = /^%%MatrixMarket\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$/i;
const NEWLINE = 10;
/** Bytes for the start of a row or a column. */
const BYTES_OF_START = 4;
const BYTES_OF_ENTRY = 8;

/**
 * Parses a Matrix Market file, `coordinate` or `array`, of real numbers, whole numbers or a pattern of ones; `symmetric` matrices are expanded to
 * both triangles.
 *
 * @param bytes - unpacked content of the file
 * @param most - maximum size of rows and columns in bytes, independent of the announced size
 * @throws InvalidInputError with the line if it is not such a file, an index is out of range, an entry is repeated or not finite, or the number
 *   of entries differs from the announced one
 * @see Boisvert, Pozo & Remington 1996, The Matrix Market Exchange Formats
 */
export function parseMatrixMarket(bytes: Uint8Array, file: string, most = mostBytes('mtx', undefined)): SparseMatrix {
  const lines = linesOf(bytes, file);
  const first = lines.next().value;
  const [, object, format, field, symmetry] = BANNER.exec(first?.text ?? '')?.map((word) => word.toLowerCase()) ?? [];
  const wrong = (line: number | undefined, what: string) =>
    new InvalidInputError(`'${file}'${line === undefined ? '' : `, line ${line}`} ${what}`, { code: 'damaged' });
  if (object === undefined)
    throw wrong(
      1,
      "is not a Matrix Market file: the first line of such a file begins with '%%MatrixMarket matrix coordinate'.",
    );
  if (object !== 'matrix' || !['coordinate', 'array'].includes(format!)) {
    throw wrong(1, `contains a '${object} ${format}': 'matrix coordinate' and 'matrix array' are read.`);
  }
  if (!['real', 'integer', 'double', 'pattern'].includes(field!))
    throw wrong(1, `contains '${field}' numbers: real ones are read.`);
  if (!['general', 'symmetric', 'skew-symmetric'].includes(symmetry!)) {
    throw wrong(1, `has the symmetry '${symmetry}': supported are 'general', 'symmetric' and 'skew-symmetric'.`);
  }
  const sizes = lines.next().value;
  const size = sizes?.text.trim().split(/\s+/).map(numberIn) ?? [];
  const isList = format === 'coordinate';
  if (
    size.length !== (isList ? 3 : 2) ||
    !size.every((n) => Number.isInteger(n) && n >= 0) ||
    size[0] === 0 ||
    size[1] === 0
  ) {
    throw wrong(
      sizes?.line,
      `must contain the numbers of rows${isList ? ', columns and entries' : ' and columns'}, but is '${sizes?.text ?? ''}'.`,
    );
  }
  const [rows, columns] = size as [number, number];
  checkSize(BYTES_OF_START * (rows + columns), most, file);
  const isMirrored = symmetry !== 'general';
  if (isMirrored && rows !== columns)
    throw wrong(sizes?.line, `declares ${rows}×${columns}, but a ${symmetry} matrix is square.`);
  const skew = symmetry === 'skew-symmetric' ? 1 : 0;
  const expected = isList ? size[2]! : isMirrored ? (columns * (columns + 1 - 2 * skew)) / 2 : rows * columns;
  const entries: Entries = { rows: [], columns: [], values: [] };
  const add = (i: number, j: number, value: number) => {
    entries.rows.push(i);
    entries.columns.push(j);
    entries.values.push(value);
  };
  let [count, at] = [0, { i: skew, j: 0 }];
  for (const { text, line } of lines) {
    const cells = text.trim().split(/\s+/);
    const numbers = cells.map(numberIn);
    const wanted = isList ? (field === 'pattern' ? 2 : 3) : 1;
    if (numbers.length !== wanted || !numbers.every(Number.isFinite)) {
      throw wrong(
        line,
        `must contain ${isList ? `row, column${wanted === 3 ? ' and value' : ''}` : 'a number'}, but is '${text}'.`,
      );
    }
    if (++count > expected) throw wrong(line, `is entry ${count} of ${expected} that are announced.`);
    const [i, j] = isList ? [numbers[0]! - 1, numbers[1]! - 1] : [at.i, at.j];
    if (!(Number.isInteger(i) && i >= 0 && i < rows && Number.isInteger(j) && j >= 0 && j < columns)) {
      throw wrong(line, `names row ${cells[0]}, column ${cells[1]} of a ${rows}×${columns} matrix; both count from 1.`);
    }
    if (isMirrored && isList && j > i)
      throw wrong(line, `lies above the diagonal, which a ${symmetry} matrix leaves out.`);
    const value = wanted === 2 ? 1 : numbers.at(-1)!;
    if (isList || value !== 0) {
      add(i, j, value);
      if (isMirrored && i !== j) add(j, i, skew ? -value : value);
    }
    // Arrays are in column order.
    if (!isList) at = at.i + 1 < rows ? { i: at.i + 1, j: at.j } : { i: isMirrored ? at.j + 1 + skew : 0, j: at.j + 1 };
  }
  if (count < expected)
    throw wrong(undefined, `announces ${expected} entries, but contains ${count}: it is cut short.`);
  return compressed(entries, rows, columns, file);
}

/** Decimal number; NaN for anything else, including hexadecimal numbers. */
const numberIn = (cell: string): number =>
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(cell) ? Number(cell) : Number.NaN;

/** Maximum length of a line in a Matrix Market file, which has at most three numbers. */
const LONGEST_LINE = 65_536;
const PERCENT = 37;

/** Lines other than blank lines and comments, with their numbers, starting with the banner, which looks like a comment. */
function* linesOf(
  bytes: Uint8Array,
  file: string,
): Generator<{ readonly text: string; readonly line: number }, undefined> {
  const decoder = new TextDecoder();
  let [from, line] = [0, 1];
  while (from < bytes.length) {
    const found = bytes.indexOf(NEWLINE, from);
    const end = found < 0 ? bytes.length : found;
    if (line === 1 || bytes[from] !== PERCENT) {
      if (end - from > LONGEST_LINE) {
        throw new InvalidInputError(
          `'${file}', line ${line} has ${end - from} characters: it is damaged, or no Matrix Market file.`,
          { code: 'damaged' },
        );
      }
      const text = decoder.decode(bytes.subarray(from, end)).trimEnd();
      if (text !== '') yield { text, line };
    }
    [from, line] = [end + 1, line + 1];
  }
  return undefined;
}

interface Entries {
  readonly rows: number[];
  readonly columns: number[];
  readonly values: number[];
}

/** Sorts entries by rows and columns. */
function compressed(
  { rows: I, columns: J, values }: Entries,
  rows: number,
  columns: number,
  file: string,
): SparseMatrix {
  const order = Float64Array.from(I, (i, p) => i * columns + J[p]!);
  const places = Uint32Array.from({ length: order.length }, (_, p) => p).sort((a, b) => order[a]! - order[b]!);
  const starts = new Int32Array(rows + 1);
  places.forEach((p, k) => {
    if (k > 0 && order[places[k - 1]!] === order[p]) {
      throw new InvalidInputError(
        `'${file}' has row ${I[p]! + 1}, column ${J[p]! + 1} (from 1) twice. Write each entry once.`,
        { code: 'damaged' },
      );
    }
    starts[I[p]! + 1]!++;
  });
  for (let i = 0; i < rows; i++) starts[i + 1]! += starts[i]!;
  return new SparseMatrix({
    ...{ rows, columns, starts },
    indices: Int32Array.from(places, (p) => J[p]!),
    values: Float64Array.from(places, (p) => values[p]!),
  });
}

/** Converts a sparse table to a dense one. */
export function denseRawTable(
  { observations, columns, isNamed, ids, notes }: SparseTable,
  file: string,
  most = mostBytes('mtx', undefined),
): FileTable {
  const { rows: N, columns: D } = observations;
  if (BYTES_OF_ENTRY * N * D > most) {
    throw new InvalidInputError(
      `'${file}' has ${N}×${D} entries, more than ${most} bytes with its zeros. Read it with readSparseTable, and take sparsePrincipalComponents of it, or give \`maxBytes\`.`,
      { code: 'tooLarge' },
    );
  }
  const { starts, indices, values } = observations.transposed();
  return {
    ...{ file, rows: N, isArray: true, notes },
    columns: columns.map((name, j) => {
      const numbers = new Float64Array(N);
      for (let p = starts[j]!; p < starts[j + 1]!; p++) numbers[indices[p]!] = values[p]!;
      return { name, isNamed, numbers };
    }),
    ...(ids && { ids: { name: 'barcode', values: ids } }),
    place: (row) => `point index ${row}`,
  };
}

/** Reads an .mtx file, whose rows are the points. */
export function matrixMarketTable(bytes: Uint8Array, file: string, most: number): FileTable {
  const observations = parseMatrixMarket(bytes, file, most);
  const columns = Array.from({ length: observations.columns }, (_, j) => `column${j}`);
  return denseRawTable({ observations, columns, isNamed: false, notes: [] }, file, most);
}
