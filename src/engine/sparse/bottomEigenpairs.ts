import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { completed, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { type Eigenpairs, topEigenpairsInParts } from '../dense/eigenpairs.ts';
import { signOfLargest } from '../typescript/symmetricEigen.ts';
import { dot } from '../vectors.ts';
import { factorize, solve } from './sparseCholesky.ts';
import type { SparseSymmetric } from './sparseSymmetric.ts';
import { analyze } from './symbolicFactor.ts';

/** Residual of the eigenpairs of the inverse, relative to its largest eigenvalue. */
const TOLERANCE = 1e-12;

export interface BottomEigenpairsOptions {
  /** Diagonal of D, N numbers > 0; default the identity. */
  readonly metric?: Float64Array;
  /** σ: `solve` then solves with A + σD, which is positive definite even if A is only semidefinite. Default 0. */
  readonly shift?: number;
  /** Known eigenvectors to exclude, such as the null vectors of a Laplacian: N numbers each. */
  readonly known?: readonly Float64Array[];
  /** Seed of the initial vectors. Default 1. */
  readonly seed?: number;
  /** Tolerance of the residual of the inverse's eigenpairs. Default 1e-12. */
  readonly tolerance?: number;
}

/**
 * The q eigenpairs of smallest eigenvalue of A·v = μ·D·v, for A symmetric with A + σD positive definite and D diagonal: block
 * Lanczos on D^½(A + σD)⁻¹D^½, whose largest eigenvalues are 1/(μ + σ).
 *
 * @param size - N
 * @param solve - x ← (A + σD)⁻¹b, such as `solve` of a sparse factor; must not keep or change b
 * @param q - number of eigenpairs
 * @returns `values` μ ascending; `vectors` N×q with vᵀDv = 1 and the entry of largest modulus (the first of equal ones) positive
 * @throws InvalidInputError if q is too large, or D is not positive
 * @throws NumericalError if `solve` returns numbers that are not finite
 * @see Ericsson & Ruhe, Math. Comp. 35 (1980), on the spectral transformation
 * @example
 * ```ts
 * const factor = laplacianFactor(graph);
 * factor.update(graph.weights, 1e-6);
 * const ones = new Float64Array(graph.size).fill(1);
 * bottomEigenpairs(graph.size, factor.solve, 2, { shift: 1e-6, known: [ones] }).values; // of L itself
 * ```
 */
export function bottomEigenpairs(
  size: number,
  solve: (b: Float64Array, x: Float64Array) => void,
  q: number,
  options: BottomEigenpairsOptions = {},
): Eigenpairs {
  return completed(bottomEigenpairsInParts(size, solve, q, options));
}

/** `bottomEigenpairs` with pauses. */
export function* bottomEigenpairsInParts(
  size: number,
  solve: (b: Float64Array, x: Float64Array) => void,
  q: number,
  options: BottomEigenpairsOptions = {},
): ProgressiveWork<Eigenpairs> {
  const { metric, shift = 0, known = [], seed = 1, tolerance = TOLERANCE } = options;
  if (!Number.isInteger(q) || q < 1 || q > size - known.length) {
    throw new InvalidInputError(
      `${q} eigenpairs of a ${size}×${size} matrix were requested${known.length > 0 ? `, ${known.length} known ones left out` : ''}: ` +
        `ask for 1 to ${size - known.length}.`,
    );
  }
  const root = rootOf(metric, size);
  const leftOut = orthonormal(known, root);
  const b = new Float64Array(size);
  const inverse = (y: Float64Array, image: Float64Array) => {
    b.set(y);
    removeSpan(b, leftOut);
    multiplyBy(b, root);
    solve(b, image);
    multiplyBy(image, root);
    removeSpan(image, leftOut);
  };
  const { values, vectors } = yield* topEigenpairsInParts(inverse, size, q, { seed, tolerance });
  return { values: values.map((value) => 1 / value - shift), vectors: unscaled(vectors, root) };
}

/** Square roots of the diagonal of D. */
function rootOf(metric: Float64Array | undefined, size: number): Float64Array {
  if (metric === undefined) return new Float64Array(size).fill(1);
  if (metric.length !== size) {
    throw new InvalidInputError(`The metric has ${metric.length} numbers, but the matrix is ${size}×${size}.`);
  }
  const bad = metric.findIndex((value) => !(value > 0 && value < Infinity));
  if (bad >= 0) {
    throw new InvalidInputError(
      `Entry ${bad} of the metric is ${metric[bad]}, but all must be positive: a node without weight has no place in the embedding.`,
    );
  }
  return metric.map(Math.sqrt);
}

/** An orthonormal basis of D^½ times the vectors. */
function orthonormal(vectors: readonly Float64Array[], root: Float64Array): Float64Array[] {
  const basis: Float64Array[] = [];
  for (const vector of vectors) {
    const y = vector.map((value, i) => value * root[i]!);
    removeSpan(y, basis);
    removeSpan(y, basis);
    const norm = Math.sqrt(dot(y, y));
    basis.push(y.map((value) => value / norm));
  }
  return basis;
}

/** y ← diag(factors)·y. */
function multiplyBy(y: Float64Array, factors: Float64Array): void {
  for (let i = 0; i < y.length; i++) y[i] = y[i]! * factors[i]!;
}

function removeSpan(y: Float64Array, basis: readonly Float64Array[]): void {
  for (const direction of basis) {
    const along = dot(y, direction);
    for (let i = 0; i < y.length; i++) y[i]! -= along * direction[i]!;
  }
}

/** v = D^−½·y, with the conventional sign. */
function unscaled(vectors: Matrix, root: Float64Array): Matrix {
  const { rows, columns } = vectors;
  const result = Matrix.zeros(rows, columns);
  for (let j = 0; j < columns; j++) {
    const v = vectors.column(j);
    for (let i = 0; i < rows; i++) v[i]! /= root[i]!;
    const sign = signOfLargest(v, 0, rows);
    for (let i = 0; i < rows; i++) result.data[i * columns + j] = sign * v[i]!;
  }
  return result;
}

/** Shift relative to the mean eigenvalue: large enough for a factor, small compared with every relevant gap. */
const SHIFT = 1e-9;

interface BottomOptions {
  /** Diagonal of D, > 0; default the identity. */
  readonly metric?: Float64Array | undefined;
  /** Trace of D⁻¹A, if known. */
  readonly trace?: number;
}

/**
 * The q eigenpairs of smallest eigenvalue, except for the null vector 1, of A·v = μ·D·v for a sparse, positive semidefinite A with A·1 = 0:
 * shift-invert Lanczos on the factor of A + σD, with pauses.
 *
 * @returns μ ascending; columns vᵀDv = 1, the entry of largest modulus positive
 */
export function* bottomOfSparse(
  { pattern, values }: SparseSymmetric,
  q: number,
  options: BottomOptions = {},
): ProgressiveWork<Eigenpairs> {
  const { size, starts } = pattern;
  const D = options.metric ?? new Float64Array(size).fill(1);
  // Each column starts with its diagonal entry.
  const diagonal = D.map((_, i) => values[starts[i]!]!);
  const trace = options.trace ?? diagonal.reduce((sum, entry, i) => sum + entry / D[i]!, 0);
  const shift = (SHIFT * trace) / size;
  const shifted = values.slice();
  for (let i = 0; i < size; i++) shifted[starts[i]!] = diagonal[i]! + shift * D[i]!;
  const factor = factorize(analyze(pattern), shifted);
  const known = [new Float64Array(size).fill(1)];
  const solution = (b: Float64Array, x: Float64Array) => {
    solve(factor, b, x);
  };
  return yield* bottomEigenpairsInParts(size, solution, q, { metric: D, shift, known });
}
