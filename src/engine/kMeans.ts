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

/** Relative margin of bounds on distances, far above their rounding errors: a point is only passed over where a search would find the same center. */
const MARGIN = 1e-12;

/**
 * One run of k-means from a k-means++ start: points are assigned to their nearest center, the first if tied, and centers move to the mean of their
 * points until nothing changes. A center without points stays where it is. A point is not compared with the centers while the triangle inequality
 * shows that its own is the nearest: an upper bound on its distance is below half the distance between its center and the nearest other one, or below
 * a lower bound on its distance to the second nearest.
 *
 * @param points - N×q, at least k of them distinct
 * @param random - source of the initial centers
 * @see Lloyd, IEEE Transactions on Information Theory 28 (1982); Arthur & Vassilvitskii, k-means++, SODA 2007; Hamerly, Making k-means even faster,
 * SDM 2010
 */
export function kMeansRun(points: Matrix, k: number, random: Random, maxIterations: number): KMeansRun {
  const { rows: N, columns: q } = points;
  let centers = plusPlusStart(points, k, random);
  const clusters = new Int32Array(N).fill(-1);
  const [upper, lower] = [new Float64Array(N).fill(Infinity), new Float64Array(N)];
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    let moved = false;
    const sums = Matrix.zeros(k, q);
    const sizes = new Int32Array(k);
    const half = halfSeparations(centers);
    for (let i = 0; i < N; i++) {
      let own = clusters[i]!;
      if (own < 0 || upper[i]! >= Math.max(lower[i]!, half[own]!)) {
        const { nearest, least, second } = nearestTo(points, i, centers);
        moved ||= nearest !== own;
        own = nearest;
        upper[i] = Math.sqrt(least) * (1 + MARGIN);
        lower[i] = Math.sqrt(second) * (1 - MARGIN);
      }
      clusters[i] = own;
      sizes[own]! += 1;
      for (let d = 0; d < q; d++) sums.data[own * q + d]! += points.data[i * q + d]!;
    }
    if (!moved) break;
    const before = centers;
    centers = sums.map((sum, c, d) => (sizes[c]! > 0 ? sum / sizes[c]! : before.at(c, d)));
    const drifts = Float64Array.from(sizes, (_, c) => Math.sqrt(squaredDistance(before, c, centers, c)) * (1 + MARGIN));
    const most = drifts.reduce((a, b) => Math.max(a, b));
    for (let i = 0; i < N; i++) {
      upper[i] = (upper[i]! + drifts[clusters[i]!]!) * (1 + MARGIN);
      lower[i] = lower[i]! * (1 - MARGIN) - most;
    }
  }
  return { clusters, centers };
}

/** Half the distance of each center to the nearest other one. */
const halfSeparations = (centers: Matrix) =>
  Float64Array.from({ length: centers.rows }, (_, c) => {
    let least = Infinity;
    for (let o = 0; o < centers.rows; o++) if (o !== c) least = squaredDistance(centers, c, centers, o, least);
    return (Math.sqrt(least) / 2) * (1 - MARGIN);
  });

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
const closer = (points: Matrix, nearest: Float64Array, chosen: number): Float64Array<ArrayBuffer> =>
  Float64Array.from(nearest, (distance, i) => squaredDistance(points, i, points, chosen, distance));

/** The nearest center to a point, the first if tied, with the squared distances to it and to the second nearest. */
function nearestTo(points: Matrix, i: number, centers: Matrix) {
  let [nearest, least, second] = [0, Infinity, Infinity];
  for (let c = 0; c < centers.rows; c++) {
    const distance = squaredDistance(points, i, centers, c, second);
    if (distance < least) [nearest, least, second] = [c, distance, least];
    else second = distance;
  }
  return { nearest, least, second };
}

/** The squared distance between row i of A and row j of B, or `most` if that is less. */
function squaredDistance(A: Matrix, i: number, B: Matrix, j: number, most = Infinity): number {
  const q = A.columns;
  let sum = 0;
  // A sum of squares never decreases, so the rest need not be added.
  for (let d = 0; d < q && sum < most; d++) {
    const difference = A.data[i * q + d]! - B.data[j * q + d]!;
    sum += difference * difference;
  }
  return Math.min(sum, most);
}
