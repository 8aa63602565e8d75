import { NumericalError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { repeatsInWords } from '../../core/rowMatrices.ts';
import { solvePositiveDefinite } from '../dense/products.ts';

/** Reconstruction of every point from its neighbors, row by row: y_i ≈ Σ_n weights[n]·y_(neighbors[n]) for starts[i] ≤ n < starts[i + 1]. */
export interface Reconstruction {
  /** N + 1 entries. */
  readonly starts: Int32Array;
  readonly neighbors: Int32Array;
  /** Weights, which sum to 1 for each point. */
  readonly weights: Float64Array;
}

/**
 * The weights of locally linear embedding: w_i ∝ C⁻¹1 with C_ab = (y_i − y_a)ᵀ(y_i − y_b) over the neighbors of i, and
 * regularization·tr(C) added to the diagonal.
 *
 * @param Y - N×D
 * @param neighbors - neighbors of every point
 * @param regularization - > 0, relative to the trace
 * @param nameOf - name of a point in errors; default 'Point 3' and so on
 * @throws NumericalError if a point's C is singular in spite of it
 * @see Roweis & Saul 2000; Saul & Roweis 2003, §5.1
 */
export function reconstructionWeights(
  Y: Matrix,
  neighbors: readonly (readonly number[] | Int32Array)[],
  regularization: number,
  nameOf?: (point: number) => string,
): Reconstruction {
  const { data, columns: D } = Y;
  const pointOf = nameOf ?? ((i: number) => `Point index ${i}`);
  const advice = () => (nameOf === undefined ? repeatsAdvice(Y) : undefined);
  const starts = new Int32Array(neighbors.length + 1);
  neighbors.forEach(({ length }, i) => {
    starts[i + 1] = starts[i]! + length;
  });
  const weights = new Float64Array(starts[neighbors.length]!);
  const all = new Int32Array(weights.length);
  const most = neighbors.reduce((largest, { length }) => Math.max(largest, length), 0);
  const differences = new Float64Array(most * D);
  const gram = new Float64Array(most * most);
  neighbors.forEach((own, i) => {
    const k = own.length;
    all.set(own, starts[i]);
    for (let a = 0; a < k; a++) {
      const j = own[a]!;
      for (let d = 0; d < D; d++) differences[a * D + d] = data[i * D + d]! - data[j * D + d]!;
    }
    for (let a = 0; a < k; a++) {
      for (let b = 0; b <= a; b++) {
        let sum = 0;
        for (let d = 0; d < D; d++) sum += differences[a * D + d]! * differences[b * D + d]!;
        gram[a * k + b] = sum;
      }
    }
    gramWeights(gram, k, regularization, () => pointOf(i), weights.subarray(starts[i]!, starts[i + 1]!), advice);
  });
  return { starts, neighbors: all, weights };
}

/** Advice about repeated rows, which neighbors cannot distinguish; undefined if all rows differ. */
export function repeatsAdvice(Y: Matrix): string | undefined {
  const repeats = repeatsInWords(Y);
  return repeats && `${repeats}: leave repeated rows out.`;
}

/**
 * w ∝ (C + regularization·tr(C)·I)⁻¹1 with Σ_a w_a = 1, for the k×k Gram matrix C of the differences between a point and its neighbors. Only the
 * lower triangle of C is read, and it is overwritten.
 *
 * @param w - receives the weights
 * @param advice - specific remedy for a singular C, if known
 * @throws NumericalError if C is not positive definite in spite of it
 */
export function gramWeights(
  C: Float64Array,
  k: number,
  regularization: number,
  nameOf: () => string,
  w: Float64Array = new Float64Array(k),
  advice?: () => string | undefined,
): Float64Array {
  let trace = 0;
  for (let a = 0; a < k; a++) trace += C[a * k + a]!;
  // Neighbors that coincide with the point share it equally.
  for (let a = 0; a < k; a++) C[a * k + a]! += trace > 0 ? regularization * trace : 1;
  if (!solvePositiveDefinite(C, k, w.fill(1))) {
    throw new NumericalError(
      `${nameOf()} cannot be reconstructed from its ${k} neighbors: their ${k}×${k} Gram matrix is singular. ` +
        (advice?.() ?? 'Raise the regularization, or take fewer neighbors.'),
    );
  }
  let total = 0;
  for (let a = 0; a < k; a++) total += w[a]!;
  for (let a = 0; a < k; a++) w[a]! /= total;
  return w;
}
