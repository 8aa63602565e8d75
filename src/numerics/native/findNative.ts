import { InvalidInputError } from '../../core/errors.ts';
import type { LinearAlgebraEngine } from '../dense/engine.ts';
import type { Float64Memory } from '../memory.ts';
import { type ForeignInterface, firstLine, foreignInterface, nodeRequire, type Reason } from './foreignInterface.ts';
import { lapackEngine } from './lapackEngine.ts';
import { libraryNames } from './libraryNames.ts';
import { probe } from './probe.ts';
import { routinesOf } from './routines.ts';
import { type Vendor, vendorOf } from './vendor.ts';

/** Environment variable that names the library's file. */
const VARIABLE = 'LATENTFIELD_BLAS';

export interface NativeOptions {
  /** File of the BLAS and LAPACK library; otherwise LATENTFIELD_BLAS names it, or the usual names are tried. */
  readonly library?: string;
  /** Threads that the library may use, from 1; otherwise its own choice. For the whole process, where the library lets it be set. */
  readonly threads?: number;
}

/** A library that was found, opened and tried. */
export interface NativeLibrary {
  /** File, as it was given to the system's loader. */
  readonly library: string;
  readonly vendor: Vendor['name'];
  /** What the library says about itself. */
  readonly version: string;
  /** Bits of the library's integers: 64 in ILP64 builds. */
  readonly integerBits: 32 | 64;
  /** Threads that it uses now; undefined where it does not say. */
  readonly threads: number | undefined;
  /** An engine by this library on a memory. */
  engine(memory: Float64Memory): LinearAlgebraEngine;
}

/** Where a search takes place; tests put others in its place. */
export interface Environment {
  readonly foreign: () => ForeignInterface | Reason;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/**
 * Finds the system's BLAS and LAPACK: the named file, or that of LATENTFIELD_BLAS, and no other then; otherwise OpenBLAS,
 * FlexiBLAS, MKL, liblapack with libblas, on macOS Accelerate, on Windows none.
 *
 * @returns the library, or `{ reason }`, a sentence that says what is missing and how to install it
 * @throws InvalidInputError for a number of threads that is not a positive integer
 */
export function findNative(options: NativeOptions = {}, surroundings = thisProcess()): NativeLibrary | Reason {
  const { threads } = options;
  const { variables } = surroundings;
  if (threads !== undefined && !(Number.isInteger(threads) && threads > 0)) {
    throw new InvalidInputError(`The native engine needs a positive number of threads, but ${threads} was given.`);
  }
  const named = options.library ?? variables[VARIABLE] ?? '';
  const foreign = surroundings.foreign();
  if ('reason' in foreign) return foreign;
  if (named !== '') {
    const found = open(foreign, named, threads);
    if (typeof found !== 'string') return found;
    const origin = options.library === undefined ? `, named by ${VARIABLE},` : '';
    return {
      reason: `The library '${named}'${origin} cannot be used: ${found}. Name the file of a BLAS with LAPACK, or none.`,
    };
  }
  const names = libraryNames(surroundings.platform);
  const failures: string[] = [];
  for (const name of names) {
    const found = open(foreign, name, threads);
    if (typeof found === 'string') failures.push(`${name} (${found})`);
    else return found;
  }
  return { reason: names.length === 0 ? notLookedFor() : notFound(failures) };
}

/** Opens and tries a library; returns what is wrong with it as text. */
function open(foreign: ForeignInterface, file: string, threads: number | undefined): NativeLibrary | string {
  const address = (buffer: ArrayBufferLike) => Number(foreign.address(new Uint8Array(buffer)));
  try {
    const library = foreign.load(file);
    const routines = routinesOf(library, address);
    const wrong = probe(routines, address);
    if (wrong !== undefined) return wrong;
    const { integerBits } = routines;
    const vendor = vendorOf(library, file);
    if (threads !== undefined) vendor.setThreads(threads);
    return Object.freeze<NativeLibrary>({
      library: file,
      vendor: vendor.name,
      version: vendor.version,
      integerBits,
      get threads() {
        return vendor.threads();
      },
      engine: (memory) => lapackEngine(memory, routines, address),
    });
  } catch (error) {
    return firstLine(error);
  }
}

function notLookedFor(): string {
  return `On Windows no BLAS is looked for. Name the file of one, such as libopenblas.dll, in the environment variable ${VARIABLE}.`;
}

function notFound(failures: readonly string[]): string {
  return (
    'No BLAS with LAPACK was found. Install one, on Debian and Ubuntu with apt-get install libopenblas0-pthread, or name its ' +
    `file in the environment variable ${VARIABLE}. Tried: ${failures.join('; ')}.`
  );
}

function thisProcess(): Environment {
  const node = (globalThis as { process?: Partial<NodeJS.Process> }).process;
  return {
    foreign: () => foreignInterface(nodeRequire()),
    variables: node?.env ?? {},
    platform: node?.platform ?? '',
  };
}
