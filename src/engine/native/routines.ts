import { LatentFieldError } from '../../core/errors.ts';

export type Transposition = 'N' | 'T';
export type Side = 'L' | 'R';

/**
 * The routines of BLAS and LAPACK that the engine calls, on column-major matrices given by address. They have their Fortran names, which every
 * library has, and use the upper triangle, the lower one of a row-major matrix.
 */
export interface Routines {
  /** C ← alpha·op(A)·op(B) + beta·C with C m×n. */
  dgemm(
    transposeA: Transposition,
    transposeB: Transposition,
    m: number,
    n: number,
    k: number,
    alpha: number,
    a: number,
    lda: number,
    b: number,
    ldb: number,
    beta: number,
    c: number,
    ldc: number,
  ): void;
  /** C ← alpha·A·Aᵀ + beta·C, or alpha·Aᵀ·A + beta·C, with C n×n. */
  dsyrk(
    transpose: Transposition,
    n: number,
    k: number,
    alpha: number,
    a: number,
    lda: number,
    beta: number,
    c: number,
    ldc: number,
  ): void;
  /** B ← B·op(U)⁻¹ with B m×n. */
  dtrsm(transpose: Transposition, m: number, n: number, u: number, ldu: number, b: number, ldb: number): void;
  /** B ← alpha·B·op(U) with B m×n, or from the left alpha·op(U)·B. */
  dtrmm(
    side: Side,
    transpose: Transposition,
    m: number,
    n: number,
    alpha: number,
    u: number,
    ldu: number,
    b: number,
    ldb: number,
  ): void;
  /** A ← U with A = UᵀU; returns 0, or the number of the first pivot that is not positive. */
  dpotrf(n: number, a: number, lda: number): number;
  /** U ← U⁻¹; returns 0, or the number of the first diagonal entry that is zero. */
  dtrtri(n: number, u: number, ldu: number): number;
  /** U ← U·Uᵀ. */
  dlauum(n: number, u: number, ldu: number): void;
  /** A ← V, w ← λ ascending with A = V·diag(λ)·Vᵀ; returns 0, or another number if the iteration did not converge. */
  dsyevd(
    n: number,
    a: number,
    lda: number,
    w: number,
    work: number,
    workLength: number,
    integers: number,
    integersLength: number,
  ): number;
  /** Bits of the library's integers, as written by the last routine that returned a status. */
  readonly integerBits: 32 | 64;
}

/** Variants of Fortran names: usual, with 64-bit integers, in Python's wheels of OpenBLAS, and on Windows. */
const DECORATIONS = [
  (name: string) => `${name}_`,
  (name: string) => `${name}_64_`,
  (name: string) => `scipy_${name}_`,
  (name: string) => `scipy_${name}_64_`,
  (name: string) => name,
];

/** The routines of a library; throws if one is missing. */
export function routinesOf(library: ForeignLibrary, address: (buffer: ArrayBuffer) => number): Routines {
  const store = scalars(address);
  const { letter, integer, real, status } = store;
  const routine = (name: string, letters: number, others: number) => fortran(library, name, letters, others);
  const dgemm = routine('dgemm', 2, 11);
  const dsyrk = routine('dsyrk', 2, 8);
  const dtrsm = routine('dtrsm', 4, 7);
  const dtrmm = routine('dtrmm', 4, 7);
  const dpotrf = routine('dpotrf', 1, 4);
  const dtrtri = routine('dtrtri', 2, 4);
  const dlauum = routine('dlauum', 1, 4);
  const dsyevd = routine('dsyevd', 2, 9);
  const upper = letter('U');
  const vectors = letter('V');
  const no = letter('N');

  function triangular(call: ForeignFunction): Routines['dtrmm'] {
    return (side, transpose, m, n, alpha, u, ldu, b, ldb) => {
      const sizes = [integer(0, m), integer(1, n), real(2, alpha)] as const;
      call(letter(side), upper, letter(transpose), no, ...sizes, u, integer(3, ldu), b, integer(4, ldb), 1, 1, 1, 1);
    };
  }
  const solve = triangular(dtrsm);

  return {
    dgemm(transposeA, transposeB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
      const [ta, tb] = [letter(transposeA), letter(transposeB)];
      const sizes = [integer(0, m), integer(1, n), integer(2, k)] as const;
      const left = [real(3, alpha), a, integer(4, lda)] as const;
      dgemm(ta, tb, ...sizes, ...left, b, integer(5, ldb), real(6, beta), c, integer(7, ldc), 1, 1);
    },
    dsyrk(transpose, n, k, alpha, a, lda, beta, c, ldc) {
      const sizes = [integer(0, n), integer(1, k)] as const;
      const source = [real(2, alpha), a, integer(3, lda)] as const;
      dsyrk(upper, letter(transpose), ...sizes, ...source, real(4, beta), c, integer(5, ldc), 1, 1);
    },
    dtrsm: (transpose, m, n, u, ldu, b, ldb) => solve('R', transpose, m, n, 1, u, ldu, b, ldb),
    dtrmm: triangular(dtrmm),
    dpotrf(n, a, lda) {
      dpotrf(upper, integer(0, n), a, integer(1, lda), status(), 1);
      return store.info;
    },
    dtrtri(n, u, ldu) {
      dtrtri(upper, no, integer(0, n), u, integer(1, ldu), status(), 1, 1);
      return store.info;
    },
    dlauum(n, u, ldu) {
      dlauum(upper, integer(0, n), u, integer(1, ldu), status(), 1);
    },
    dsyevd(n, a, lda, w, work, workLength, integers, integersLength) {
      const matrix = [integer(0, n), a, integer(1, lda), w] as const;
      const workspace = [work, integer(2, workLength), integers, integer(3, integersLength)] as const;
      dsyevd(vectors, upper, ...matrix, ...workspace, status(), 1, 1);
      return store.info;
    },
    get integerBits() {
      return store.integerBits;
    },
  };
}

