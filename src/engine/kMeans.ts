import { log } from '../core/elementary/index.ts';
import { Matrix } from '../core/matrix.ts';
import type { Random } from '../core/random.ts';

/** A clustering of N points. */
export interface KMeansRun {
  /** Cluster of each of N points, from 0. */
  readonly clusters: Int32Array;
  /** k×q, row c the mean of cluster c. */
  readonly centers: Matrix;
}

/** Number of candidates for each further initial center; the best is kept. Few centers need few. */
const candidatesFor = (k: number) => 2 + Math.floor(log(k));

/**
 * One run of k-means from a k-means++ start: points are assigned to their nearest center and centers move to the mean of their points until nothing
 * changes. A center without points stays where it is.
 *
 * @param points - N×q, at least k of them distinct
 * @param random - source of the initial centers
 * @see Lloyd, IEEE Transactions on Information Theory 28 (1982); Arthur & Vassilvitskii, k-means++, SODA 2007
 */
export function kMeansRun(points: Matrix, k: number, random: Random, maxIterations: number): KMeansRun {
  const { rows: N, columns: q } = points;
  let centers = plusPlusStart(points, k, random);
  const clusters = new Int32Array(N).fill(-1);
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    let moved = false;
    const sums = Matrix.zeros(k, q);
    const sizes = new Int32Array(k);
    for (let i = 0; i < N; i++) {
      const nearest = nearestTo(points, i, centers);
      moved ||= nearest !== clusters[i];
      clusters[i] = nearest;
      sizes[nearest]! += 1;
      for (let d = 0; d < q; d++) sums.data[nearest * q + d]! += points.data[i * q + d]!;
    }
    if (!moved) break;
    const before = centers;
    centers = sums.map((sum, c, d) => (sizes[c]! > 0 ? sum / sizes[c]! : before.at(c, d)));
  }
  return { clusters, centers };
}

/** k of the points, each but the first drawn with probability proportional to its squared distance from the nearest previous one. */
function plusPlusStart(points: Matrix, k: number, random: Random): Matrix {
  const { rows: N, columns: q } = points;
  const centers = Matrix.zeros(k, q);
  let nearest = new Float64Array(N).fill(Infinity);
  let chosen = random.integer(N);
  for (let c = 0; c < k; c++) {
    if (c === 0) {
      nearest = closer(points, nearest, chosen);
    } else {
      let best = Infinity;
      let bestNearest = nearest;
      for (let trial = candidatesFor(k); trial > 0; trial--) {
        const candidate = drawn(nearest, random);
        const after = closer(points, nearest, candidate);
        const rest = after.reduce((sum, distance) => sum + distance, 0);
        if (rest < best) [best, bestNearest, chosen] = [rest, after, candidate];
      }
      nearest = bestNearest;
    }
    centers.data.set(points.data.subarray(chosen * q, (chosen + 1) * q), c * q);
  }
  return centers;
}

/** An index drawn with probability proportional to its weight; weights of 0 are never drawn. */
function drawn(weights: Float64Array, random: Random): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let rest = random.uniform() * total;
  let last = 0;
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] === 0) continue;
    last = i;
    rest -= weights[i]!;
    if (rest < 0) break;
  }
  return last;
}

/** Squared distances to the nearest center after adding point `chosen`. */
function closer(points: Matrix, nearest: Float64Array, chosen: number): Float64Array<ArrayBuffer> {
  return Float64Array.from(nearest, (distance, i) => Math.min(distance, squaredDistance(points, i, points, chosen)));
}

function nearestTo(points: Matrix, i: number, centers: Matrix): number {
  let nearest = 0;
  let least = Infinity;
  for (let c = 0; c < centers.rows; c++) {
    const distance = squaredDistance(points, i, centers, c);
    if (distance < least) [nearest, least] = [c, distance];
  }
  return nearest;
}

function squaredDistance(A: Matrix, i: number, B: Matrix, j: number): number {
  const q = A.columns;
  let sum = 0;
  for (let d = 0; d < q; d++) {
    const difference = A.data[i * q + d]! - B.data[j * q + d]!;
    sum += difference * difference;
  }
  return sum;
}
