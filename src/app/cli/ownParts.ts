import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { unknownName } from '../../core/index.ts';
import { InvalidInputError, type OwnParts, type WorkerPool } from '../../index.ts';

/** Arguments of all commands that make or read a model. */
export interface PartsArguments {
  readonly parts?: string;
}

export const PARTS_FLAG = [
  '--parts <file.mjs>',
  'a module with kernels, priors, maps, likelihoods or models of your own',
] as const;

const KINDS = ['kernels', 'priors', 'maps', 'latents', 'likelihoods', 'models'] as const;

/**
 * The factories that a module exports: `export const kernels = { cauchy }`, and likewise priors, maps, likelihoods, models; or one object of them
 * as its default export.
 *
 * @param file - its path; without it there are no custom parts
 * @throws InvalidInputError if it cannot be loaded or exports anything else
 */
export async function readParts(file: string | undefined): Promise<OwnParts> {
  if (file === undefined) return {};
  let module: Record<string, unknown>;
  try {
    module = await import(/* @vite-ignore */ pathToFileURL(resolve(file)).href);
  } catch (error) {
    const { message = String(error) } = error as Error;
    throw new InvalidInputError(`The parts in '${file}' cannot be loaded: ${message.replace(/\.$/, '')}.`, {
      cause: error,
    });
  }
  return partsOf(file, module);
}

function partsOf(file: string, { default: all, ...named }: Record<string, unknown>): OwnParts {
  const parts: Record<string, unknown> = { ...(isRecord(all) ? all : {}), ...named };
  if (Object.keys(parts).length === 0) {
    throw new InvalidInputError(
      `'${file}' exports no parts. Export objects of factories by name, such as: export const kernels = { cauchy };`,
    );
  }
  for (const [kind, factories] of Object.entries(parts)) {
    if (!KINDS.includes(kind as (typeof KINDS)[number])) throw unknownName('export', kind, [...KINDS], `'${file}'`);
    const wrong = isRecord(factories)
      ? Object.keys(factories).find((name) => typeof factories[name] !== 'function')
      : '';
    if (wrong === undefined) continue;
    throw new InvalidInputError(
      `'${file}' exports ${kind}${wrong === '' ? '' : `.${wrong}`}, which is not ${wrong === '' ? 'an object of factories by name' : 'a factory'}. Write: export const ${kind} = { name: factory };`,
    );
  }
  return parts as OwnParts;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Workers that know the parts of a file. */
export function workersWith(file: string, count: number): WorkerPool {
  // A thread cannot read TypeScript: run from its sources, the program starts the worker that was built from them.
  const built = import.meta.url.endsWith('.ts') ? '../../../dist/app/cli/partsWorker.js' : './partsWorker.js';
  const workerData = { parts: resolve(file) };
  return { count, start: () => new Worker(new URL(built, import.meta.url), { workerData }) };
}
