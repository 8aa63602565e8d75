/**
 * The dense linear algebra that all modules above use. An engine works in place on the memory of the float64 backend: `a`, `b`, `c`, `l` and `w` are
 * byte offsets in it, matrices are row-major, and strides count numbers, not bytes. An engine may take workspace from the memory, so that earlier
 * views may be detached by a call. Kernels, priors, models and solvers do not depend on which engine runs: plain TypeScript, WebAssembly, or the
 * system's LAPACK.
 */
export interface LinearAlgebraEngine {
  readonly name: EngineName;

  /** C ← alpha·A·B + beta·C with A m×k, B k×n, C m×n in any strides (a transpose is a swap of strides). beta = 0 ignores C. */
  gemm(m: number, n: number, k: number, alpha: number, a: Strided, b: Strided, beta: number, c: Strided): void;

  /** Lower triangle of C ← alpha·A·Aᵀ + beta·C with A n×k in any strides, C n×n contiguous. The upper triangle is not touched. */
  syrk(n: number, k: number, alpha: number, a: Strided, beta: number, c: number): void;

  /**
   * Lower triangle of A ← L with A = LLᵀ, reading the lower triangle only; the upper triangle is not touched.
   * Returns −1, or the index of the first pivot that is not positive (or not a number), whose value is then at A[i, i].
   */
  cholesky(n: number, a: number): number;

  /** B ← L⁻¹B, or L⁻ᵀB with `transpose`; L n×n lower triangular (its upper triangle is not read), B n×m contiguous. */
  triangularSolve(n: number, m: number, l: number, b: number, transpose: boolean): void;

  /** B ← LB, or LᵀB with `transpose`; L n×n lower triangular (its upper triangle is not read), B n×m contiguous. */
  triangularMultiply(n: number, m: number, l: number, b: number, transpose: boolean): void;

  /**
   * L ← (LLᵀ)⁻¹ in place, both triangles filled, exactly symmetric. With 'lower' only the lower triangle is filled, and entries above the diagonal
   * are undefined.
   */
  choleskyInverse(n: number, l: number, part?: Triangles): void;

  /** Copies the lower triangle of A to the upper one. */
  mirrorLower(n: number, a: number): void;

  /**
   * A ← V, w ← λ with A = V·diag(λ)·Vᵀ, λ ascending, column j of V the unit eigenvector of λ_j with its entry of largest
   * modulus positive (the first of equals). Reads the lower triangle. Returns 0, or 1 if the iteration did not converge.
   */
  symmetricEigen(n: number, a: number, w: number): number;
}

/** Triangles of a symmetric matrix that are filled. */
export type Triangles = 'both' | 'lower';

export type EngineName = 'typescript' | 'wasm' | 'native';

/** Diagnostics of the engine that ran. */
export interface EngineReport {
  readonly engine: EngineName;
  /** The BLAS that a native engine called: its version and file. */
  readonly engineLibrary?: string;
  /** Why 'auto' did not choose WebAssembly, as a sentence. */
  readonly engineReason?: string;
}

/** A matrix in the memory: byte offset of its first entry, and the distance, in numbers, to the next row and column. */
export interface Strided {
  readonly offset: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

/** A matrix with consecutive rows. */
export function contiguous(offset: number, columns: number): Strided {
  return { offset, rowStride: columns, columnStride: 1 };
}

/**
 * Functions of every entry of an array in the memory: `x` and `y` are byte offsets of n numbers and may be the same. Nothing is
 * allocated.
 *
 * Compiled, exp and log are within 1 and tanh within 2 units in the last place of the exact values, over the whole range. Denormal
 * numbers count in full: exp rounds correctly to them, log accepts them, and tanh returns them unchanged.
 */
export interface ElementaryFunctions {
  /** y ← exp(x); 0 below −745.14, ∞ above 709.79. */
  exponential(n: number, x: number, y: number): void;
  /** y ← log(x), natural; −∞ at ±0, NaN below. */
  logarithm(n: number, x: number, y: number): void;
  /** y ← tanh(x); keeps the sign of −0. */
  hyperbolicTangent(n: number, x: number, y: number): void;
}
