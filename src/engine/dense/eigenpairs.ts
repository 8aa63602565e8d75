import { square } from '../../core/elementary/index.ts';
import { InvalidInputError, NumericalError } from '../../core/errors.ts';
import { describe, entryInWords, Matrix } from '../../core/matrix.ts';
import { checkGiven, namedOptions } from '../../core/options.ts';
import { completed, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { type Random, seededRandom } from '../../core/random.ts';
import { columnsOf } from '../../core/rowMatrices.ts';
import { sharedMemory } from '../memory.ts';
import { gemm, rowMajor, transposed } from '../typescript/matrices.ts';
import { multiplySymmetric, signOfLargest, symmetricEigen } from '../typescript/symmetricEigen.ts';
import { norm } from '../vectors.ts';
import { linearAlgebra } from './activeEngine.ts';
import { symmetricMatrix } from './symmetric.ts';

/** Orders of dense matrices that are copied for the engine: from where that is worthwhile to half a gibibyte. */
const COPIED = { least: 100, most: 8192 };
const BYTES = 8;

/** Eigenvalues and, as columns, unit eigenvectors. The entry of largest modulus of each vector (the first of equal ones) is positive. */
export interface Eigenpairs {
  readonly values: Float64Array;
  /** Column j belongs to `values[j]`. */
  readonly vectors: Matrix;
}

/**
 * All eigenpairs of a symmetric matrix, A = V·diag(λ)·Vᵀ with λ ascending; the lower triangle is read. For large matrices the active engine is used.
 *
 * @param matrix - n×n
 * @throws InvalidInputError if the matrix is not square
 * @throws NumericalError if an entry is not finite or the iteration does not converge
 * @example
 * ```ts
 * symmetricEigenpairs(Matrix.from([[2, 1], [1, 2]])).values; // Float64Array [1, 3]
 * ```
 */
export function symmetricEigenpairs(matrix: Matrix): Eigenpairs {
  checkGiven(matrix, 'symmetricEigenpairs', 'a Matrix', (given) => given instanceof Matrix);
  const { rows: n, columns } = matrix;
  if (n !== columns) {
    throw new InvalidInputError(`Eigenvectors of a symmetric matrix need a square one, but it is ${n}×${columns}.`);
  }
  const pairs = { values: new Float64Array(n), vectors: new Matrix(matrix.data.slice(), n, n) };
  const status =
    n < COPIED.least ? symmetricEigen(n, rowMajor(pairs.vectors.data, n), pairs.values) : decomposeByEngine(n, pairs);
  if (status !== 0) throw eigenFailure(matrix);
  return pairs;
}

/** Overwrites A, stored in place of the vectors, with V; returns the engine's status. */
function decomposeByEngine(n: number, { values, vectors }: Eigenpairs): number {
  const memory64 = sharedMemory();
  return memory64.withBlock(BYTES * n * (n + 1), (a) => {
    const w = a + BYTES * n * n;
    memory64.float64(a, n * n).set(vectors.data);
    const status = linearAlgebra(memory64).symmetricEigen(n, a, w);
    vectors.data.set(memory64.float64(a, n * n));
    values.set(memory64.float64(w, n));
    return status;
  });
}

/** Error for a matrix whose eigenvalues could not be computed. */
function eigenFailure(matrix: Matrix): NumericalError {
  const { data, rows: n } = matrix;
  const index = data.findIndex((entry, k) => k % n <= Math.floor(k / n) && !Number.isFinite(entry));
  return new NumericalError(
    index < 0
      ? `The eigenvalues of the ${n}×${n} matrix did not converge. Scale the data, or report this matrix as a bug.`
      : `The ${n}×${n} matrix has no eigenvalues: ${entryInWords(matrix, index)}. ` +
          'Look for missing or overflowing values in its source.',
  );
}

/** y ← A·x for a symmetric matrix A; must not keep or change x. */
export type SymmetricOperator = (x: Float64Array, y: Float64Array) => void;

/** Products of a symmetric matrix with several vectors, one per row of x and of y. */
type BlockOperator = SymmetricOperator;

/** Up to this order all eigenpairs are computed and the rest is dropped. */
const SMALL = 64;

/** Above this order the search is used unless a third of all pairs is needed: computing all takes too much memory. */
const LARGE = 4096;

/** Up to this number of pairs the search is always used. */
const FEW = 4;

/** The search is as fast as computing all eigenpairs for q = n/64 if the matrix is available, and for q = n/24 if it must be formed from n products. */
const SHARE = { ofMatrix: 64, ofProducts: 24 };

/** Relative to the largest eigenvalue: above the rounding error of a zero residual. */
const ROUNDING = 1e-13;

/** Number of blocks after which the reported progress is one half. */
const USUAL_BLOCKS = 20;

/**
 * The q eigenpairs of largest eigenvalue of a symmetric n×n matrix given by its products with vectors, largest first.
 * Block Lanczos with full reorthogonalization: the Krylov space of a random initial block grows by a block of q vectors per step, so that all
 * eigenvalues of multiplicity up to q appear, until ‖A·v − λ·v‖ ≤ tolerance·max|λ| for all q Ritz pairs, or the space is complete.
 *
 * @param operator - y ← A·x
 * @param n - order of A
 * @param q - number of pairs, 1 … n
 * @param options - `seed` of the initial block (1), `tolerance` (1e-13)
 * @throws InvalidInputError unless q is between 1 and n
 * @throws NumericalError if the operator returns numbers that are not finite
 * @see Golub & Van Loan, Matrix Computations, §10.3
 * @example
 * ```ts
 * const { values } = topEigenpairs((x, y) => x.forEach((entry, i) => { y[i] = i * entry; }), 100, 2);
 * values; // Float64Array [99, 98]
 * ```
 */
export function topEigenpairs(
  operator: SymmetricOperator,
  n: number,
  q: number,
  options: { readonly seed?: number; readonly tolerance?: number } = {},
): Eigenpairs {
  return completed(topEigenpairsInParts(operator, n, q, options));
}

/**
 * The same with a pause after each block of products. The number of blocks is unknown, so that the reported progress approaches 1 without reaching
 * it.
 */
export function* topEigenpairsInParts(
  operator: SymmetricOperator,
  n: number,
  q: number,
  options: { readonly seed?: number; readonly tolerance?: number } = {},
): ProgressiveWork<Eigenpairs> {
  namedOptions(options, 'topEigenpairs', ['seed', 'tolerance']);
  checkCount(n, q);
  if (!isSearched(n, q, SHARE.ofProducts)) return allThenTop(operator, n, q);
  return yield* search(oneByOne(operator, n), n, q, options);
}

/**
 * The same for a matrix given in full, with products by the active engine and pauses.
 *
 * @param matrix - n×n, both triangles
 * @throws InvalidInputError unless q is between 1 and n
 * @throws NumericalError if an entry is not finite
 */
export function* topEigenpairsOf(
  matrix: Matrix,
  q: number,
  options: Parameters<typeof topEigenpairs>[3] = {},
): ProgressiveWork<Eigenpairs> {
  const { rows: n, data } = matrix;
  checkCount(n, q);
  if (!isSearched(n, q)) return largest(symmetricEigenpairs(matrix), q);
  const memory64 = sharedMemory();
  const engine = linearAlgebra(memory64);
  if (engine.name === 'typescript' || n < COPIED.least || n > COPIED.most) {
    const view = rowMajor(data, n);
    return yield* search(
      oneByOne((x, y) => multiplySymmetric(n, view, x, y), n),
      n,
      q,
      options,
    );
  }
  const bytes = BYTES * n * (n + 2 * q);
  const start = memory64.allocate(bytes);
  try {
    const [from, to] = [start + BYTES * n * n, start + BYTES * n * (n + q)];
    const columns = (offset: number) => ({ offset, rowStride: 1, columnStride: n });
    memory64.float64(start, n * n).set(data);
    const operator: BlockOperator = (x, y) => {
      memory64.float64(from, x.length).set(x);
      engine.gemm(n, x.length / n, n, 1, columns(start), columns(from), 0, columns(to));
      y.set(memory64.float64(to, y.length));
    };
    return yield* search(operator, n, q, options);
  } finally {
    memory64.release(start, bytes);
  }
}

function checkCount(n: number, q: number): void {
  if (Number.isInteger(n) && Number.isInteger(q) && q >= 1 && q <= n) return;
  throw new InvalidInputError(
    `${describe(q)} eigenpairs of a matrix of order ${describe(n)} were requested: request 1 to ${describe(n)}.`,
  );
}

/**
 * True if the search computes q of n eigenpairs, false if all are computed.
 *
 * @param share - the search is faster below n/share
 */
export function isSearched(n: number, q: number, share = SHARE.ofMatrix): boolean {
  if (n <= SMALL || 3 * q >= n) return false;
  return n > LARGE || q <= Math.max(FEW, n / share);
}

const oneByOne =
  (operator: SymmetricOperator, n: number): BlockOperator =>
  (x, y) => {
    for (let p = 0; p < x.length; p += n) operator(x.subarray(p, p + n), y.subarray(p, p + n));
  };

function* search(
  operator: BlockOperator,
  n: number,
  q: number,
  { seed = 1, tolerance = 1e-13 }: { readonly seed?: number; readonly tolerance?: number },
): ProgressiveWork<Eigenpairs> {
  const krylov = new KrylovSpace(operator, n, q, seededRandom(seed));
  for (let next = 2; ; next = Math.ceil(next * 1.25)) {
    while (krylov.blocks < next && krylov.size < n) {
      krylov.grow();
      yield krylov.blocks / (krylov.blocks + USUAL_BLOCKS);
    }
    const ritz = krylov.ritzPairs(tolerance);
    if (ritz !== undefined) return ritz;
  }
}

function allThenTop(operator: SymmetricOperator, n: number, q: number): Eigenpairs {
  const matrix = Matrix.zeros(n, n);
  const unit = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    unit.fill(0);
    unit[i] = 1;
    operator(unit, matrix.data.subarray(i * n, (i + 1) * n));
  }
  return largest(symmetricEigenpairs(matrix), q);
}

