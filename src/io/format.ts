import { InvalidInputError } from '../core/errors.ts';

export type Format = 'csv' | 'tsv' | 'txt' | 'npy' | 'npz' | 'parquet' | 'arrow';

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

/** The format that a file's name says; `.gz` behind it is left aside. */
export function formatOf(file: string): Format {
  const extension = (/[^/\\](\.[^./\\]*)$/.exec(file.replace(/\.gz$/i, ''))?.[1] ?? '').toLowerCase();
  const format = EXTENSIONS[extension];
  if (format !== undefined) return format;
  throw new InvalidInputError(
    `'${file}' ${extension === '' ? 'has no extension' : `ends in '${extension}'`}: expected .csv, .tsv, .txt, .npy, .npz, .parquet, .arrow or .feather, also with .gz.`,
  );
}

/** Whether a file's first bytes are those of gzip. */
export const isGzipped = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** What the operating system says, in words. */
export function reason(error: unknown): string {
  const code = (error as { readonly code?: unknown }).code;
  if (code === 'ENOENT') return 'there is no such file or folder';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ENOTDIR') return 'a part of its path is not a folder';
  if (code === 'ENOSPC') return 'the disk is full';
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
