import { readFile } from 'node:fs/promises';
import { InvalidInputError, systemReason } from '../../core/index.ts';

/**
 * Parses the JSON given to a flag, inline or as a file.
 *
 * @param given - JSON if it begins with a brace or a bracket, otherwise a path
 * @param what - name of the file in errors
 * @throws InvalidInputError if it cannot be read or is not JSON
 */
export async function readGivenJson(given: string, flag: string, what: string): Promise<unknown> {
  if (!isInline(given)) return readJsonFile(given, what);
  try {
    return JSON.parse(given);
  } catch (error) {
    throw new InvalidInputError(`${flag} is not JSON: ${(error as Error).message}.`, { cause: error });
  }
}

/** True for inline JSON, false for a path. */
export const isInline = (given: string): boolean => /^\s*[[{]/.test(given);

/**
 * Reads a JSON file.
 *
 * @param file - its path
 * @param what - its name in errors
 * @throws InvalidInputError if it cannot be read or is not JSON
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
