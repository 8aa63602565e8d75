/** A function of a native library: numbers in, a number or a string out. */
export type ForeignFunction = (...parameters: readonly number[]) => unknown;

export interface ForeignLibrary {
  /** The function of that name; throws when the library has none. Types are C names: 'int', 'uintptr_t', 'str'. */
  func(name: string, result: string, parameters: readonly string[]): ForeignFunction;
}

/** What this folder uses of the package koffi (version 3). */
export interface ForeignInterface {
  /** Opens a shared library; throws with the system's message when that fails. */
  load(file: string): ForeignLibrary;
  /** Address of the first byte. Shared memory is taken as a view only. */
  address(bytes: Uint8Array): bigint;
}

export interface Reason {
  /** A sentence that says what is missing and what to do. */
  readonly reason: string;
}

type Require = (name: string) => unknown;

/**
 * The package koffi, loaded at once and only here. Nothing is imported: bundlers see no reference to it, and browsers get a
 * reason instead.
 */
export function foreignInterface(requirePackage: Require | undefined): ForeignInterface | Reason {
  if (requirePackage === undefined) {
    return { reason: 'The native engine needs Node.js 20.16 or later, which can load packages that call native code.' };
  }
  try {
    const koffi = requirePackage('koffi') as ForeignInterface;
    if (typeof koffi.load === 'function' && typeof koffi.address === 'function') return koffi;
    return { reason: 'The package koffi is too old for the native engine. Install version 3: npm install koffi@3' };
  } catch (error) {
    const missing = (error as { code?: unknown }).code === 'MODULE_NOT_FOUND';
    const cause = missing ? 'is not installed' : `could not be loaded (${firstLine(error)})`;
    return { reason: `The package koffi, which calls native libraries, ${cause}. Install it: npm install koffi` };
  }
}

/** First line of what an error says. */
export function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n', 1)[0]!;
}

/** Finds packages from this file on and in NODE_PATH, then from the working directory on, because koffi may be the user's rather than ours. */
export function nodeRequire(): Require | undefined {
  const node = (globalThis as { process?: Partial<NodeJS.Process> }).process;
  const createRequire = node?.getBuiltinModule?.('node:module')?.createRequire;
  if (createRequire === undefined) return undefined;
  return (name) => {
    try {
      return createRequire(import.meta.url)(name);
    } catch (error) {
      try {
        return createRequire(`${node!.cwd!()}/`)(name);
      } catch {
        throw error;
      }
    }
  };
}
