import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { InvalidInputError } from '../core/errors.ts';

export type Format = 'csv' | 'tsv' | 'npy';

/** The format that a file's name says. */
export function formatOf(file: string): Format {
  const extension = extname(file).toLowerCase();
  if (extension === '.csv') return 'csv';
  if (extension === '.tsv') return 'tsv';
  if (extension === '.npy') return 'npy';
  throw new InvalidInputError(
    `'${file}' ${extension === '' ? 'has no extension' : `ends in '${extension}'`}: expected .csv, .tsv or .npy.`,
  );
}

/** A file's bytes; an empty file is an error, as there is no table in it. */
export async function readBytes(file: string): Promise<Buffer> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw new InvalidInputError(`'${file}' cannot be read: ${reason(error)}.`, { cause: error });
  }
  if (bytes.length === 0) throw new InvalidInputError(`'${file}' is empty.`);
  return bytes;
}

/** What the operating system says, in words. */
export function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'there is no such file or folder';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ENOTDIR') return 'a part of its path is not a folder';
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
