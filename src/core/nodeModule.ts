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
