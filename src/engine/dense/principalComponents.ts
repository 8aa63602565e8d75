import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { standardizationOf, standardized } from '../../core/observations.ts';
import { counted } from '../../core/wording.ts';
import { sharedMemory } from '../memory.ts';
import { linearAlgebra } from './activeEngine.ts';
import {
  type Eigenpairs,
  isSearched,
  largest,
  type SymmetricOperator,
  symmetricEigenpairs,
  topEigenpairs,
} from './eigenpairs.ts';

/** Number of rows (or columns) that are multiplied at once. */
const SLICE = 1024;
const BYTES = 8;

/**
 * Principal component scores: the projections of the centered rows of Y on the q directions of largest variance, N×q, in descending order of variance.
 * Signs: the entry of largest modulus in each column is positive.
 *
 * @param Y - N×D
 * @param components - q, at most the rank of the centered Y
 * @throws InvalidInputError if Y does not vary in that many directions
 * @see Bishop 2006, §12.1
 */
export function principalComponents(Y: Matrix, components: number): Matrix {
  const { rows: N, columns: D } = Y;
  const most = Math.min(N - 1, D);
  if (components > most) {
    throw new InvalidInputError(
      `${components} principal components were requested, but ${N} points of ${counted(D, 'column')} have at most ${most}. ` +
        `Choose a smaller \`latentDim\`, ${components <= D ? `give at least ${components + 1} points, ` : ''}or give the start of the latents as a matrix.`,
    );
  }
  const { scores } = principalAxes(standardized(Y, standardizationOf(Y, true, false)), components);
  if (scores.columns < components) throw tooFewDirections(scores.columns, components);
  return scores;
}

/**
 * Best fit of rank q to the rows of Y around their mean: Y projected on its q principal directions, or on all directions of nonzero variance.
 *
 * @param Y - N×D
 * @param components - q, at most min(N − 1, D)
 * @returns N×D
 */
export function principalSubspaceFit(Y: Matrix, components: number): Matrix {
  const { rows: N, columns: D } = Y;
  const standardization = standardizationOf(Y, true, false);
  const { scores, axes } = principalAxes(standardized(Y, standardization), components);
  const fitted = Matrix.zeros(N, D);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < D; j++) {
      let sum = standardization.mean[j]!;
      for (let c = 0; c < scores.columns; c++) sum += scores.at(i, c) * axes.at(j, c);
      fitted.data[i * D + j] = sum;
    }
  }
  return fitted;
}

/**
 * Orthonormal basis of the centered columns of a matrix, N×r; r is 0 if all are constant.
 *
 * @param X - N×c
 */
export function centeredBasis(X: Matrix): Matrix {
  const { scores } = principalAxes(standardized(X, standardizationOf(X, true, false)), Math.min(X.rows, X.columns));
  const lengths = Float64Array.from({ length: scores.columns }, (_, c) =>
    Math.sqrt(scores.column(c).reduce((sum, entry) => sum + entry * entry, 0)),
  );
  return scores.map((entry, _, c) => entry / lengths[c]!);
}

/** Y minus its projection on the columns of an orthonormal basis U, Y − UUᵀY, N×D. */
export function residualOf(Y: Matrix, U: Matrix): Matrix {
  const { rows: N, columns: D } = Y;
  const result = new Matrix(Y.data.slice(), N, D);
  for (let c = 0; c < U.columns; c++) {
    const weights = new Float64Array(D);
    for (let i = 0; i < N; i++) for (let j = 0; j < D; j++) weights[j]! += U.at(i, c) * Y.data[i * D + j]!;
    for (let i = 0; i < N; i++) for (let j = 0; j < D; j++) result.data[i * D + j]! -= U.at(i, c) * weights[j]!;
  }
  return result;
}

function tooFewDirections(found: number, asked: number): InvalidInputError {
  if (found === 0) {
    return new InvalidInputError(
      'All points are the same, or as good as the same, so there is nothing to show. Give points that differ, and look for columns that are constant.',
    );
  }
  return new InvalidInputError(
    `The observations vary in ${found} direction${found === 1 ? '' : 's'} only, so ${asked} principal components do not ` +
      'exist. Choose a smaller `latentDim`, or give the start of the latents as a matrix.',
  );
}

/** A truncated singular value decomposition of centered observations, Yc = Σ_c √(N·λ_c)·u_c·v_cᵀ. */
export interface PrincipalAxes {
  /** λ_c: eigenvalues of YcᵀYc/N, descending. */
  readonly eigenvalues: Float64Array;
  /** Ycv_c = √(N·λ_c)·u_c as columns, N×q, the entry of largest modulus in each positive. */
  readonly scores: Matrix;
  /** v_c as columns, D×q. */
  readonly axes: Matrix;
}

/**
 * Directions of largest variance of centered observations, from the smaller of YcᵀYc and YcYcᵀ, which is formed only if many directions are needed.
 * Returns fewer than `most` if the observations vary in fewer directions.
 *
 * @param centered - Yc, N×D
 * @param most - 1 … min(N, D)
 * @see Bishop 2006, §12.1
 */
