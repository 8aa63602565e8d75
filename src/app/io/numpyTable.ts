import { unzipSync } from 'fflate';
import { InvalidInputError } from '../../core/errors.ts';
import { systemReason } from '../../core/host.ts';
import { checkSize, checkTableSize } from './format.ts';
import { type NumpyArray, parseNumpy } from './npy.ts';
import type { FileTable } from './rawTable.ts';

/** How arrays are selected and converted to tables. */
export interface NumpyOptions {
  /** Name of the array in an archive. */
  readonly array?: string | undefined;
  /** Whether an array with three or more dimensions is reshaped to N × the product of its other lengths. */
  readonly flatten?: boolean | undefined;
}

/** Reads an .npy file: the columns of an N×D array, or one column of N numbers. */
export function numpyTable(
  bytes: Uint8Array,
  file: string,
  { flatten = false }: NumpyOptions,
  most: number,
): FileTable {
  return tableOf(parseNumpy(bytes, file, most), file, flatten, most);
}

/**
 * Reads an .npz archive: its only two-dimensional array, or the named one. Lists with one entry per row become extra columns, for labels and ids.
 */
export function numpyArchiveTable(
  bytes: Uint8Array,
  file: string,
  { array, flatten = false }: NumpyOptions,
  most: number,
): FileTable {
  const entries = archive(bytes, file, most);
  const names = Object.keys(entries);
  const listed = names.map((name) => `'${name}'`).join(', ');
  const parsed = (name: string) => parseNumpy(entries[name]!, `${file}:${name}`, most);
  if (array === undefined && SPARSE.every((name) => Object.hasOwn(entries, name))) {
    return sparseTable(parsed, names, file, flatten, most);
  }
  const readings = new Map(names.map((name) => [name, readable(() => parsed(name))]));
  const tables = names.filter((name) => isTable(readings.get(name)!));
  const name = array ?? (names.length === 1 ? names[0] : tables.length === 1 ? tables[0] : undefined);
  if (name === undefined) {
    throw new InvalidInputError(
      `'${file}' contains ${names.length} arrays: ${listed}. Name the one to read with \`array\`.`,
    );
  }
  if (!Object.hasOwn(entries, name))
    throw new InvalidInputError(`'${file}' has no array '${name}'. It contains ${listed}.`);
  const chosen = readings.get(name)!;
  if (chosen instanceof InvalidInputError) throw chosen;
  const table = tableOf(chosen, `${file}:${name}`, flatten, most);
  const others = [...readings].filter(([other]) => other !== name);
  return {
    ...table,
    notes: [
      ...(names.length === 1 ? [] : [`The array '${name}' is read, of ${listed}.`]),
      ...others.flatMap(([, other]) => (other instanceof InvalidInputError ? [`Left out: ${other.message}`] : [])),
      ...table.notes,
    ],
    others: Object.fromEntries(
      others.flatMap(([other, found]) =>
        !(found instanceof InvalidInputError) && isColumn(found.shape, table.rows)
          ? [[other, found.text ?? Array.from(found.numbers!, String)]]
          : [],
      ),
    ),
  };
}

/** The array, or why it cannot be read; only requested arrays must be readable. */
function readable(parse: () => NumpyArray): NumpyArray | InvalidInputError {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidInputError && error.code !== 'damaged' && error.code !== 'tooLarge') return error;
    throw error;
  }
}

const isTable = (found: NumpyArray | InvalidInputError) =>
  !(found instanceof InvalidInputError) && found.numbers !== undefined && found.shape.length >= 2;

/** Arrays of a sparse matrix in a file of `scipy.sparse.save_npz`. */
const SPARSE = ['format', 'shape', 'data'];

/** Dense table of a sparse SciPy matrix in row, column or coordinate format; duplicates are summed. */
function sparseTable(
  parsed: (name: string) => NumpyArray,
  names: readonly string[],
  file: string,
  flatten: boolean,
  most: number,
): FileTable {
  const format = parsed('format').text?.[0];
  const [rows = 0, columns = 0] = parsed('shape').numbers ?? [];
  const needed = format === 'coo' ? ['row', 'col'] : ['indices', 'indptr'];
  if (!['csr', 'csc', 'coo'].includes(format ?? '') || !needed.every((name) => names.includes(name))) {
    throw new InvalidInputError(
      `'${file}' contains a sparse matrix in SciPy's format '${format}'. Convert it with .tocsr() before saving, or save its .toarray().`,
    );
  }
  checkTableSize(rows, columns, most, file);
  const [first, second] = needed.map((name) => parsed(name).numbers!) as [Float64Array, Float64Array];
  const numbers = new Float64Array(rows * columns);
  const add = (i: number, j: number, value: number) => {
    if (!(i >= 0 && i < rows && j >= 0 && j < columns)) {
      throw new InvalidInputError(`'${file}' has an entry [${i}][${j}] of a ${rows}×${columns} matrix.`, {
        code: 'damaged',
      });
    }
    numbers[i * columns + j]! += value;
  };
  const values = parsed('data').numbers;
  if (values === undefined) throw new InvalidInputError(`'${file}' contains a sparse matrix of text. Save numbers.`);
  if (format === 'coo') {
    for (const [p, value] of values.entries()) add(first[p]!, second[p]!, value);
  } else {
    for (let k = 0; k + 1 < second.length; k++) {
      for (let p = second[k]!; p < second[k + 1]!; p++) {
        if (format === 'csr') add(k, first[p]!, values[p]!);
        else add(first[p]!, k, values[p]!);
      }
    }
  }
  const table = tableOf({ shape: [rows, columns], numbers }, file, flatten, most);
  return { ...table, notes: [`A sparse matrix of SciPy (${format}) is read with its zeros.`, ...table.notes] };
}

