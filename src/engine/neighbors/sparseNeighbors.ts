import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { checkGiven, namedOptions } from '../../core/options.ts';
import { SparseMatrix } from '../../core/sparseMatrix.ts';
import { Nearest } from './nearest.ts';
import { checkNearest, type Neighbors } from './nearestNeighbors.ts';

/** Extra candidates, whose distances are recomputed by differences. */
const SPARE = 8;

/**
 * The k nearest neighbors of every row of a sparse matrix, exactly: ordered by distance, and by row where these are equal. Products of a row with all others are
 * added up along the columns where it has entries, Σ_j (entries of column j)² in all; the nearest ones are recomputed by differences of their
 * entries.
 *
 * @param Y - N×D; a row is not its own neighbor, but a duplicate of it is
 * @param k - number of neighbors, 1 … N − 1
 * @param options - `metric`: 'euclidean' (default), ‖y_i − y_j‖, or 'cosine', 1 − y_iᵀy_j/(‖y_i‖·‖y_j‖)
 * @returns N×k indices and distances
 * @throws InvalidInputError if k is outside this range, and with 'cosine' for a row without entries
 * @example
 * ```ts
 * const { observations } = await readSparseTable('counts.mtx');
 * const { indices } = sparseNeighbors(observations, 15, { metric: 'cosine' });
 * ```
 */
export function sparseNeighbors(
  Y: SparseMatrix,
  k: number,
  options: { readonly metric?: 'euclidean' | 'cosine' } = {},
): Neighbors {
  checkGiven(Y, 'sparseNeighbors', 'a SparseMatrix', (given) => given instanceof SparseMatrix);
  const metric = checkGiven(
    namedOptions(options, 'sparseNeighbors', ['metric']).metric ?? 'euclidean',
    'Option metric of sparseNeighbors',
    "'euclidean' or 'cosine'",
    (given) => given === 'euclidean' || given === 'cosine',
  );
  checkNearest(k, Y.rows, true);
  const rows = metric === 'cosine' ? unitRows(Y) : Y;
  const { rows: N, starts, indices, values } = rows;
  const columns = rows.transposed();
  const squares = Float64Array.from({ length: N }, (_, i) => {
    let sum = 0;
    for (let p = starts[i]!; p < starts[i + 1]!; p++) sum += square(values[p]!);
    return sum;
  });
  const found = { indices: new Int32Array(N * k), distances: new Float64Array(N * k) };
  const kept = Math.min(N - 1, k + SPARE);
  const [candidates, nearest] = [new Nearest(kept), new Nearest(k)];
  const [others, ignored] = [new Int32Array(kept), new Float64Array(kept)];
  const products = new Float64Array(N);
  for (let i = 0; i < N; i++) {
    products.fill(0);
    for (let p = starts[i]!; p < starts[i + 1]!; p++) {
      const [j, value] = [indices[p]!, values[p]!];
      for (let c = columns.starts[j]!; c < columns.starts[j + 1]!; c++)
        products[columns.indices[c]!]! += value * columns.values[c]!;
    }
    for (let j = 0; j < N; j++) {
      if (j === i) continue;
      const distance = squares[i]! + squares[j]! - 2 * products[j]!;
      if (distance < candidates.worst) candidates.offer(distance, j);
    }
    candidates.drain(others, ignored, 0);
    for (const j of others.slice().sort()) {
      const distance = squaredDistance(rows, i, j);
      if (distance < nearest.worst) nearest.offer(distance, j);
    }
    nearest.drain(found.indices, found.distances, i * k);
  }
  // For rows of unit length 1 − cos is half the squared distance.
  if (metric === 'cosine')
    found.distances.forEach((d, p) => {
      found.distances[p] = 0.5 * square(d);
    });
  return found;
}

/** ‖y_i − y_j‖² from the entries of both rows. */
function squaredDistance({ starts, indices, values }: SparseMatrix, i: number, j: number): number {
  let [p, r, sum] = [starts[i]!, starts[j]!, 0];
  const [ends, last] = [starts[i + 1]!, starts[j + 1]!];
  while (p < ends || r < last) {
    const [a, b] = [p < ends ? indices[p]! : Infinity, r < last ? indices[r]! : Infinity];
    sum += square((a <= b ? values[p]! : 0) - (b <= a ? values[r]! : 0));
    if (a <= b) p++;
    if (b <= a) r++;
  }
  return sum;
}

function unitRows(Y: SparseMatrix): SparseMatrix {
  const values = Y.values.slice();
  for (let i = 0; i < Y.rows; i++) {
    const own = values.subarray(Y.starts[i]!, Y.starts[i + 1]!);
    const length = Math.sqrt(own.reduce((sum, value) => sum + value * value, 0));
    if (length === 0) {
      throw new InvalidInputError(
        `Row index ${i} is 0 throughout, so it has no direction that metric 'cosine' could compare. Leave it out.`,
      );
    }
    for (let p = 0; p < own.length; p++) own[p]! /= length;
  }
  return new SparseMatrix({ ...Y, rows: Y.rows, columns: Y.columns, starts: Y.starts, indices: Y.indices, values });
}
