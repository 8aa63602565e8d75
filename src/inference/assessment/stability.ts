import { square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { rowsOf } from '../../core/rowMatrices.ts';
import { symmetricEigenpairs } from '../../engine/dense/eigenpairs.ts';
import { product, transposed } from '../../engine/dense/products.ts';
import { nearestNeighbors } from '../../engine/neighbors/index.ts';

/** Stability of a map under refitting. */
export interface Stability {
  /** Number of refits. */
  readonly maps: number;
  /** Mean share of the k nearest neighbors on the map that are also neighbors on the other maps. */
  readonly overlap: number;
  /**
   * Mean of 1 − (Σσ)²/(‖X‖²·‖X′‖²), σ the singular values of XᵀX′, both centered: 0 for maps that differ only by a rotation, reflection, shift and
   * scale, 1 for unrelated maps.
   */
  readonly procrustes: number;
  /**
   * Per point (N entries, NaN for points on no other map), the share of neighbors that are kept, and the distance that the point moves, in root mean
   * square radii of the map.
   */
  readonly pointwise: { readonly overlap: Float64Array; readonly displacement: Float64Array };
}

/** Another map of some of the points. */
export interface OtherMap {
  /** Row numbers of its points, ascending. */
  readonly points: Int32Array;
  /** Latents of these points. */
  readonly latents: Matrix;
}

/**
 * Compares a map with other maps of all or some of its points, each on the common points.
 *
 * @param X - N×q
 * @param neighbors - k, less than the number of points of each other map
 */
export function stabilityOf(X: Matrix, others: readonly OtherMap[], neighbors: number): Stability | undefined {
  if (others.length === 0) return undefined;
  const sums = { overlap: new Float64Array(X.rows), displacement: new Float64Array(X.rows) };
  const counts = new Float64Array(X.rows);
  let [overlap, procrustes] = [0, 0];
  for (const { points, latents } of others) {
    const own = rowsOf(X, points);
    const shared = sharedNeighbors(own, latents, neighbors);
    const { disparity, displacement } = aligned(own, latents);
    points.forEach((point, p) => {
      sums.overlap[point]! += shared[p]!;
      sums.displacement[point]! += displacement[p]!;
      counts[point]!++;
    });
    overlap += shared.reduce((sum, part) => sum + part, 0) / shared.length / others.length;
    procrustes += disparity / others.length;
  }
  const averaged = (values: Float64Array) => values.map((sum, i) => (counts[i]! > 0 ? sum / counts[i]! : Number.NaN));
  return {
    maps: others.length,
    overlap,
    procrustes,
    pointwise: { overlap: averaged(sums.overlap), displacement: averaged(sums.displacement) },
  };
}

/** Share of each point's k nearest neighbors in A that are among its k nearest neighbors in B. */
function sharedNeighbors(A: Matrix, B: Matrix, k: number): Float64Array {
  const [a, b] = [nearestNeighbors(A, k).indices, nearestNeighbors(B, k).indices];
  return Float64Array.from({ length: A.rows }, (_, i) => {
    const own = new Set(a.subarray(i * k, (i + 1) * k));
    return b.subarray(i * k, (i + 1) * k).filter((j) => own.has(j)).length / k;
  });
}

/**
 * Orthogonal R, q×p, that minimizes the distance of X·R to a target: R = M·(MᵀM)^−½, M = Xᵀ·target. Directions without extent in the target are
 * undetermined; they are left out of R and of the points.
 */
export function turnOnto(X: Matrix, target: Matrix): Matrix {
  const [q, p] = [X.columns, target.columns];
  const M = product(transposed(X), target);
  const { values, vectors } = symmetricEigenpairs(product(transposed(M), M));
  const largest = values[p - 1]!;
  const R = Matrix.zeros(q, p);
  for (let k = 0; k < p; k++) {
    if (!(values[k]! > 1e-14 * largest)) continue;
    const scale = 1 / Math.sqrt(values[k]!);
    for (let a = 0; a < q; a++) {
      let sum = 0;
      for (let b = 0; b < p; b++) sum += M.at(a, b) * vectors.at(b, k);
      for (let b = 0; b < p; b++) R.data[a * p + b]! += scale * sum * vectors.at(b, k);
    }
  }
  return R;
}

/**
 * Procrustes alignment of X′ to X by a shift, an orthogonal matrix and a scale.
 *
 * @returns 1 − (Σσ)²/(‖X‖²·‖X′‖²), and ‖x_i − x′_i‖ after alignment, in root mean square radii of X
 * @see Gower & Dijksterhuis 2004, ch. 4
 */
export function aligned(X: Matrix, other: Matrix): { disparity: number; displacement: Float64Array } {
  const [A, B] = [centered(X), centered(other)];
  const turned = product(B, turnOnto(B, A));
  const [normA, normB] = [squaredNorm(A), squaredNorm(B)];
  // The sum of the singular values σ of X′ᵀX.
  const trace = turned.data.reduce((sum, entry, k) => sum + entry * A.data[k]!, 0);
  const radius = Math.sqrt(normA / A.rows);
  const apart = A.map((entry, i, a) => square(entry - (normB > 0 ? trace / normB : 0) * turned.at(i, a)));
  const displacement = Float64Array.from({ length: A.rows }, (_, i) =>
    radius > 0 ? Math.sqrt(apart.row(i).reduce((sum, own) => sum + own, 0)) / radius : Number.NaN,
  );
  const size = normA * normB;
  return { disparity: size > 0 ? Math.max(0, 1 - square(trace) / size) : Number.NaN, displacement };
}

function centered(X: Matrix): Matrix {
  const mean = Array.from({ length: X.columns }, (_, d) => X.column(d).reduce((sum, x) => sum + x, 0) / X.rows);
  return X.map((x, _, d) => x - mean[d]!);
}

const squaredNorm = ({ data }: Matrix): number => data.reduce((sum, x) => sum + square(x), 0);
