import type { ForeignFunction, ForeignLibrary } from './foreignInterface.ts';
import { firstOf } from './routines.ts';

/** Who made a library, and how its number of threads is set. */
export interface Vendor {
  readonly name: 'OpenBLAS' | 'FlexiBLAS' | 'MKL' | 'Accelerate' | 'LAPACK';
  /** What the library says about itself, or its name where it says nothing. */
  readonly version: string;
  /** Threads that a call uses; undefined where the library does not say. */
  readonly threads: () => number | undefined;
  /** Sets them, for everything in this process that uses the library; does nothing where that can't be set. */
  readonly setThreads: (count: number) => void;
}

/** Decorations of OpenBLAS's names: usual, with 64-bit integers, and in Python's wheels. */
const openblas = (name: string) => [name, `${name}64_`, `scipy_${name}`, `scipy_${name}64_`];

/**
 * Tells libraries apart by their own functions, and Accelerate, which has none of its own for this, by its file; 'LAPACK' is one that
 * is not known here, such as the reference one.
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
