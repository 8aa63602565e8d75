import { NumericalError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';

/** How every point is made of its neighbours, row by row: y_i ≈ Σ_n weights[n]·y_(neighbours[n]) for starts[i] ≤ n < starts[i + 1]. */
export interface Reconstruction {
  /** N + 1 entries. */
  readonly starts: Int32Array;
  readonly neighbours: Int32Array;
  /** Those of one point add up to 1. */
  readonly weights: Float64Array;
}

/**
 * The weights of locally linear embedding: w_i ∝ C⁻¹1 with C_ab = (y_i − y_a)ᵀ(y_i − y_b) over the neighbours of i, and
 * regularization·tr(C) added to the diagonal.
 *
 * @param Y - N×D
 * @param neighbours - of every point, other points
 * @param regularization - > 0, part of the trace
 * @param nameOf - what errors call a point
 * @throws NumericalError when a point's C is singular all the same
 * @see Roweis & Saul 2000; Saul & Roweis 2003, §5.1
 */
export function reconstructionWeights(
  { data, columns: D }: Matrix,
  neighbours: readonly (readonly number[] | Int32Array)[],
  regularization: number,
  nameOf: (point: number) => string = (i) => `Point ${i}`,
): Reconstruction {
  const starts = new Int32Array(neighbours.length + 1);
  neighbours.forEach(({ length }, i) => {
    starts[i + 1] = starts[i]! + length;
  });
  const weights = new Float64Array(starts[neighbours.length]!);
  const all = new Int32Array(weights.length);
  const most = neighbours.reduce((largest, { length }) => Math.max(largest, length), 0);
  const differences = new Float64Array(most * D);
  const gram = new Float64Array(most * most);
  neighbours.forEach((own, i) => {
    const k = own.length;
    all.set(own, starts[i]);
    for (let a = 0; a < k; a++) {
      const j = own[a]!;
      for (let d = 0; d < D; d++) differences[a * D + d] = data[i * D + d]! - data[j * D + d]!;
    }
    const C = gram.subarray(0, k * k);
    for (let a = 0; a < k; a++) {
      for (let b = 0; b <= a; b++) {
        let sum = 0;
        for (let d = 0; d < D; d++) sum += differences[a * D + d]! * differences[b * D + d]!;
        C[a * k + b] = sum;
      }
    }
    weights.set(gramWeights(C, k, regularization, nameOf(i)), starts[i]);
  });
  return { starts, neighbours: all, weights };
}

/**
 * w ∝ (C + regularization·tr(C)·I)⁻¹1 with Σ_a w_a = 1, for the k×k Gram matrix of the differences of a point and its neighbours. Overwrites
 * the lower triangle of C, which alone is read.
 *
 * @throws NumericalError when C is not positive definite all the same
 */
export function gramWeights(C: Float64Array, k: number, regularization: number, name: string): Float64Array {
  let trace = 0;
  for (let a = 0; a < k; a++) trace += C[a * k + a]!;
  // Neighbours in the very place of the point share it equally.
  for (let a = 0; a < k; a++) C[a * k + a]! += trace > 0 ? regularization * trace : 1;
  const solution = solvePositiveDefinite(C, k, name);
  const total = solution.reduce((sum, weight) => sum + weight, 0);
  return solution.map((weight) => weight / total);
}

/** C⁻¹1 by a Cholesky factor written over the lower triangle of C, k×k. */
function solvePositiveDefinite(C: Float64Array, k: number, name: string): Float64Array {
  for (let a = 0; a < k; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = C[a * k + b]!;
      for (let c = 0; c < b; c++) sum -= C[a * k + c]! * C[b * k + c]!;
      if (a > b) C[a * k + b] = sum / C[b * k + b]!;
      else if (sum > 0) C[a * k + a] = Math.sqrt(sum);
      else {
        throw new NumericalError(
          `${name} cannot be reconstructed from its ${k} neighbours: their ${k}×${k} Gram matrix is singular at pivot ${a}. ` +
            'Raise the regularization, or take fewer neighbours.',
        );
      }
    }
  }
  const x = new Float64Array(k).fill(1);
  for (let a = 0; a < k; a++) {
    for (let b = 0; b < a; b++) x[a]! -= C[a * k + b]! * x[b]!;
    x[a]! /= C[a * k + a]!;
  }
  for (let a = k - 1; a >= 0; a--) {
    for (let b = a + 1; b < k; b++) x[a]! -= C[b * k + a]! * x[b]!;
    x[a]! /= C[a * k + a]!;
  }
  return x;
}