/** A Fortran routine: all arguments are addresses, followed by the lengths of the letters, which gfortran expects. */
function fortran(library: ForeignLibrary, name: string, letters: number, others: number): ForeignFunction {
  const parameters = [
    ...new Array<string>(letters + others).fill('uintptr_t'),
    ...new Array<string>(letters).fill('size_t'),
  ];
  const found = firstOf(
    library,
    DECORATIONS.map((decorated) => decorated(name)),
    'void',
    parameters,
  );
  if (found === undefined) throw new LatentFieldError(`it has no ${name}`);
  return found;
}

/** The first of these functions that the library has. */
export function firstOf(
  library: ForeignLibrary,
  names: readonly string[],
  result: string,
  parameters: readonly string[],
): ForeignFunction | undefined {
  for (const name of names) {
    try {
      return library.func(name, result, parameters);
    } catch {
      // The next name may exist.
    }
  }
  return undefined;
}

const SLOT_BYTES = 8;
const SLOTS = 16;
const LETTERS = 'NTLRUV';

/** Scalars of one call, which Fortran expects by reference. Each method stores a value and returns its address. */
export interface Scalars {
  letter(value: string): number;
  integer(slot: number, value: number): number;
  real(slot: number, value: number): number;
  /** Address for the status of a routine, initialized with all bits set. */
  status(): number;
  /** The status that the routine wrote. */
  readonly info: number;
  /** Width of the integer that a routine wrote as its status: 32 bits, or 64 (ILP64 builds). */
  readonly integerBits: 32 | 64;
}

/**
 * Every slot has eight bytes, little-endian, with the upper half of an integer zero, so that libraries with 32-bit and with 64-bit integers read the
 * same number.
 *
 * @param address - address of an ArrayBuffer; views shorter than 64 bytes may move
 */
export function scalars(address: (buffer: ArrayBuffer) => number): Scalars {
  const buffer = new ArrayBuffer(SLOT_BYTES * (SLOTS + LETTERS.length + 1));
  const start = address(buffer);
  const integers = new Int32Array(buffer);
  const reals = new Float64Array(buffer);
  const bytes = new Uint8Array(buffer);
  const firstLetter = SLOTS + 1;
  for (let i = 0; i < LETTERS.length; i++) bytes[SLOT_BYTES * (firstLetter + i)] = LETTERS.charCodeAt(i);

  return {
    letter(value) {
      return start + SLOT_BYTES * (firstLetter + LETTERS.indexOf(value));
    },
    integer(slot, value) {
      integers[2 * slot] = value;
      integers[2 * slot + 1] = 0;
      return start + SLOT_BYTES * slot;
    },
    real(slot, value) {
      reals[slot] = value;
      return start + SLOT_BYTES * slot;
    },
    status() {
      integers.fill(-1, 2 * SLOTS, 2 * SLOTS + 2);
      return start + SLOT_BYTES * SLOTS;
    },
    get info() {
      return integers[2 * SLOTS]!;
    },
    get integerBits() {
      // A nonnegative 64-bit status clears the upper half.
      return integers[2 * SLOTS + 1] === 0 ? 64 : 32;
    },
  };
}

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
  /** A sentence that names the missing part and the remedy. */
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