const isColumn = (shape: readonly number[], rows: number) =>
  shape[0] === rows && shape.slice(1).every((length) => length === 1);

/** Files of the arrays of an archive, by name. */
function archive(bytes: Uint8Array, file: string, most: number): Record<string, Uint8Array> {
  let entries: Readonly<Record<string, Uint8Array>>;
  try {
    entries = unzipped(bytes, file, most);
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    const reason = error instanceof RangeError ? 'it is cut short' : systemReason(error);
    throw new InvalidInputError(`'${file}' cannot be read as .npz: ${reason}. Write it with numpy.savez.`, {
      cause: error,
      code: 'damaged',
    });
  }
  const arrays = Object.entries(entries);
  if (arrays.length === 0) throw new InvalidInputError(`'${file}' contains no array. Write it with numpy.savez.`);
  return Object.fromEntries(arrays.map(([name, content]) => [name.slice(0, -4), content]));
}

/** Signatures of a ZIP archive: the end of its directory, its 64-bit form, and the locator of the 64-bit form. */
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;

/**
 * Arrays of an archive, each checked against the checksum in its directory.
 *
 * @throws InvalidInputError if one is damaged, or they are too large
 * @see APPNOTE.TXT of PKZIP, section 4.3
 */
function unzipped(bytes: Uint8Array, file: string, most: number): Readonly<Record<string, Uint8Array>> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (view.getUint32(end, true) !== END) end--;
  const end64 = end >= 20 && view.getUint32(end - 20, true) === LOCATOR_64 ? view.getUint32(end - 12, true) : undefined;
  const is64 = end64 !== undefined && view.getUint32(end64, true) === END_64;
  let at = is64 ? view.getUint32(end64 + 48, true) : view.getUint32(end + 16, true);
  const checksums = new Map<string, number>();
  let size = 0;
  const entries = unzipSync(bytes, {
    // Called for each entry of the directory in turn.
    filter({ name, originalSize }) {
      checksums.set(name, view.getUint32(at + 16, true));
      at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
      if (!name.endsWith('.npy')) return false;
      size += originalSize;
      checkSize(size, most, file);
      return true;
    },
  });
  for (const [name, content] of Object.entries(entries)) {
    if (crc32(content) === checksums.get(name)) continue;
    throw new InvalidInputError(`'${file}' is damaged: '${name}' is not what was packed, by its CRC-32.`, {
      code: 'damaged',
    });
  }
  return entries;
}

/** CRC-32 of each byte. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

function tableOf({ shape, numbers, text }: NumpyArray, file: string, flatten: boolean, most: number): FileTable {
  const lengths = `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;
  if (shape.length === 0 || shape.includes(0)) {
    throw new InvalidInputError(`'${file}' is empty: its shape is ${lengths}. Give an N×D array.`);
  }
  if (shape.length > 2 && !flatten) {
    throw new InvalidInputError(
      `'${file}' has ${shape.length} dimensions, shape ${lengths}. Reshape it to N×D, or lay out each point as a row with \`flatten: true\`.`,
    );
  }
  const rows = shape[0]!;
  const columns = shape.slice(1).reduce((product, length) => product * length, 1);
  checkTableSize(rows, columns, most, file);
  const column = (j: number) =>
    numbers === undefined
      ? { text: Array.from({ length: rows }, (_, i) => text![i * columns + j]!) }
      : { numbers: Float64Array.from({ length: rows }, (_, i) => numbers[i * columns + j]!) };
  return {
    file,
    rows,
    columns: Array.from({ length: columns }, (_, j) => ({ name: `column${j}`, isNamed: false, ...column(j) })),
    isArray: true,
    place: (row) => `row index ${row}`,
    notes: shape.length > 2 ? [`Shape ${lengths} is read as ${rows} points of ${columns} columns.`] : [],
  };
}
