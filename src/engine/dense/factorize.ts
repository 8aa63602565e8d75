import { log } from '../../core/elementary/index.ts';
import { NumericalError } from '../../core/errors.ts';
import { entryInWords } from '../../core/matrix.ts';
import type { Float64Memory } from '../memory.ts';
import type { LinearAlgebraEngine } from '../operations/linearAlgebra.ts';

/** Options of an operation on a positive definite matrix. */
export interface PositiveDefiniteOptions {
  /** Name of the matrix at the start of error messages: 'The covariance of the mapping'. */
  readonly name?: string;
  /** Called with the jitter, if one had to be added, and the mean square of the data of a log density. */
  readonly onJitter?: (jitter: number, meanSquare?: number) => void;
}

/** Jitters relative to the mean of the diagonal, in the order of the attempts. */
const JITTERS = [0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4];

/**
 * Lower triangle of `target` ← L with LLᵀ = A + jitter·I, where jitter is the first of 0, 10⁻¹⁰·m, 10⁻⁹·m, …, 10⁻⁴·m that makes the matrix positive
 * definite in double precision, and m the mean of the diagonal of A. Above its diagonal, `target` contains the entries of A.
 *
 * @param source - byte offset of A, n×n; only the lower triangle is read
 * @param target - byte offset of n×n numbers
 * @throws NumericalError if an entry of A is not finite, or the largest jitter is not enough
 */
export function factorize(
  memory: Float64Memory,
  algebra: LinearAlgebraEngine,
  n: number,
  source: number,
  target: number,
  { name = 'The matrix', onJitter }: PositiveDefiniteOptions,
): void {
  let pivot = -1;
  let rest = 0;
  for (const relative of JITTERS) {
    const jitter = copyWithJitter(memory, n, source, target, relative);
    const failed = algebra.cholesky(n, target);
    const factor = memory.float64(target, n * n);
    if (failed < 0) {
      if (n > 0 && !diagonalIsFinite(n, factor)) throw notFinite(n, memory.float64(source, n * n), name);
      if (jitter > 0) onJitter?.(jitter);
      return;
    }
    if (relative === 0) {
      pivot = failed;
      rest = factor[failed * (n + 1)]!;
      const matrix = memory.float64(source, n * n);
      if (firstBadEntry(n, matrix) >= 0) throw notFinite(n, matrix, name);
      if (!(meanDiagonal(n, matrix) > 0)) throw notPositiveDefinite(n, matrix, name, pivot, rest);
    }
  }
  throw notPositiveDefinite(n, memory.float64(source, n * n), name, pivot, rest);
}

/** Sets the entries above the diagonal to zero. */
export function clearUpper(n: number, matrix: Float64Array): void {
  for (let i = 0; i < n; i++) matrix.fill(0, i * n + i + 1, (i + 1) * n);
}

/** log|A| = 2·Σ log Lᵢᵢ from the factor. */
export function logDeterminantOf(n: number, factor: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += log(factor[i * (n + 1)]!);
  return 2 * sum;
}

function copyWithJitter(memory: Float64Memory, n: number, source: number, target: number, relative: number): number {
  const matrix = memory.float64(source, n * n);
  const copy = memory.float64(target, n * n);
  copy.set(matrix);
  if (relative === 0) return 0;
  const jitter = relative * meanDiagonal(n, matrix);
  for (let i = 0; i < n; i++) copy[i * (n + 1)]! += jitter;
  return jitter;
}

function meanDiagonal(n: number, matrix: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += matrix[i * (n + 1)]! / n;
  return sum;
}

function diagonalIsFinite(n: number, factor: Float64Array): boolean {
  for (let i = 0; i < n; i++) if (!Number.isFinite(factor[i * (n + 1)]!)) return false;
  return true;
}

/** Index of the first entry of the lower triangle that is not finite, or −1. */
export function firstBadEntry(n: number, matrix: Float64Array): number {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) if (!Number.isFinite(matrix[i * n + j]!)) return i * n + j;
  }
  return -1;
}

/** Error for a matrix with an entry in its lower triangle that is not finite. */
export function notFinite(n: number, matrix: Float64Array, name: string): NumericalError {
  const index = firstBadEntry(n, matrix);
  return new NumericalError(
    index < 0
      ? `${name} (${n}×${n}) is too large to be factored: its entries are finite, but their sums of products are not. Scale the data down.`
      : `${name} (${n}×${n}) must be finite, but ${entryInWords({ data: matrix, columns: n }, index)}. ` +
          'Look for missing values in the data, and for parameters that have run off to extreme values.',
  );
}

function notPositiveDefinite(
  n: number,
  matrix: Float64Array,
  name: string,
  pivot: number,
  rest: number,
): NumericalError {
  const mean = meanDiagonal(n, matrix);
  const tried =
    mean > 0
      ? `and adding ${(1e-4 * mean).toPrecision(3)}, 1e-4 times the mean of its diagonal, was not enough`
      : `and the mean of its diagonal, ${mean.toPrecision(3)}, is not positive either`;
  return new NumericalError(
    `${name} (${n}×${n}) is not positive definite: pivot ${pivot} is ${rest.toPrecision(3)} instead of positive, ${tried}. ` +
      'Increase the noise variance, remove duplicate points, or check that the matrix is a covariance.',
  );
}
