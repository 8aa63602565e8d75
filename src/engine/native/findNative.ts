import { InvalidInputError } from '../../core/errors.ts';
import type { Float64Memory } from '../memory.ts';
import type { LinearAlgebraEngine } from '../operations/linearAlgebra.ts';
import { lapackEngine } from './lapackEngine.ts';
import {
  type ForeignFunction,
  type ForeignInterface,
  type ForeignLibrary,
  firstLine,
  firstOf,
  foreignInterface,
  nodeRequire,
  type Reason,
  type Routines,
  routinesOf,
} from './routines.ts';

/** Environment variable with the library's file. */
const VARIABLE = 'LATENTFIELD_BLAS';

export interface NativeOptions {
  /** File of the BLAS and LAPACK library; default LATENTFIELD_BLAS, otherwise the usual names are tried. */
  readonly library?: string;
  /** Number of threads of the library, from 1; default its own choice. It applies to the whole process if the library allows it to be set. */
  readonly threads?: number;
}

/** A native library that has been opened and tested. */
export interface NativeLibrary {
  /** File, as given to the system's loader. */
  readonly library: string;
  readonly vendor: Vendor['name'];
  /** The library's description of itself. */
  readonly version: string;
  /** Bits of the library's integers: 64 in ILP64 builds. */
  readonly integerBits: 32 | 64;
  /** Number of threads that it uses now; undefined if unknown. */
  readonly threads: number | undefined;
  /** Creates an engine with this library on a memory. */
  engine(memory: Float64Memory): LinearAlgebraEngine;
}

/** Environment of a search, which tests replace. */
export interface Environment {
  readonly foreign: () => ForeignInterface | Reason;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/**
 * Finds the system's BLAS and LAPACK: only the named file or the file in LATENTFIELD_BLAS, if set; otherwise OpenBLAS, FlexiBLAS, MKL, liblapack with
 * libblas, on macOS Accelerate, on Windows none.
 *
 * @returns the library, or `{ reason }`, a sentence that names the missing part and how to install it
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

/** Opens and tests a library; returns the problem as text if there is one. */
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
    'There is no BLAS with LAPACK. Install one, on Debian and Ubuntu with apt-get install libopenblas0-pthread, or name its ' +
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

/** Variants of one library by the names that systems use; the first that loads is used. */
const LINUX = [
  'libopenblas.so.0',
  'libopenblasp.so.0',
  'libopenblas.so.3',
  'libopenblas.so',
  'libflexiblas.so.3',
  'libmkl_rt.so.2',
  'libmkl_rt.so',
  // Loads libblas, too.
  'liblapack.so.3',
];

const MACOS = [
  '/System/Library/Frameworks/Accelerate.framework/Accelerate',
  '/opt/homebrew/opt/openblas/lib/libopenblas.dylib',
  '/usr/local/opt/openblas/lib/libopenblas.dylib',
];

/** Files of BLAS and LAPACK that are tried if none is named, best first; none on Windows. */
export function libraryNames(platform: string): readonly string[] {
  if (platform === 'win32') return [];
  return platform === 'darwin' ? MACOS : LINUX;
}

/**
 * Tests a library on matrices of order 2 in its own 64-byte buffers: A = [4 2; 2 10] has the factor L = [2 0; 1 3] and LLᵀ = A. Returns the problem,
 * or undefined.
 */
export function probe(routines: Routines, address: (buffer: ArrayBuffer) => number): string | undefined {
  const buffer = new ArrayBuffer(64);
  const start = address(buffer);
  const [lower, product] = [new Float64Array(buffer, 0, 4), new Float64Array(buffer, 32, 4)];
  // The upper triangle must not be touched.
  lower.set([4, 7, 2, 10]);
  const status = routines.dpotrf(2, start, 2);
  if (status !== 0 || !equal(lower, [2, 7, 1, 3])) {
    return `its dpotrf factors [4 2; 2 10] wrongly (status ${status}, lower triangle ${lower[0]}, ${lower[2]}, ${lower[3]})`;
  }
  lower[1] = 0;
  product.fill(Number.NaN);
  routines.dgemm('T', 'N', 2, 2, 2, 1, start, 2, start, 2, 0, start + 32, 2);
  return equal(product, [4, 2, 2, 10]) ? undefined : `its dgemm multiplies wrongly (${product.join(', ')})`;
}

function equal(actual: Float64Array, expected: readonly number[]): boolean {
  return actual.every((value, i) => Math.abs(value - expected[i]!) < 1e-14);
}

/** Vendor of a library, and how its number of threads is set. */
export interface Vendor {
  readonly name: 'OpenBLAS' | 'FlexiBLAS' | 'MKL' | 'Accelerate' | 'LAPACK';
  /** Version string of the library, or its name if it has none. */
  readonly version: string;
  /** Number of threads that a call uses; undefined if unknown. */
  readonly threads: () => number | undefined;
  /** Sets the number of threads for the whole process; does nothing if the library does not allow it. */
  readonly setThreads: (count: number) => void;
}

/** Variants of OpenBLAS's names: usual, with 64-bit integers, and in Python's wheels. */
const openblas = (name: string) => [name, `${name}64_`, `scipy_${name}`, `scipy_${name}64_`];

/**
 * Identifies a library by its own functions, and Accelerate, which has none, by its file; 'LAPACK' is any other one, such as the reference
 * implementation.
 */
export function vendorOf(library: ForeignLibrary, file: string): Vendor {
  const flexiblas = firstOf(library, ['flexiblas_set_num_threads'], 'void', ['int']);
  if (flexiblas !== undefined) {
    const count = firstOf(library, ['flexiblas_get_num_threads'], 'int', []);
    return threaded('FlexiBLAS', 'FlexiBLAS', flexiblas, count);
  }
  const open = firstOf(library, openblas('openblas_set_num_threads'), 'void', ['int']);
  if (open !== undefined) {
    const version = firstOf(library, openblas('openblas_get_config'), 'str', []);
    const count = firstOf(library, openblas('openblas_get_num_threads'), 'int', []);
    return threaded('OpenBLAS', String(version?.() ?? 'OpenBLAS').trim(), open, count);
  }
  const mkl = firstOf(library, ['MKL_Set_Num_Threads'], 'void', ['int']);
  if (mkl !== undefined) {
    return threaded('MKL', 'MKL', mkl, firstOf(library, ['MKL_Get_Max_Threads'], 'int', []));
  }
  return unthreaded(/(^|\/)(Accelerate|vecLib)$/.test(file) ? 'Accelerate' : 'LAPACK');
}

function unthreaded(name: Vendor['name']): Vendor {
  return { name, version: name, threads: () => undefined, setThreads: () => undefined };
}

function threaded(
  name: Vendor['name'],
  version: string,
  set: ForeignFunction,
  count: ForeignFunction | undefined,
): Vendor {
  return {
    name,
    version,
    threads: () => (count === undefined ? undefined : Number(count())),
    setThreads(threads) {
      set(threads);
    },
  };
}
