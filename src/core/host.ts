import { InvalidInputError } from './errors.ts';
import { describe } from './matrix.ts';
import { readGiven } from './options.ts';

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

/** Options of a thread in Node: it inherits the arguments of its process, except `node --input-type=module -e`, which no thread may have. */
export const threadOptions = (): { readonly execArgv?: string[] } =>
  process.execArgv.some((argument) => argument.startsWith('--input-type')) ? { execArgv: [] } : {};

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

/**
 * Imports a package that users install only if they need it.
 *
 * @param name - as in `npm install`; several names are separated by spaces
 * @throws InvalidInputError if it is not installed, with the command that installs it
 */
export async function optionalPackage<T>(name: string, load: () => Promise<T>, purpose: string): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const names = name.split(' ');
    const packages = `package${names.length > 1 ? 's' : ''} ${names.join(' and ')}`;
    throw new InvalidInputError(`${purpose} takes the ${packages}: npm install ${name}`, { cause: error });
  }
}

/**
 * The reason of a file system error, in words.
 *
 * @internal
 */
export function systemReason(error: unknown): string {
  const { code, syscall } = readGiven('The error', () => {
    const { code, syscall } = (error ?? {}) as { readonly code?: unknown; readonly syscall?: unknown };
    return { code, syscall };
  });
  if (syscall === 'uv_cwd') return 'the working directory was deleted, so go to another one with `cd`';
  if (code === 'ENOENT') return 'there is no such file or folder';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ENOTDIR') return 'a part of its path is not a folder';
  if (code === 'ENOSPC') return 'the disk is full';
  if (code === 'EDQUOT') return 'the quota of the disk is used up';
  if (code === 'EROFS') return 'the file system is read-only';
  if (code === 'EMFILE' || code === 'ENFILE') return 'too many files are open, so raise their limit with `ulimit -n`';
  if (code === 'ENAMETOOLONG') return 'a name in its path is too long';
  if (code === 'ELOOP') return 'its links lead in a circle';
  if (code === 'ENXIO') return 'it is a device or a socket that nothing serves';
  if (code === 'EFBIG') return 'it is larger than a file may be here';
  return error instanceof Error ? error.message.replace(/\.$/, '') : describe(error);
}
