import { InvalidInputError } from '../../core/errors.ts';
import { checkSize, mostBytes } from './format.ts';
import { latin1, npyHeader } from './npyHeader.ts';

/** An array of any rank, its entries in C order (last index fastest): numbers or text. */
export interface NumpyArray {
  readonly shape: readonly number[];
  readonly numbers?: Float64Array;
  readonly text?: string[];
}

/**
 * Parses a file of `numpy.save`: integers, floats, booleans and text of either byte order, in C or Fortran order.
 *
 * @param most - largest size of its entries as doubles, in bytes
 * @throws InvalidInputError if it is larger, the header is not NumPy's, the number of entries does not match the shape, or entries are complex,
 *   objects, dates, records, or whole numbers beyond 2⁵³, which a double cannot hold
 */
export function parseNumpy(bytes: Uint8Array, file: string, most = mostBytes('npy', undefined)): NumpyArray {
  const { descr, fortranOrder, shape, start } = npyHeader(bytes, file);
  const { width, read } = readerOf(descr, file);
  const size = shape.reduce((product, length) => product * length, 1);
  checkLength(file, shape, size * width, bytes.length - start);
  // Texts of length 0 take no bytes of the file.
  checkSize(8 * size, most, file);
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, size * width);
  const place = fortranOrder ? fortranPlace(shape) : (k: number) => k;
  if ('text' in read) return { shape, text: Array.from({ length: size }, (_, k) => read.text(view, place(k) * width)) };
  const numbers = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    numbers[k] = asDouble(read.number(view, place(k) * width), file, k);
  }
  return { shape, numbers };
}

/**
 * Reader of numbers of a type, with their size in bytes.
 *
 * @throws InvalidInputError for types that are not numbers
 */
export function entryReader(descr: string, file: string) {
  const { width, read } = readerOf(descr, file);
  if ('text' in read) throw new InvalidInputError(`'${file}' holds text, where numbers were expected.`);
  return { width, number: (view: DataView, at: number) => asDouble(read.number(view, at), file, at / width) };
}

function readerOf(descr: string, file: string): { width: number; read: Reader } {
  const [, order, kind, digits] = /^([<>|=]?)([a-zA-Z?])(\d*)$/.exec(descr) ?? [];
  const width = kind === 'U' ? 4 * Number(digits) : Number(digits);
  const read = kind === undefined ? undefined : reader(kind, width, order !== '>');
  if (read !== undefined) return { width, read };
  throw new InvalidInputError(`'${file}' holds ${KINDS[kind ?? ''] ?? `entries of type '${descr}'`}`);
}

function asDouble(value: number | bigint, file: string, entry: number): number {
  if (typeof value === 'bigint' && BigInt(Number(value)) !== value) {
    throw new InvalidInputError(
      `'${file}', entry ${entry} is ${value}, a whole number that a double cannot hold. Convert the array to float64 if that does not matter.`,
    );
  }
  return Number(value);
}

const KINDS: Readonly<Record<string, string>> = {
  c: 'complex numbers. Save their real part, or both parts as columns.',
  O: 'Python objects, which only Python can read. Save an array of float64.',
  V: 'records or raw bytes. Save an array of float64.',
  M: 'dates. Save them as numbers, such as days.',
  m: 'durations. Save them as numbers, such as seconds.',
};

type Reader = { number(view: DataView, at: number): number | bigint } | { text(view: DataView, at: number): string };

/** Reader of entries of a type; undefined for unsupported types. */
function reader(kind: string, width: number, little: boolean): Reader | undefined {
  switch (`${kind}${kind === 'U' || kind === 'S' ? '' : width}`) {
    case 'f8':
      return { number: (view, at) => view.getFloat64(at, little) };
    case 'f4':
      return { number: (view, at) => view.getFloat32(at, little) };
    case 'f2':
      return { number: (view, at) => halfPrecision(view.getUint16(at, little)) };
    case 'i8':
      return { number: (view, at) => view.getBigInt64(at, little) };
    case 'i4':
      return { number: (view, at) => view.getInt32(at, little) };
    case 'i2':
      return { number: (view, at) => view.getInt16(at, little) };
    case 'i1':
      return { number: (view, at) => view.getInt8(at) };
    case 'u8':
      return { number: (view, at) => view.getBigUint64(at, little) };
    case 'u4':
      return { number: (view, at) => view.getUint32(at, little) };
    case 'u2':
      return { number: (view, at) => view.getUint16(at, little) };
    case 'u1':
      return { number: (view, at) => view.getUint8(at) };
    case 'b1':
      return { number: (view, at) => Number(view.getUint8(at) !== 0) };
    case 'U':
      return { text: (view, at) => unicode(view, at, width, little) };
    case 'S':
      return {
        text: (view, at) => latin1(new Uint8Array(view.buffer, view.byteOffset + at, width)).replace(/\0+$/, ''),
      };
    default:
      return undefined;
  }
}

/** Decodes IEEE 754 binary16. */
function halfPrecision(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Decodes four bytes per character, without zeros at the end. */
function unicode(view: DataView, at: number, width: number, little: boolean): string {
  let text = '';
  for (let k = at; k < at + width; k += 4) {
    const code = view.getUint32(k, little);
    text += code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
  }
  return text.replace(/\0+$/, '');
}

function checkLength(file: string, shape: readonly number[], expected: number, found: number): void {
  if (found === expected) return;
  const problem = found < expected ? 'is cut short' : 'has more behind its array';
  throw new InvalidInputError(
    `'${file}' ${problem}: shape (${shape.join(', ')}) takes ${expected} bytes, but ${found} follow its header. Write it with numpy.save.`,
  );
}

/** Index in Fortran order, whose first index varies fastest, of an entry in C order: (i₀, i₁, …) is at i₀ + n₀·(i₁ + n₁·(…)). */
function fortranPlace(shape: readonly number[]): (position: number) => number {
  const strides = shape.map((_, axis) => shape.slice(0, axis).reduce((product, length) => product * length, 1));
  return (position) => {
    let rest = position;
    let place = 0;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      place += (rest % shape[axis]!) * strides[axis]!;
      rest = Math.floor(rest / shape[axis]!);
    }
    return place;
  };
}
