import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { InvalidInputError } from '../core/errors.ts';
import { systemReason } from '../core/systemReason.ts';
import { type Format, formatOf, isGzipped } from './format.ts';

/** The name of standard input, as in most programs. */
export const STDIN = '-';

/** How files of the binary formats begin. */
const SIGNATURES: readonly (readonly [string, Format])[] = [
  ['\x93NUMPY', 'npy'],
  ['PK', 'npz'],
  ['PAR1', 'parquet'],
  ['ARROW1', 'arrow'],
];

/** A file's bytes, unpacked if it was gzipped, and what they are. */
export interface Source {
  readonly bytes: Buffer;
  readonly format: Format;
}

/**
 * Reads a file, or standard input for `-`, whose format its first bytes say.
 *
 * @throws InvalidInputError when it cannot be read, is empty, or its name says no known format
 */
export async function readSource(file: string): Promise<Source> {
  if (file !== STDIN) formatOf(file);
  const bytes = unpacked(file === STDIN ? await readStandardInput() : await readBytes(file), file);
  if (bytes.length === 0) {
    throw new InvalidInputError(
      file === STDIN ? 'Standard input is empty: pipe a table into it.' : `'${file}' is empty.`,
    );
  }
  return { bytes, format: file === STDIN ? signedFormat(bytes) : formatOf(file) };
}

function signedFormat(bytes: Buffer): Format {
  const start = bytes.subarray(0, 6).toString('latin1');
  return SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1] ?? 'txt';
}

async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new InvalidInputError(`'${file}' cannot be read: ${systemReason(error)}.`, { cause: error });
  }
}

function unpacked(bytes: Buffer, file: string): Buffer {
  if (!isGzipped(bytes)) return bytes;
  try {
    return gunzipSync(bytes);
  } catch (error) {
    throw new InvalidInputError(`'${file}' is gzipped, but cannot be unpacked: ${systemReason(error)}.`, {
      cause: error,
    });
  }
}
