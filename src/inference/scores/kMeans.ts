import * as v from 'valibot';
import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkOptions, integerFrom, seedOption } from '../../core/options.ts';
import { seededRandom } from '../../core/random.ts';
import { kMeansRun } from '../../engine/kMeans.ts';
import { pointsFrom } from './points.ts';

/** Options of {@link kMeans}. */
export interface KMeansOptions {
  /** Seed of the starts; 0 unless given. */
  readonly seed?: number;
  /** Further starts beside the first, of which the best is kept; 9 unless given. */
  readonly restarts?: number;
  /** Most iterations from each start; 300 unless given. */
  readonly maxIterations?: number;
}

/** A clustering of N points. */
export interface Clustering {
  /** N clusters, numbered from 0 in the order in which the points show them. */
  readonly clusters: Int32Array;
  /** k×q, row c the mean of cluster c. */
  readonly centres: Matrix;
  /** Σ_i ‖x_i − centre(i)‖² */
  readonly withinSumOfSquares: number;
}

const schema = v.strictObject({
  seed: seedOption,
  restarts: v.optional(integerFrom(0), 9),
  maxIterations: v.optional(integerFrom(1), 300),
});

/**
 * Clusters points by k-means, from several k-means++ starts: centres and clusters that make Σ_i ‖x_i − centre(i)‖² small.
 *
 * @param X - points, N×q
 * @param k - number of clusters, from 1, at most the number of different points
 * @param options - `seed`, `restarts`, `maxIterations`: see {@link KMeansOptions}
 * @returns clusters, centres and the sum of squares of the best start
 * @throws InvalidInputError when a number is not finite, or k is not in its range
 * @see Lloyd 1982; Arthur, Vassilvitskii, k-means++ (2007)
 * @example
 * ```ts
 * const { clusters } = kMeans(result.latents, 3, { seed: 1, restarts: 19 });
 * clusteringAccuracy(labels, clusters);
 * ```
 */
export function kMeans(X: MatrixLike, k: number, options: KMeansOptions = {}): Clustering {
  const { seed, restarts, maxIterations } = checkOptions(schema, options, 'kMeans');
  const points = pointsFrom(X, 'X', 1);
  const different = new Set(points.toArrays().map((row) => row.join())).size;
  if (!Number.isInteger(k) || k < 1 || k > different) {
    throw new InvalidInputError(
      `k must be a whole number from 1 to ${different}, the number of different points, but ${describe(k)} was given.`,
    );
  }
  const random = seededRandom(seed);
  const starts = Array.from({ length: restarts + 1 }, () => {
    const { clusters } = kMeansRun(points, k, random, maxIterations);
    return clusteringFrom(points, clusters);
  });
  return starts.reduce((best, next) => (next.withinSumOfSquares < best.withinSumOfSquares ? next : best));
}

/** Numbers the clusters in the order in which the points show them, and takes their means. */
function clusteringFrom(points: Matrix, given: Int32Array): Clustering {
  const numbers = new Map<number, number>();
  const clusters = Int32Array.from(given, (cluster) => {
    if (!numbers.has(cluster)) numbers.set(cluster, numbers.size);
    return numbers.get(cluster)!;
  });
  const { rows, columns } = points;
  const centres = Matrix.zeros(numbers.size, columns);
  const sizes = new Float64Array(numbers.size);
  for (let i = 0; i < rows; i++) sizes[clusters[i]!]! += 1;
  for (let i = 0; i < rows; i++) {
    for (let d = 0; d < columns; d++) {
      centres.data[clusters[i]! * columns + d]! += points.at(i, d) / sizes[clusters[i]!]!;
    }
  }
  let withinSumOfSquares = 0;
  for (let i = 0; i < rows; i++) {
    for (let d = 0; d < columns; d++) withinSumOfSquares += square(points.at(i, d) - centres.at(clusters[i]!, d));
  }
  return { clusters, centres, withinSumOfSquares };
}
