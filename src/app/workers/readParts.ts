import { InvalidInputError } from '../../core/errors.ts';
import { nodeModule } from '../../core/host.ts';
import { checkGiven, unknownName } from '../../core/options.ts';
import { KINDS_OF_PARTS, type OwnParts } from '../../models/ownParts.ts';

/**
 * Reads the factories that a module exports: `export const models = { turning }`, and likewise kernels, priors, maps and other parts; or one object
 * with all of them as its default export. Node only.
 *
 * @param file - path or address of the module
 * @throws InvalidInputError for an invalid path, a module that cannot be loaded, and one that exports no parts
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 * const fitted = loadFit(JSON.parse(readFileSync('fit.json', 'utf8')), await readParts('./mine.mjs'));
 * ```
 */
export async function readParts(file: string | URL): Promise<OwnParts> {
  checkGiven(
    file,
    'readParts',
    'the path or address of a module',
    (given) => typeof given === 'string' || given instanceof URL,
  );
  const name = String(file);
  let module: Record<string, unknown>;
  try {
    module = await nodeModule(await addressOf(name), ELSEWHERE);
  } catch (error) {
    const { message = String(error) } = error as Error;
    throw new InvalidInputError(`The parts in '${name}' cannot be loaded: ${message.replace(/\.$/, '')}.`, {
      cause: error,
    });
  }
  const { default: all, ...named } = module;
  const exported: Record<string, unknown> = { ...(isRecord(all) ? all : {}), ...named };
  const parts = Object.entries(exported).filter(([kind]) => KINDS_OF_PARTS.includes(kind));
  if (parts.length === 0) {
    const [other] = Object.keys(exported);
    if (other !== undefined) throw unknownName('export', other, KINDS_OF_PARTS, `'${name}'`);
    throw new InvalidInputError(
      `'${name}' exports no parts. Export objects of factories by name, such as: export const kernels = { cauchy };`,
    );
  }
  for (const [kind, factories] of parts) {
    const wrong = isRecord(factories)
      ? Object.keys(factories).find((each) => typeof factories[each] !== 'function')
      : '';
    if (wrong === undefined) continue;
    throw new InvalidInputError(
      `'${name}' exports ${kind}${wrong === '' ? '' : `.${wrong}`}, which is not ${wrong === '' ? 'an object of factories by name' : 'a factory'}. Write: export const ${kind} = { name: factory };`,
    );
  }
  return Object.fromEntries(parts) as OwnParts;
}

/** Parts of the module that this thread was started with; empty without one. */
export async function partsOfThread(): Promise<OwnParts> {
  const { workerData } = await nodeModule<typeof import('node:worker_threads')>('node:worker_threads', ELSEWHERE);
  const { parts } = (workerData ?? {}) as { readonly parts?: string };
  return parts === undefined ? {} : readParts(parts);
}

const ELSEWHERE = 'Modules with parts of your own are read in Node.';

/**
 * Address of a file; paths are relative to the working directory.
 *
 * @throws InvalidInputError for a pipe or a device: Node would read it without a limit
 */
async function addressOf(file: string): Promise<string> {
  if (/^(data|https?):/.test(file)) return file;
  const { resolve } = await nodeModule<typeof import('node:path')>('node:path', ELSEWHERE);
  const { fileURLToPath, pathToFileURL } = await nodeModule<typeof import('node:url')>('node:url', ELSEWHERE);
  const { stat } = await nodeModule<typeof import('node:fs/promises')>('node:fs/promises', ELSEWHERE);
  const address = /^file:/.test(file) ? file : pathToFileURL(resolve(file)).href;
  const found = await stat(fileURLToPath(address)).catch(() => undefined);
  if (found === undefined || found.isFile() || found.isDirectory()) return address;
  throw new InvalidInputError('It is a pipe or a device.');
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
