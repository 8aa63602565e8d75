import { square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { symmetricEigenpairs } from '../../engine/dense/eigenpairs.ts';
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
    const own = Matrix.from(Array.from(points, (i) => X.row(i)));
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
 * Procrustes alignment of X′ to X by a shift, an orthogonal matrix and a scale.
 *
 * @returns 1 − (Σσ)²/(‖X‖²·‖X′‖²), and ‖x_i − x′_i‖ after alignment, in root mean square radii of X
 * @see Gower & Dijksterhuis 2004, ch. 4
 */
export function aligned(X: Matrix, other: Matrix): { disparity: number; displacement: Float64Array } {
  const [A, B] = [centered(X), centered(other)];
  const [p, q] = [A.columns, B.columns];
  const cross = Matrix.zeros(q, p);
  for (let i = 0; i < A.rows; i++) {
    for (let b = 0; b < q; b++) for (let a = 0; a < p; a++) cross.data[b * p + a]! += B.at(i, b) * A.at(i, a);
  }
  // R = M(MᵀM)^(−½) with M = X′ᵀX, by the eigenvectors of MᵀM, whose eigenvalues are σ².
  const gram = Matrix.zeros(p, p);
  for (let a = 0; a < p; a++) {
    for (let c = 0; c < p; c++) {
      for (let b = 0; b < q; b++) gram.data[a * p + c]! += cross.at(b, a) * cross.at(b, c);
    }
  }
  const { values, vectors } = symmetricEigenpairs(gram);
  const most = Math.max(...values, 0);
  const sigma = values.map((value) => (value > 1e-14 * most ? Math.sqrt(value) : 0));
  const trace = sigma.reduce((sum, own) => sum + own, 0);
  const [normA, normB] = [squaredNorm(A), squaredNorm(B)];
  const radius = Math.sqrt(normA / A.rows);
  const displacement = new Float64Array(A.rows);
  for (let i = 0; i < A.rows; i++) {
    const placed = new Float64Array(p);
    sigma.forEach((own, e) => {
      if (own === 0) return;
      let along = 0;
      for (let b = 0; b < q; b++) {
        for (let a = 0; a < p; a++) along += B.at(i, b) * cross.at(b, a) * vectors.at(a, e);
      }
      for (let a = 0; a < p; a++) placed[a]! += ((trace / normB) * along * vectors.at(a, e)) / own;
    });
    const apart = placed.reduce((sum, own, a) => sum + square(A.at(i, a) - own), 0);
    displacement[i] = radius > 0 ? Math.sqrt(apart) / radius : Number.NaN;
  }
  const size = normA * normB;
  return { disparity: size > 0 ? Math.max(0, 1 - square(trace) / size) : Number.NaN, displacement };
}

function centered(X: Matrix): Matrix {
  const mean = Array.from({ length: X.columns }, (_, d) => X.column(d).reduce((sum, x) => sum + x, 0) / X.rows);
  return new Matrix(
    X.data.map((x, at) => x - mean[at % X.columns]!),
    X.rows,
    X.columns,
  );
}

const squaredNorm = ({ data }: Matrix): number => data.reduce((sum, x) => sum + square(x), 0);
