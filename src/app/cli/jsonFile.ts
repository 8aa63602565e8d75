import { readFile } from 'node:fs/promises';
import { InvalidInputError, systemReason } from '../../core/index.ts';

/**
 * What JSON says that a flag was given, or a file of it.
 *
 * @param given - JSON where it begins with a brace or a bracket, else a path
 * @param what - what to call the file in an error
 * @throws InvalidInputError when it cannot be read, or is not JSON
 */
export async function readGivenJson(given: string, flag: string, what: string): Promise<unknown> {
  if (!isInline(given)) return readJsonFile(given, what);
  try {
    return JSON.parse(given);
  } catch (error) {
    throw new InvalidInputError(`${flag} is not JSON: ${(error as Error).message}.`, { cause: error });
  }
}

/** Whether it is JSON itself, rather than the path of a file. */
export const isInline = (given: string): boolean => /^\s*[[{]/.test(given);

/**
 * What a JSON file holds.
 *
 * @param file - its path
 * @param what - what to call it in an error
 * @throws InvalidInputError when it cannot be read, or is not JSON
 */
export async function readJsonFile(file: string, what: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = absent ? 'there is no such file' : systemReason(error);
    throw new InvalidInputError(`The ${what} '${file}' cannot be read: ${reason}.`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidInputError(`The ${what} '${file}' is not JSON: ${(error as Error).message}.`, { cause: error });
  }
}
