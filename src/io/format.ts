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
