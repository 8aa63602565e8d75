/** A function of a native library: numbers in, a number or a string out. */
export type ForeignFunction = (...parameters: readonly number[]) => unknown;

export interface ForeignLibrary {
  /** The function of this name; throws if the library has none. Types are C names: 'int', 'uintptr_t', 'str'. */
  func(name: string, result: string, parameters: readonly string[]): ForeignFunction;
}

/** The part of the package koffi (version 3) that is used. */
export interface ForeignInterface {
  /** Opens a shared library; throws with the system's message if that fails. */
  load(file: string): ForeignLibrary;
  /** Address of the first byte. Shared memory is only accepted as a view. */
  address(bytes: Uint8Array): bigint;
}

export interface Reason {
  /** A sentence that says what is missing and what to do. */
  readonly reason: string;
}

type Require = (name: string) => unknown;

/** Loads the package koffi. It is not imported, so that bundlers see no reference to it and browsers get a reason instead. */
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

/** First line of an error's message. */
export function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n', 1)[0]!;
}

/** Finds packages from this file, from NODE_PATH and from the working directory, because koffi may be installed by the user. */
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
