import { unzipSync } from 'fflate';
import { InvalidInputError } from '../core/errors.ts';
import { systemReason } from '../core/systemReason.ts';
import { type NumpyArray, parseNumpy } from './npy.ts';
import type { RawTable } from './rawTable.ts';

/** How arrays are chosen and made into tables. */
export interface NumpyOptions {
  /** The array of an archive. */
  readonly array?: string | undefined;
  /** Whether an array of three and more dimensions is laid out as N × the product of its other lengths. */
  readonly flatten?: boolean | undefined;
}

/** The table of an .npy file: columns of an N×D array, or the one of a list of N numbers. */
export function numpyTable(bytes: Uint8Array, file: string, { flatten = false }: NumpyOptions): RawTable {
  return tableOf(parseNumpy(bytes, file), file, flatten);
}

/**
 * The table of an .npz archive: its only array of two dimensions, or the array that is named. Its lists of as many entries as the table has
 * rows are columns beside it, for labels and ids.
 */
export function numpyArchiveTable(bytes: Uint8Array, file: string, { array, flatten = false }: NumpyOptions): RawTable {
  const arrays = archive(bytes, file);
  const names = Object.keys(arrays);
  const listed = names.map((name) => `'${name}'`).join(', ');
  const tables = names.filter((name) => arrays[name]!.numbers !== undefined && arrays[name]!.shape.length >= 2);
  const name = array ?? (names.length === 1 ? names[0] : tables.length === 1 ? tables[0] : undefined);
  if (name === undefined) {
    throw new InvalidInputError(
      `'${file}' holds ${names.length} arrays: ${listed}. Name the one to read with array (--array).`,
    );
  }
  if (!Object.hasOwn(arrays, name))
    throw new InvalidInputError(`'${file}' has no array '${name}'. It holds ${listed}.`);
  const table = tableOf(arrays[name]!, `${file}:${name}`, flatten);
  const others = Object.entries(arrays).filter(([other, { shape }]) => other !== name && isColumn(shape, table.rows));
  return {
    ...table,
    notes: names.length === 1 ? table.notes : [`The array '${name}' is read, of ${listed}.`, ...table.notes],
    others: Object.fromEntries(
      others.map(([other, { text, numbers }]) => [other, text ?? Array.from(numbers!, String)]),
    ),
  };
}

const isColumn = (shape: readonly number[], rows: number) =>
  shape[0] === rows && shape.slice(1).every((length) => length === 1);

function archive(bytes: Uint8Array, file: string): Record<string, NumpyArray> {
  let entries: Record<string, Uint8Array>;
  try {
    entries = unzipSync(bytes);
  } catch (error) {
    throw new InvalidInputError(
      `'${file}' cannot be read as .npz: ${systemReason(error)}. Write it with numpy.savez.`,
      {
        cause: error,
      },
    );
  }
  const arrays = Object.entries(entries).filter(([name]) => name.endsWith('.npy'));
  if (arrays.length === 0) throw new InvalidInputError(`'${file}' holds no array. Write it with numpy.savez.`);
  return Object.fromEntries(
    arrays.map(([name, content]) => [name.slice(0, -4), parseNumpy(content, `${file}:${name.slice(0, -4)}`)]),
  );
}

function tableOf({ shape, numbers, text }: NumpyArray, file: string, flatten: boolean): RawTable {
  const lengths = `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;
  if (shape.length === 0 || shape.includes(0)) {
    throw new InvalidInputError(`'${file}' is empty: its shape is ${lengths}. Give an N×D array.`);
  }
  if (shape.length > 2 && !flatten) {
    throw new InvalidInputError(
      `'${file}' has ${shape.length} dimensions, shape ${lengths}. Reshape it to N×D, or lay out each point as a row with flatten (--flatten).`,
    );
  }
  const rows = shape[0]!;
  const columns = shape.slice(1).reduce((product, length) => product * length, 1);
  const column = (j: number) =>
    numbers === undefined
      ? { text: Array.from({ length: rows }, (_, i) => text![i * columns + j]!) }
      : { numbers: Float64Array.from({ length: rows }, (_, i) => numbers[i * columns + j]!) };
  return {
    file,
    rows,
    columns: Array.from({ length: columns }, (_, j) => ({ name: `column${j}`, isNamed: false, ...column(j) })),
    isArray: true,
    place: (row) => `row ${row}`,
    notes: shape.length > 2 ? [`Shape ${lengths} is read as ${rows} points of ${columns} columns.`] : [],
  };
}
