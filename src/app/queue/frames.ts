import { InvalidInputError } from '../../core/errors.ts';

/** Bytes of the header's length, which come first. */
const PREFIX = 4;
const BYTES = 8;

const aligned = (length: number) => Math.ceil(length / BYTES) * BYTES;

/**
 * A small header and large lists of doubles as bytes: the length of the header's JSON in four bytes, the JSON, and the doubles, little-endian, from
 * the next multiple of eight bytes on.
 */
export function framed(header: object, lists: readonly Float64Array[] = []): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify({ ...header, lengths: lists.map(({ length }) => length) }));
  let at = aligned(PREFIX + text.length);
  const bytes = new Uint8Array(at + BYTES * lists.reduce((sum, { length }) => sum + length, 0));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, PREFIX);
  for (const { buffer, byteOffset, byteLength } of lists) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return bytes;
}

/** Content of {@link framed} bytes: the header, and the lists as views of a new buffer. */
export interface Frame {
  readonly header: Readonly<Record<string, unknown>>;
  readonly lists: Float64Array<ArrayBuffer>[];
}

/**
 * Decodes {@link framed} bytes.
 *
 * @throws InvalidInputError for anything else
 */
export function frameFrom(bytes: Uint8Array): Frame {
  const size = bytes.length < PREFIX ? Number.NaN : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (!(size <= bytes.length - PREFIX)) {
    throw new InvalidInputError(`${bytes.length} bytes are no message: its header would end behind them.`);
  }
  const { lengths, ...header } = headerFrom(bytes.subarray(PREFIX, PREFIX + size));
  const start = aligned(PREFIX + size);
  const areLengths = Array.isArray(lengths) && lengths.every((length) => Number.isInteger(length) && length >= 0);
  const total = areLengths ? lengths.reduce((sum: number, length: number) => sum + length, 0) : Number.NaN;
  if (start + BYTES * total !== bytes.length) {
    throw new InvalidInputError(`A message of ${bytes.length} bytes does not hold the lists that its header names.`);
  }
  // Copied, because bytes from a server need not begin at a multiple of eight.
  const { buffer } = Uint8Array.from(bytes.subarray(start));
  let next = 0;
  const lists = (lengths as number[]).map((length) => {
    const list = new Float64Array(buffer, next, length);
    next += BYTES * length;
    return list;
  });
  return { header, lists };
}

function headerFrom(bytes: Uint8Array): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Record<string, unknown>;
  } catch {
    // The error below reports it.
  }
  throw new InvalidInputError('The header of a message is no JSON object.');
}
