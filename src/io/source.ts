import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { InvalidInputError } from '../core/errors.ts';

export type Format = 'csv' | 'tsv' | 'txt' | 'npy' | 'npz' | 'parquet' | 'arrow';

/** The name of standard input, as in most programs. */
export const STDIN = '-';

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
};

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

/** The format that a file's name says; `.gz` behind it is left aside. */
export function formatOf(file: string): Format {
  const extension = extname(file.replace(/\.gz$/i, '')).toLowerCase();
  const format = EXTENSIONS[extension];
  if (format !== undefined) return format;
  throw new InvalidInputError(
    `'${file}' ${extension === '' ? 'has no extension' : `ends in '${extension}'`}: expected .csv, .tsv, .txt, .npy, .npz, .parquet, .arrow or .feather, also with .gz.`,
  );
}

/**
 * Reads a file, or standard input for `-`, whose format its first bytes say.
 *
 * @throws InvalidInputError when it cannot be read, is empty, or its name says no known format
 */
export async function readSource(file: string): Promise<Source> {
  if (file !== STDIN) formatOf(file);
  const bytes = unpacked(file === STDIN ? await readStandardInput() : await readBytes(file), file);
  if (bytes.length === 0) throw new InvalidInputError(`'${file}' is empty.`);
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
    throw new InvalidInputError(`'${file}' cannot be read: ${reason(error)}.`, { cause: error });
  }
}

function unpacked(bytes: Buffer, file: string): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes);
  } catch (error) {
    throw new InvalidInputError(`'${file}' is gzipped, but cannot be unpacked: ${reason(error)}.`, { cause: error });
  }
}

/** The message of the operating system. */
export function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'there is no such file or folder';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ENOTDIR') return 'a part of its path is not a folder';
  if (code === 'ENOSPC') return 'the disk is full';
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
