import { InvalidInputError } from './errors.ts';

/**
 * A module of Node, in Node. The name is out of sight of bundlers, which would otherwise look for the module in a browser.
 *
 * @param purpose - begins the error message
 * @throws InvalidInputError elsewhere
 */
export async function nodeModule<T>(name: string, purpose: string): Promise<T> {
  if (!isNode()) throw new InvalidInputError(purpose);
  return (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as T;
}

export function isNode(): boolean {
  return typeof process !== 'undefined' && typeof process.versions?.node === 'string';
}

/** A variable of the environment; undefined where there is none, and where the program may not read it, as in Deno without permission. */
export function environmentVariable(name: string): string | undefined {
  try {
    return typeof process === 'undefined' ? undefined : process.env?.[name];
  } catch {
    return undefined;
  }
}

/** Threads or workers that a count comes to: at most one for each processor, and two where there is one. */
export async function atMostProcessors(count: number): Promise<number> {
  return Math.min(count, Math.max(2, await processors()));
}

/** How many processors this process may use. */
export async function processors(): Promise<number> {
  if (!isNode()) return globalThis.navigator?.hardwareConcurrency ?? 1;
  const { availableParallelism } = await nodeModule<typeof import('node:os')>('node:os', 'Not in Node.');
  return availableParallelism();
}
