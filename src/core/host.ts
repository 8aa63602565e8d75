import { InvalidInputError } from './errors.ts';

/**
 * Imports a module of Node. The name is hidden from bundlers, which would otherwise look for the module in a browser.
 *
 * @param purpose - begins the error message
 * @throws InvalidInputError outside of Node
 */
export async function nodeModule<T>(name: string, purpose: string): Promise<T> {
  if (!isNode()) throw new InvalidInputError(purpose);
  return (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as T;
}

export function isNode(): boolean {
  return typeof process !== 'undefined' && typeof process.versions?.node === 'string';
}

/** Value of an environment variable; undefined if it is not set or may not be read, as in Deno without permission. */
export function environmentVariable(name: string): string | undefined {
  try {
    return typeof process === 'undefined' ? undefined : process.env?.[name];
  } catch {
    return undefined;
  }
}

/** The count limited to the number of processors, but at least two. */
export async function atMostProcessors(count: number): Promise<number> {
  return Math.min(count, Math.max(2, await processors()));
}

/** Number of processors available to this process. */
export async function processors(): Promise<number> {
  if (!isNode()) return globalThis.navigator?.hardwareConcurrency ?? 1;
  const { availableParallelism } = await nodeModule<typeof import('node:os')>('node:os', 'Not in Node.');
  return availableParallelism();
}
