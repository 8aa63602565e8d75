import { InvalidInputError } from '../index.ts';
import { readJsonFile } from './jsonFile.ts';
import type { ModelOptions } from './modelParts.ts';

/** Options of the model that have flags of their own. */
export interface FlaggedOptions {
  readonly dim?: number;
  readonly kernel?: string;
  readonly missing?: string;
}

/** Options of the model: those of a JSON file, if any, with those of the flags; 2 latent dimensions unless given. */
export async function readModelOptions(file: string | undefined, flags: FlaggedOptions): Promise<ModelOptions> {
  const options = file === undefined ? {} : await readObject(file);
  const given = Object.entries({ latentDim: flags.dim, kernel: flags.kernel, missing: flags.missing }).filter(
    ([, value]) => value !== undefined,
  );
  for (const [name, value] of given) {
    if (options[name] === undefined || options[name] === value) continue;
    const flag = name === 'latentDim' ? 'dim' : name;
    throw new InvalidInputError(
      `--${flag} is ${value}, but ${name} in '${file}' is ${JSON.stringify(options[name])}. Give it in one place.`,
    );
  }
  return { latentDim: 2, ...options, ...Object.fromEntries(given) };
}

async function readObject(file: string): Promise<Record<string, unknown>> {
  const options = await readJsonFile(file, 'options file');
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) {
    return options as Record<string, unknown>;
  }
  throw new InvalidInputError(`The options file '${file}' must hold an object, such as { "scale": true }.`);
}