export function principalAxes(centered: Matrix, most: number): PrincipalAxes {
  const { rows: N, columns: D } = centered;
  const wide = D > N;
  const n = Math.min(N, D);
  const { values, vectors } = isSearched(n, most) ? searchedAxes(centered, most) : largest(allAxes(centered), most);
  const negligible = values[0]! * Math.max(N, D) * Number.EPSILON;
  const eigenvalues = values.filter((value) => value > negligible);
  const q = eigenvalues.length;
  const scores = Matrix.zeros(N, q);
  const axes = Matrix.zeros(D, q);
  for (let c = 0; c < q; c++) {
    const score = new Float64Array(N);
    const axis = new Float64Array(D);
    if (wide) {
      combineRows(centered, vectors.column(c), axis);
      const norm = Math.sqrt(axis.reduce((sum, entry) => sum + entry * entry, 0));
      for (let j = 0; j < D; j++) axis[j]! /= norm;
    } else axis.set(vectors.column(c));
    project(centered, axis, score);
    const largest = score.reduce((most, entry) => (Math.abs(entry) > Math.abs(most) ? entry : most), 0);
    const sign = largest < 0 ? -1 : 1;
    for (let i = 0; i < N; i++) scores.data[i * q + c] = sign * score[i]!;
    for (let j = 0; j < D; j++) axes.data[j * q + c] = sign * axis[j]!;
  }
  return { eigenvalues: eigenvalues.map((value) => value / N), scores, axes };
}

/** The q top eigenpairs of the smaller of YᵀY and YYᵀ, from products with vectors. */
function searchedAxes(Y: Matrix, q: number): Eigenpairs {
  const { rows: N, columns: D } = Y;
  const wide = D > N;
  const within = new Float64Array(wide ? D : N);
  const operator: SymmetricOperator = (x, y) => {
    if (wide) {
      combineRows(Y, x, within);
      project(Y, within, y);
    } else {
      project(Y, x, within);
      combineRows(Y, within, y);
    }
  };
  return topEigenpairs(operator, wide ? N : D, q);
}

/** All eigenpairs of the smaller of YᵀY and YYᵀ. */
function allAxes({ data, rows: N, columns: D }: Matrix): Eigenpairs {
  const [n, length] = [Math.min(N, D), Math.max(N, D)];
  const [vectorStride, entryStride] = D > N ? [D, 1] : [1, D];
  const memory = sharedMemory();
  const engine = linearAlgebra(memory);
  const most = Math.min(SLICE, length);
  return memory.withBlock(BYTES * n * (n + most), (product) => {
    const slice = product + BYTES * n * n;
    for (let begin = 0; begin < length; begin += most) {
      const count = Math.min(most, length - begin);
      const packed = memory.float64(slice, n * count);
      for (let i = 0; i < n; i++) {
        for (let k = 0; k < count; k++) packed[i * count + k] = data[i * vectorStride + (begin + k) * entryStride]!;
      }
      engine.syrk(n, count, 1, { offset: slice, rowStride: count, columnStride: 1 }, begin === 0 ? 0 : 1, product);
    }
    engine.mirrorLower(n, product);
    return symmetricEigenpairs(new Matrix(memory.float64(product, n * n).slice(), n, n));
  });
}

/** y ← Yx, four rows at a time: one sum is computed while others wait for their last term. */
function project({ data, rows: N, columns: D }: Matrix, x: Float64Array, y: Float64Array): void {
  for (let i = 0; i < N; i += 4) {
    const row0 = i * D;
    const row1 = Math.min(i + 1, N - 1) * D;
    const row2 = Math.min(i + 2, N - 1) * D;
    const row3 = Math.min(i + 3, N - 1) * D;
    let [sum0, sum1, sum2, sum3] = [0, 0, 0, 0];
    for (let j = 0; j < D; j++) {
      const own = x[j]!;
      sum0 += data[row0 + j]! * own;
      sum1 += data[row1 + j]! * own;
      sum2 += data[row2 + j]! * own;
      sum3 += data[row3 + j]! * own;
    }
    y[i] = sum0;
    if (i + 1 < N) y[i + 1] = sum1;
    if (i + 2 < N) y[i + 2] = sum2;
    if (i + 3 < N) y[i + 3] = sum3;
  }
}

/** y ← Yᵀx, two rows at a time, added in their order. */
function combineRows({ data, rows: N, columns: D }: Matrix, x: Float64Array, y: Float64Array): void {
  y.fill(0);
  let i = 0;
  for (; i + 1 < N; i += 2) {
    const [row, weight, next] = [i * D, x[i]!, x[i + 1]!];
    for (let j = 0; j < D; j++) y[j] = y[j]! + weight * data[row + j]! + next * data[row + D + j]!;
  }
  if (i === N) return;
  for (let j = 0; j < D; j++) y[j]! += x[i]! * data[i * D + j]!;
}
