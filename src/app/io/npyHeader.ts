import { InvalidInputError } from '../../core/errors.ts';

/** Header of an .npy file. */
export interface NpyHeader {
  /** Type of the entries, such as '<f8'. */
  readonly descr: string;
  readonly fortranOrder: boolean;
  readonly shape: readonly number[];
  /** Byte offset of the first entry. */
  readonly start: number;
}

/** Decodes one character per byte: the decoder of that name would read Windows-1252. */
export const latin1 = (bytes: Uint8Array): string => Array.from(bytes, (code) => String.fromCharCode(code)).join('');

/** NumPy's own limit on the length of headers. */
const LONGEST = 10_000;

/**
 * Parses the header of an .npy file of version 1, 2 or 3: a Python dictionary literal with exactly descr, fortran_order and shape.
 *
 * @throws InvalidInputError for anything that `numpy.load` refuses without unpickling
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
    throw fail('its header does not hold descr, fortran_order and shape');
  }
  if (descr.startsWith('[')) {
    throw new InvalidInputError(
      `'${file}' holds records with fields. Save each field, or its columns, as an array of numbers.`,
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
/** A tuple of whole numbers: (), (3,), (3, 4); Python 2 wrote 3L. */
const TUPLE = '\\(\\s*(?:-?\\d+L?\\s*,\\s*(?:-?\\d+L?\\s*,\\s*)*(?:-?\\d+L?\\s*)?)?\\)';
const LIST = '\\[[^{}]*?\\](?=\\s*[,}])';
const ENTRY = new RegExp(`\\s*(?:${STRING})\\s*:\\s*(?:${STRING}|True|False|${TUPLE}|${LIST})\\s*`, 'y');

/** Entries of a Python dictionary literal, as text. */
function dictionary(text: string, fail: (what: string) => Error) {
  const body = /^\{([\s\S]*)\}\s*$/.exec(text)?.[1];
  if (body === undefined) throw fail('its header is no dictionary');
  const entries: Record<'descr' | 'fortran_order' | 'shape', string | undefined> = Object.create(null);
  let at = 0;
  while (/\S/.test(body.slice(at))) {
    ENTRY.lastIndex = at;
    const entry = ENTRY.exec(body)?.[0];
    if (entry === undefined) throw fail('its header is no dictionary of plain values');
    const [, , name, value] = /^\s*(['"])(.*?)\1\s*:\s*([\s\S]*?)\s*$/.exec(entry)!;
    if (name !== 'descr' && name !== 'fortran_order' && name !== 'shape')
      throw fail(`its header has an entry '${name}'`);
    entries[name] = value;
    at += entry.length;
    if (body[at] === ',') at++;
    else if (/\S/.test(body.slice(at))) throw fail('its header is no dictionary of plain values');
  }
  return entries;
}
