import { InvalidInputError } from '../../core/errors.ts';
import { systemReason } from '../../core/host.ts';

export type Format = 'csv' | 'tsv' | 'txt' | 'npy' | 'npz' | 'parquet' | 'arrow' | 'mtx';

const EXTENSIONS: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.tab': 'tsv',
  '.txt': 'txt',
  '.npy': 'npy',
  '.npz': 'npz',
  '.parquet': 'parquet',
  '.arrow': 'arrow',
  '.feather': 'arrow',
  '.mtx': 'mtx',
};

/** Format of a file by its name, without the ending `.gz`. */
export function formatOf(file: string): Format {
  const extension = (/[^/\\](\.[^./\\]*)$/.exec(file.replace(/\.gz$/i, ''))?.[1] ?? '').toLowerCase();
  const format = EXTENSIONS[extension];
  if (format !== undefined) return format;
  throw new InvalidInputError(
    `'${file}' ${extension === '' ? 'has no extension' : `ends in '${extension}'`}: expected .csv, .tsv, .txt, .npy, .npz, .parquet, .arrow, .feather or .mtx, also with .gz.`,
  );
}

/** True if a file starts like a gzip file. */
const isGzipped = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Signatures of compressed files that are not supported, and how to unpack them. */
const PACKED: readonly (readonly [name: string, signature: string, way: string])[] = [
  ['zstd', '\x28\xb5\x2f\xfd', "unpack it with 'zstd -d'"],
  ['xz', '\xfd7zXZ', "unpack it with 'unxz'"],
  ['bzip2', 'BZh', "unpack it with 'bunzip2'"],
  ['lz4', '\x04\x22\x4d\x18', "unpack it with 'lz4 -d'"],
  ['zip, as spreadsheets are', 'PK\x03\x04', 'unpack it, or save the sheet as .csv'],
];

/** @throws InvalidInputError if text begins like a packed file */
export function checkIsText(bytes: Uint8Array, file: string): void {
  const start = String.fromCharCode(...bytes.subarray(0, 6));
  const found = PACKED.find(([, signature]) => start.startsWith(signature));
  if (found === undefined) return;
  throw new InvalidInputError(`'${file}' is not text: it is packed by ${found[0]}. First ${found[2]}.`, {
    code: 'cannotRead',
  });
}

/**
 * Maximum size of an unpacked file. While it is read, text needs up to twenty times as much memory, and V8 has 4 GB by default; arrays need three
 * times their size.
 */
export const mostBytes = (format: Format, given: number | undefined): number =>
  given ?? (format === 'csv' || format === 'tsv' || format === 'txt' ? 200e6 : 1.2e9);

/** @throws InvalidInputError with the code `tooLarge` */
export function checkSize(bytes: number, most: number, name: string): void {
  if (bytes <= most) return;
  throw new InvalidInputError(
    `'${name}' contains more than ${most} bytes. Where memory allows, give \`maxBytes\` and let Node have more: NODE_OPTIONS=--max-old-space-size=16000, in MB.`,
    { code: 'tooLarge' },
  );
}

/** Bytes per column in addition to its numbers. */
const COLUMN_BYTES = 400;

/**
 * Checks that a table with the announced size fits into memory.
 *
 * @throws InvalidInputError with the code `tooLarge` if not
 */
export const checkTableSize = (rows: number, columns: number, most: number, name: string): void =>
  checkSize(columns * (8 * rows + COLUMN_BYTES), most, name);

/**
 * Unpacks the bytes of a stream, gzipped or not.
 *
 * @throws InvalidInputError if they are too many, or damaged
 */
export async function unpacked(bytes: Uint8Array, name: string, most: number): Promise<Uint8Array> {
  if (!isGzipped(bytes)) {
    checkSize(bytes.length, most, name);
    return bytes;
  }
  const parts = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('gzip'));
  try {
    return await collected(parts, name, most);
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    const cause = (error as Error).cause ?? error;
    throw new InvalidInputError(`'${name}' is gzipped, but cannot be unpacked: ${systemReason(cause)}.`, {
      cause: error,
      code: 'damaged',
    });
  }
}

/** Reads the bytes of a stream and stops if there are too many. */
export async function collected(stream: AsyncIterable<Uint8Array>, name: string, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    checkSize(length, most, name);
    parts.push(part);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
