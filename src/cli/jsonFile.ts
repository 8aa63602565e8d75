import { readFile } from 'node:fs/promises';
import { InvalidInputError } from '../index.ts';
import { systemReason } from '../io/index.ts';

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
