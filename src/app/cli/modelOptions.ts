import { InvalidInputError, type ModelOptions } from '../../index.ts';
import { isInline, readGivenJson } from './jsonFile.ts';

/** Model options that have flags. */
export interface FlaggedOptions {
  readonly model: string;
  readonly dim?: number;
  readonly kernel?: string;
  readonly missing?: string;
  readonly inducing?: number;
  readonly centres?: number;
  readonly likelihood?: string;
}

/** Options of the model: those of the JSON, if any, overridden by flags; default 2 latent dimensions. */
export async function readModelOptions(file: string | undefined, flags: FlaggedOptions): Promise<ModelOptions> {
  const options = file === undefined ? {} : await readObject(file);
  const { dim, kernel, missing, likelihood } = flags;
  const given = Object.entries({ latentDim: dim, kernel, missing, likelihood, ...sparse(flags) }).filter(
    ([, value]) => value !== undefined,
  );
  for (const [name, value] of given) {
    if (options[name] === undefined || options[name] === value) continue;
    const flag = name === 'latentDim' ? 'dim' : name;
    throw new InvalidInputError(
      `--${flag} is ${value}, but ${name} in ${isInline(file!) ? '--options' : `'${file}'`} is ${JSON.stringify(options[name])}. Give it in one place.`,
    );
  }
  // ppca determines the number of dimensions itself.
  return { ...(flags.model !== 'ppca' && { latentDim: 2 }), ...options, ...Object.fromEntries(given) };
}

/** Options for inducing inputs or the centres of a spline. */
function sparse({ model, inducing, centres }: FlaggedOptions): Record<string, unknown> {
  const isSpline = model === 'tpslvm';
  if (isSpline && inducing !== undefined && centres !== undefined) {
    throw new InvalidInputError('--inducing and --centres are the same for tpslvm. Give one of them.');
  }
  return isSpline ? { centres: centres ?? inducing } : { inducing, centres };
}

async function readObject(file: string): Promise<Record<string, unknown>> {
  const options = await readGivenJson(file, '--options', 'options file');
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) {
    return options as Record<string, unknown>;
  }
  const what = isInline(file) ? '--options' : `The options file '${file}'`;
  throw new InvalidInputError(`${what} must hold an object, such as { "scale": true }.`);
}
