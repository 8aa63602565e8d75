import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { InvalidInputError } from '../../core/errors.ts';
import { systemReason } from '../../core/host.ts';
import { checkGiven } from '../../core/options.ts';
import { checkSize, collected, type Format, formatOf, mostBytes, unpacked } from './format.ts';

/** Name of standard input, as in most programs. */
export const STDIN = '-';

/** First bytes of files in binary formats. */
const SIGNATURES: readonly (readonly [string, Format])[] = [
  ['\x93NUMPY', 'npy'],
  ['PK', 'npz'],
  ['PAR1', 'parquet'],
  ['ARROW1', 'arrow'],
  ['%%Matr', 'mtx'],
];

/** Bytes of a file, unpacked if it was gzipped, and its format. */
export interface Source {
  readonly bytes: Uint8Array;
  readonly format: Format;
}

/**
 * Reads a file, or standard input for `-`, and determines its format from the first bytes.
 *
 * @param maxBytes - maximum size when unpacked; the default depends on the format
 * @throws InvalidInputError if it cannot be read, is empty or too large, or has no known format
 */
export async function readSource(file: string, maxBytes?: number): Promise<Source> {
  const isStandardInput = file === STDIN;
  const name = isStandardInput ? 'standard input' : file;
  const most = mostBytes(isStandardInput ? 'npy' : formatOf(file), maxBytes);
  const bytes = await unpacked(await packed(file, name, most), name, most);
  if (bytes.length === 0) {
    throw new InvalidInputError(
      isStandardInput ? 'Standard input is empty: pipe a table into it.' : `'${file}' is empty.`,
    );
  }
  const format = isStandardInput ? signedFormat(bytes) : formatOf(file);
  checkSize(bytes.length, mostBytes(format, maxBytes), name);
  return { bytes, format };
}

function signedFormat(bytes: Uint8Array): Format {
  const start = String.fromCharCode(...bytes.subarray(0, 6));
  return SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1] ?? 'txt';
}

const packed = (file: string, name: string, most: number): Promise<Uint8Array> =>
  file === STDIN ? collected(process.stdin, name, most) : readWholeFile(file, most);

/**
 * Reads a file of limited size. The size of pipes and devices is only known while they are read.
 *
 * @param most - maximum size in bytes
 * @throws InvalidInputError with the code `tooLarge`, or `cannotRead`
 * @internal
 */
export async function readWholeFile(file: string, most: number): Promise<Uint8Array> {
  checkGiven(file, 'readWholeFile', 'the path of a file', (path) => typeof path === 'string');
  try {
    const found = await stat(file);
    if (!found.isFile() && !found.isDirectory()) return await collected(createReadStream(file), file, most);
    checkSize(found.size, most, file);
    return await readFile(file);
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    throw new InvalidInputError(`'${file}' cannot be read: ${systemReason(error)}.`, {
      cause: error,
      code: 'cannotRead',
    });
  }
}