/** The last q of eigenpairs in ascending order, largest first. */
export function largest({ values, vectors }: Eigenpairs, q: number): Eigenpairs {
  const top = Int32Array.from({ length: q }, (_, j) => vectors.columns - 1 - j);
  return { values: Float64Array.from(top, (c) => values[c]!), vectors: columnsOf(vectors, top) };
}

/** An orthonormal basis of start, A·start, A²·start, …, with A restricted to its span. */
class KrylovSpace {
  /** Number of vectors on which A has acted. */
  size = 0;
  blocks = 0;
  /** The basis, row by row: `size` vectors, followed by those on which A acts next. */
  #basis: Float64Array;
  /** A times the basis, row by row. */
  #images: Float64Array;
  #known = 0;
  #projected = Matrix.zeros(0, 0);

  constructor(
    readonly operator: BlockOperator,
    readonly n: number,
    readonly width: number,
    readonly random: Random,
  ) {
    this.#basis = new Float64Array(4 * width * n);
    this.#images = new Float64Array(4 * width * n);
    for (let j = 0; j < width; j++) this.#append(undefined);
  }

  /** Applies A to the newest block and appends the new directions of the result. */
  grow(): void {
    const { n } = this;
    const end = this.#known;
    this.#images = enlarged(this.#images, end * n);
    this.operator(this.#basis.subarray(this.size * n, end * n), this.#images.subarray(this.size * n, end * n));
    for (let j = this.size; j < end && this.#known < n; j++) this.#append(this.#images.subarray(j * n, (j + 1) * n));
    this.size = end;
    this.blocks++;
  }

  /** The best approximations of the largest pairs in the space; undefined if they are not accurate enough yet. */
  ritzPairs(tolerance: number): Eigenpairs | undefined {
    const { n, size, width } = this;
    const basis = rowMajor(this.#basis, n);
    const images = rowMajor(this.#images, n);
    const projected = this.#projection();
    const badEntry = projected.data.find((entry) => !Number.isFinite(entry));
    if (badEntry !== undefined) {
      throw new NumericalError(
        `The ${n}×${n} matrix has no eigenvalues: a product with it is ${badEntry}. ` +
          'Look for missing or overflowing values in its source.',
      );
    }
    const all = symmetricEigenpairs(projected);
    const { values, vectors: coordinates } = largest(all, width);
    const norm = Math.max(Math.abs(all.values[0]!), Math.abs(values[0]!));
    if (this.#leastResidual(coordinates) > (2 * tolerance + ROUNDING) * norm) return undefined;
    const vectors = Matrix.zeros(n, width);
    const residual = new Float64Array(n * width);
    gemm(n, width, size, 1, transposed(basis), rowMajor(coordinates.data, width), 0, rowMajor(vectors.data, width));
    gemm(n, width, size, 1, transposed(images), rowMajor(coordinates.data, width), 0, rowMajor(residual, width));
    for (let j = 0; j < width; j++) {
      let squares = 0;
      for (let i = 0; i < n; i++) squares += square(residual[i * width + j]! - values[j]! * vectors.at(i, j));
      if (size < n && Math.sqrt(squares) > tolerance * norm) return undefined;
      const sign = signOfLargest(vectors.column(j), 0, n);
      for (let i = 0; i < n; i++) vectors.data[i * width + j]! *= sign;
    }
    return { values, vectors };
  }

  /**
   * Lower bound on the largest residual of pairs with these coordinates, from the vectors on which A acts next: it shows early when residuals are too
   * large.
   */
  #leastResidual(coordinates: Matrix): number {
    const { n, size, width } = this;
    const squares = new Float64Array(width);
    for (let next = size; next < this.#known; next++) {
      const outside = new Float64Array(width);
      // Images of earlier blocks are within the span.
      for (let i = Math.max(0, size - width); i < size; i++) {
        const part = dot(this.#images, i * n, this.#basis, next * n, n);
        for (let j = 0; j < width; j++) outside[j]! += part * coordinates.at(i, j);
      }
      for (let j = 0; j < width; j++) squares[j]! += square(outside[j]!);
    }
    return Math.sqrt(Math.max(...squares));
  }

  /** A restricted to the span, size×size: vᵢᵀAv_j, each computed once. */
  #projection(): Matrix {
    const { n, size } = this;
    const before = this.#projected;
    this.#projected = symmetricMatrix(size, (i, j) =>
      i < before.rows ? before.at(i, j) : dot(this.#images, i * n, this.#basis, j * n, n),
    );
    return this.#projected;
  }

  /** Appends the new direction of `vector`, or a random one if it is already in the space (or not given). */
  #append(vector: Float64Array | undefined): void {
    const { n, random } = this;
    this.#basis = enlarged(this.#basis, (this.#known + 1) * n);
    const target = this.#basis.subarray(this.#known * n, (this.#known + 1) * n);
    for (let candidate = vector; ; candidate = undefined) {
      if (candidate === undefined) for (let i = 0; i < n; i++) target[i] = random.normal();
      else target.set(candidate);
      const before = norm(target);
      // Twice is enough (Giraud, Langou & Rozložník 2005), unless only rounding error is left.
      this.#removeSpan(target);
      this.#removeSpan(target);
      const after = norm(target);
      if (after > 1e-10 * before || !Number.isFinite(before)) {
        for (let i = 0; i < n; i++) target[i]! /= after;
        break;
      }
    }
    this.#known++;
  }

  #removeSpan(target: Float64Array): void {
    const { n } = this;
    const basis = this.#basis;
    const along = new Float64Array(this.#known);
    for (let j = 0; j < this.#known; j++) along[j] = dot(basis, j * n, target, 0, n);
    let j = 0;
    // Four at a time for each entry, which is then read and written once.
    for (; j + 4 <= this.#known; j += 4) {
      const [a0, a1, a2, a3] = [along[j]!, along[j + 1]!, along[j + 2]!, along[j + 3]!];
      for (let i = 0, p = j * n; i < n; i++, p++) {
        target[i] = target[i]! - a0 * basis[p]! - a1 * basis[p + n]! - a2 * basis[p + 2 * n]! - a3 * basis[p + 3 * n]!;
      }
    }
    for (; j < this.#known; j++) {
      const factor = along[j]!;
      for (let i = 0, p = j * n; i < n; i++, p++) target[i]! -= factor * basis[p]!;
    }
  }
}

/** Σ_k x_k·y_k of n entries from two offsets on, in four independent sums. */
function dot(x: Float64Array, p: number, y: Float64Array, r: number, n: number): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  let k = 0;
  for (; k + 4 <= n; k += 4) {
    s0 += x[p + k]! * y[r + k]!;
    s1 += x[p + k + 1]! * y[r + k + 1]!;
    s2 += x[p + k + 2]! * y[r + k + 2]!;
    s3 += x[p + k + 3]! * y[r + k + 3]!;
  }
  for (; k < n; k++) s0 += x[p + k]! * y[r + k]!;
  return s0 + s1 + (s2 + s3);
}

/** Copies an array to one with space for at least `length` numbers. */
function enlarged(x: Float64Array, length: number): Float64Array {
  if (x.length >= length) return x;
  const larger = new Float64Array(Math.max(length, 2 * x.length));
  larger.set(x);
  return larger;
}
