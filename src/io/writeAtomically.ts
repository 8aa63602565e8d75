import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { InvalidInputError } from '../core/errors.ts';
import { systemReason } from '../core/systemReason.ts';

/**
 * Writes a file so that it is never seen half written: under a temporary name beside it, which then replaces it. The temporary name is
 * random, and no file or link that is there already is written to.
 *
 * @param file - path of the file, in a folder that exists
 * @param content - what it shall hold: text, as UTF-8, or bytes
 * @throws InvalidInputError when it cannot be written there
 * @example
 * ```ts
 * await writeAtomically('fit.json', JSON.stringify(result.toJSON()));
 * ```
 */
export async function writeAtomically(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, content, { flag: 'wx' });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new InvalidInputError(`'${file}' cannot be written: ${systemReason(error)}.`, { cause: error });
  }
}
