import { InvalidInputError } from '../../core/errors.ts';
import { instantText, NANOSECONDS } from './dates.ts';
import { checkSize, mostBytes } from './format.ts';

/** Header of an .npy file. */
interface NpyHeader {
  /** Type of the entries, such as '<f8'. */
  readonly descr: string;
  readonly fortranOrder: boolean;
  readonly shape: readonly number[];
  /** Byte offset of the first entry. */
  readonly start: number;
}

/** Decodes one character per byte: the decoder of that name would read Windows-1252. */
export const latin1 = (bytes: Uint8Array): string => Array.from(bytes, (code) => String.fromCharCode(code)).join('');

/** NumPy's limit on the length of headers. */
const LONGEST = 10_000;

/**
 * Parses the header of an .npy file of version 1, 2 or 3: a Python dictionary literal with exactly descr, fortran_order and shape.
 *
 * @throws InvalidInputError for anything that `numpy.load` rejects without unpickling
 * @see NEP 1, "A simple file format for NumPy arrays"
 */
export function npyHeader(bytes: Uint8Array, file: string): NpyHeader {
  const fail = (what: string) =>
    new InvalidInputError(`'${file}' cannot be read as .npy: ${what}. Write it with numpy.save.`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 10 || latin1(bytes.subarray(0, 6)) !== '\x93NUMPY') {
    throw fail('it does not begin as such files do');
  }
  const major = bytes[6]!;
  const minor = bytes[7]!;
  if (![1, 2, 3].includes(major) || minor !== 0) throw fail(`its version is ${major}.${minor}, not 1.0, 2.0 or 3.0`);
  if (major > 1 && bytes.length < 12) throw fail('it ends within its header');
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  const start = (major === 1 ? 10 : 12) + length;
  if (length > LONGEST) throw fail(`its header takes ${length} bytes, more than ${LONGEST}`);
  if (start > bytes.length) throw fail('it ends within its header');
  const header = bytes.subarray(start - length, start);
  const text = major === 3 ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(header) : latin1(header);
  const { descr, fortran_order, shape } = dictionary(text, fail);
  if (descr === undefined || fortran_order === undefined || shape === undefined) {
    throw fail('its header does not contain descr, fortran_order and shape');
  }
  if (descr.startsWith('[')) {
    throw new InvalidInputError(
      `'${file}' contains records with fields. Save each field, or its columns, as an array of numbers.`,
    );
  }
  const lengths = Array.from(shape.matchAll(/-?\d+/g), ([digits]) => Number(digits));
  if (!/^['"]/.test(descr) || !/^(True|False)$/.test(fortran_order) || !/^\(.*\)$/s.test(shape)) {
    throw fail('its header has a value of the wrong kind');
  }
  if (lengths.some((n) => n < 0)) throw fail(`its shape (${lengths.join(', ')}) is negative`);
  if (!Number.isSafeInteger(lengths.reduce((product, n) => product * n, 1))) {
    throw fail(`its shape (${lengths.join(', ')}) has more entries than can be counted`);
  }
  return { descr: descr.slice(1, -1), fortranOrder: fortran_order === 'True', shape: lengths, start };
}

const STRING = `'[^'\\\\\\n]*'|"[^"\\\\\\n]*"`;
/** Pattern of a tuple of whole numbers: (), (3,), (3, 4); Python 2 wrote 3L. */
const TUPLE = '\\(\\s*(?:-?\\d+L?\\s*,\\s*(?:-?\\d+L?\\s*,\\s*)*(?:-?\\d+L?\\s*)?)?\\)';
const LIST = '\\[[^{}]*?\\](?=\\s*[,}])';
const ENTRY = new RegExp(`\\s*(?:${STRING})\\s*:\\s*(?:${STRING}|True|False|${TUPLE}|${LIST})\\s*`, 'y');

/** Entries of a Python dictionary literal, as text. */
function dictionary(text: string, fail: (what: string) => Error) {
  const body = /^\{([\s\S]*)\}\s*$/.exec(text)?.[1];
  if (body === undefined) throw fail('its header is not a dictionary');
  const entries: Record<'descr' | 'fortran_order' | 'shape', string | undefined> = Object.create(null);
  let at = 0;
  while (/\S/.test(body.slice(at))) {
    ENTRY.lastIndex = at;
    const entry = ENTRY.exec(body)?.[0];
    if (entry === undefined) throw fail('its header is not a dictionary of plain values');
    const [, , name, value] = /^\s*(['"])(.*?)\1\s*:\s*([\s\S]*?)\s*$/.exec(entry)!;
    if (name !== 'descr' && name !== 'fortran_order' && name !== 'shape')
      throw fail(`its header has an entry '${name}'`);
    entries[name] = value;
    at += entry.length;
    if (body[at] === ',') at++;
    else if (/\S/.test(body.slice(at))) throw fail('its header is not a dictionary of plain values');
  }
  return entries;
}

/** Array of any rank, with its entries in C order (last index fastest): numbers or text. */
export interface NumpyArray {
  readonly shape: readonly number[];
  readonly numbers?: Float64Array;
  readonly text?: string[];
}

/**
 * Parses a file of `numpy.save`: integers, floats, booleans, text and dates (as text) of either byte order, in C or Fortran order.
 *
 * @param most - maximum size of its entries as doubles, in bytes
 * @throws InvalidInputError if it is larger, the header is not NumPy's, the number of entries does not match the shape, or entries are complex,
 *   objects, durations, records, or whole numbers beyond 2⁵³, which a double cannot represent
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
 * Reader for numbers of a type, with their size in bytes.
 *
 * @throws InvalidInputError for types that are not numbers
 */
export function entryReader(descr: string, file: string) {
  const { width, read } = readerOf(descr, file);
  if ('text' in read) throw new InvalidInputError(`'${file}' contains text, where numbers were expected.`);
  return { width, number: (view: DataView, at: number) => asDouble(read.number(view, at), file, at / width) };
}

function readerOf(descr: string, file: string): { width: number; read: Reader } {
  const [, order, kind, digits, count = '1', unit] =
    /^([<>|=]?)([a-zA-Z?])(\d*)(?:\[(\d*)([a-zA-Zμ]+)\])?$/.exec(descr) ?? [];
  const width = kind === 'U' ? 4 * Number(digits) : Number(digits);
  const read =
    kind === 'M'
      ? dateReader(BigInt(count || 1), unit, order !== '>')
      : kind === undefined
        ? undefined
        : reader(kind, width, order !== '>');
  if (read !== undefined) return { width, read };
  throw new InvalidInputError(`'${file}' contains ${KINDS[kind ?? ''] ?? `entries of type '${descr}'`}`);
}

function asDouble(value: number | bigint, file: string, entry: number): number {
  if (typeof value === 'bigint' && BigInt(Number(value)) !== value) {
    throw new InvalidInputError(
      `'${file}', entry ${entry} is ${value}, a whole number that a double cannot represent. Convert the array to float64 if that does not matter.`,
    );
  }
  return Number(value);
}

const KINDS: Readonly<Record<string, string>> = {
  c: 'complex numbers. Save their real part, or both parts as columns.',
  O: 'Python objects, which only Python can read. Save an array of float64.',
  V: 'records or raw bytes. Save an array of float64.',
  M: 'dates without a unit, or of months. Save them by days: astype("datetime64[D]").',
  m: 'durations. Save them as numbers, such as seconds.',
};

type Reader = { number(view: DataView, at: number): number | bigint } | { text(view: DataView, at: number): string };

/** Reader for entries of a type; undefined for unsupported types. */
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

const NOT_A_TIME = -0x8000000000000000n;

/** Reader for dates as ISO 8601 text, '' where missing; undefined for months and years, whose lengths differ. */
function dateReader(count: bigint, unit: string | undefined, little: boolean): Reader | undefined {
  if (unit === undefined || !Object.hasOwn(NANOSECONDS, unit)) return undefined;
  const length = count * NANOSECONDS[unit as keyof typeof NANOSECONDS];
  const isWholeDays = length % NANOSECONDS.D === 0n;
  return {
    text: (view, at) => {
      const value = view.getBigInt64(at, little);
      if (value === NOT_A_TIME) return '';
      const text = instantText(value * length);
      return isWholeDays ? text.replace(/T00:00:00$/, '') : text;
    },
  };
}

/** Decodes IEEE 754 binary16. */
function halfPrecision(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Decodes four bytes per character, without trailing zeros. */
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

/** Index in Fortran order, with the first index varying fastest, of an entry in C order: (i₀, i₁, …) is at i₀ + n₀·(i₁ + n₁·(…)). */
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
