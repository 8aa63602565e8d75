import { readFile } from 'node:fs/promises';
import { InvalidInputError } from '../index.ts';
import type { ModelOptions } from './models.ts';

/** Options of the model: those of a JSON file, if any, with the number of latent dimensions, 2 unless given in one place. */
export async function readModelOptions(file: string | undefined, dim: number | undefined): Promise<ModelOptions> {
  const options = file === undefined ? {} : await readObject(file);
  const { latentDim } = options;
  if (dim !== undefined && latentDim !== undefined && latentDim !== dim) {
    throw new InvalidInputError(
      `--dim is ${dim}, but latentDim in '${file}' is ${JSON.stringify(latentDim)}. Give it in one place.`,
    );
  }
  // A latentDim of another kind is left to the model, which says what it takes.
  return { ...options, latentDim: (latentDim as number | undefined) ?? dim ?? 2 };
}

async function readObject(file: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new InvalidInputError(`The options file '${file}' cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  let options: unknown;
  try {
    options = JSON.parse(text);
  } catch (error) {
    throw new InvalidInputError(`The options file '${file}' is not JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new InvalidInputError(`The options file '${file}' must hold an object, such as { "scale": true }.`);
  }
  return options as Record<string, unknown>;
}
