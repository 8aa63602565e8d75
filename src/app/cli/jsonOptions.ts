import { readFile } from 'node:fs/promises';
import { systemReason } from '../../core/index.ts';
import { InvalidInputError } from '../../index.ts';
import type { ModelOptions } from '../../models/index.ts';
import type { Given, MODEL_FLAGS, SPARSE_FLAGS } from './flags.ts';
import { FLAGGED } from './modelHelp.ts';

/**
 * Parses the JSON passed to a flag, inline or as a file.
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

/** Arguments that are options of models, by the names of flags. */
export type FlaggedOptions = { readonly model: string } & Partial<
  Given<readonly [...typeof MODEL_FLAGS, ...typeof SPARSE_FLAGS]>
>;

/** Options of the model: the JSON's, if any, overridden by flags. */
export async function readModelOptions(file: string | undefined, flags: FlaggedOptions): Promise<ModelOptions> {
  const options = file === undefined ? {} : await readObject(file);
  const all: Readonly<Record<string, unknown>> = {
    ...flags,
    ...(flags.missing === 'error' && { missing: undefined }),
  };
  const given = Object.entries(FLAGGED).flatMap(([name, flag]) =>
    all[flag] === undefined ? [] : [[name, all[flag]] as const],
  );
  for (const [name, value] of given) {
    if (options[name] === undefined || options[name] === value) continue;
    throw new InvalidInputError(
      `--${FLAGGED[name]} is ${value}, but ${name} in ${isInline(file!) ? '--options' : `'${file}'`} is ${JSON.stringify(options[name])}. Give it in one place.`,
    );
  }
  return { ...options, ...Object.fromEntries(given) };
}

async function readObject(file: string): Promise<Record<string, unknown>> {
  const options = await readGivenJson(file, '--options', 'options file');
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) {
    return options as Record<string, unknown>;
  }
  const what = isInline(file) ? '--options' : `The options file '${file}'`;
  throw new InvalidInputError(`${what} must contain an object, such as { "scale": true }.`);
}
