import * as v from 'valibot';
import { log, square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkOptions, givenList, integerFrom, type OptionsIn, seedOption } from '../../core/options.ts';
import { seededRandom } from '../../core/random.ts';
import { kMeansRun } from '../../engine/kMeans.ts';
import { pointsFrom } from './points.ts';

/** Options of {@link kMeans}. */
export interface KMeansOptions extends OptionsIn<typeof kMeansOptions> {}

/** Clustering of N points. */
export interface Clustering {
  /** Cluster of each point, numbered from 0 in order of first appearance. */
  readonly clusters: Int32Array;
  /** Means of the clusters, k×q. */
  readonly centers: Matrix;
  /** Σ_i ‖x_i − center(i)‖² */
  readonly withinSumOfSquares: number;
}

const kMeansOptions = v.strictObject({
  /** Seed of the starts; default 0. */
  seed: seedOption,
  /** Number of additional starts, default 9; the best start is kept. */
  restarts: v.optional(integerFrom(0), 9),
  /** Maximum number of iterations from each start; default 300. */
  maxIterations: v.optional(integerFrom(1), 300),
});

/**
 * Clusters points by k-means, from several k-means++ starts: centers and clusters with a small Σ_i ‖x_i − center(i)‖².
 *
 * @param X - points, N×q
 * @param k - number of clusters, from 1 to the number of distinct points
 * @param options - `seed`, `restarts`, `maxIterations`: see {@link KMeansOptions}
 * @returns clusters, centers and the sum of squares of the best start
 * @throws InvalidInputError if a number is not finite, or k is out of range
 * @see Lloyd 1982; Arthur, Vassilvitskii, k-means++ (2007)
 * @example
 * ```ts
 * const { clusters } = kMeans(result.latents, 3, { seed: 1, restarts: 19 });
 * clusteringAccuracy(labels, clusters);
 * ```
 */
export function kMeans(X: MatrixLike, k: number, options: KMeansOptions = {}): Clustering {
  const { seed, restarts, maxIterations } = checkOptions(kMeansOptions, options, 'kMeans');
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

/** Numbers the clusters in order of first appearance, and computes their means. */
function clusteringFrom(points: Matrix, given: Int32Array): Clustering {
  const numbers = new Map<number, number>();
  const clusters = Int32Array.from(given, (cluster) => {
    if (!numbers.has(cluster)) numbers.set(cluster, numbers.size);
    return numbers.get(cluster)!;
  });
  const { rows, columns } = points;
  const centers = Matrix.zeros(numbers.size, columns);
  const sizes = new Float64Array(numbers.size);
  for (let i = 0; i < rows; i++) sizes[clusters[i]!]! += 1;
  for (let i = 0; i < rows; i++) {
    for (let d = 0; d < columns; d++) {
      centers.data[clusters[i]! * columns + d]! += points.at(i, d) / sizes[clusters[i]!]!;
    }
  }
  let withinSumOfSquares = 0;
  for (let i = 0; i < rows; i++) {
    for (let d = 0; d < columns; d++) withinSumOfSquares += square(points.at(i, d) - centers.at(clusters[i]!, d));
  }
  return { clusters, centers, withinSumOfSquares };
}

/** Options of {@link normalizedMutualInformation}. */
export interface NormalizedMutualInformationOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Mean of the two entropies that divides the mutual information; default 'arithmetic'. */
  average: v.optional(v.picklist(['arithmetic', 'geometric'], "'arithmetic' or 'geometric'"), 'arithmetic'),
});

/**
 * Agreement of two labelings, independent of label names: I(a; b) / mean(H(a), H(b)), with I the mutual information of the labels of a random point
 * and H their entropies. 1 if each has a single label.
 *
 * @param a - N labels
 * @param b - N labels
 * @param options - `average`: the arithmetic mean (the default) or the geometric mean of the entropies
 * @returns a number in [0, 1]: 1 if either labeling determines the other, 0 if they are independent
 * @throws InvalidInputError if there are no labels, or a and b differ in length
 * @see Strehl, Ghosh, Cluster ensembles, JMLR 3 (2002), eq. 3
 * @example
 * ```ts
 * normalizedMutualInformation(['a', 'a', 'b', 'b'], [1, 1, 0, 0]); // 1
 * ```
 */
export function normalizedMutualInformation(
  a: Partition,
  b: Partition,
  options: NormalizedMutualInformationOptions = {},
): number {
  const { average } = checkOptions(schema, options, 'normalizedMutualInformation');
  const { size, counts, rowTotals, columnTotals } = contingencyOf(a, b, ['a', 'b']);
  if (rowTotals.length === 1 && columnTotals.length === 1) return 1;
  let information = 0;
  counts.forEach((row, r) => {
    row.forEach((count, c) => {
      if (count > 0) information += (count / size) * log((count * size) / (rowTotals[r]! * columnTotals[c]!));
    });
  });
  const entropies = [entropyOf(rowTotals, size), entropyOf(columnTotals, size)] as const;
  const mean = average === 'geometric' ? Math.sqrt(entropies[0] * entropies[1]) : (entropies[0] + entropies[1]) / 2;
  // Rounding may leave the information of independent labels a little below 0, and of equal ones above the entropy.
  return mean > 0 ? Math.min(1, Math.max(0, information / mean)) : 0;
}

function entropyOf(totals: Float64Array, size: number): number {
  return totals.reduce((sum, count) => sum - (count / size) * log(count / size), 0);
}

/** One label per point, compared by identity. */
export type Partition = ArrayLike<string | number | boolean>;

/** Contingency table of two labelings. */
interface Contingency {
  /** Number of points. */
  readonly size: number;
  /** counts[r][c]: number of points with the r-th label of a and the c-th of b, in order of first appearance. */
  readonly counts: readonly Float64Array[];
  readonly rowTotals: Float64Array;
  readonly columnTotals: Float64Array;
}

/** @throws InvalidInputError if a and b differ in length or are empty */
function contingencyOf(givenA: Partition, givenB: Partition, names: readonly [string, string]): Contingency {
  const expected = 'one entry for each point, a list';
  const a = givenList(givenA, names[0], expected);
  const b = givenList(givenB, names[1], expected);
  const size = a.length;
  if (size === 0 || size !== b.length) {
    throw new InvalidInputError(
      `${names[0]} and ${names[1]} must be as many, one for each point, but ${size} and ${b.length} were given.`,
    );
  }
  const rows = indicesOf(a);
  const columns = indicesOf(b);
  const counts = Array.from({ length: rows.count }, () => new Float64Array(columns.count));
  const rowTotals = new Float64Array(rows.count);
  const columnTotals = new Float64Array(columns.count);
  for (let i = 0; i < size; i++) {
    const r = rows.indices[i]!;
    const c = columns.indices[i]!;
    counts[r]![c]! += 1;
    rowTotals[r]! += 1;
    columnTotals[c]! += 1;
  }
  return { size, counts, rowTotals, columnTotals };
}

function indicesOf(labels: Partition): { indices: Int32Array; count: number } {
  const places = new Map<string | number | boolean, number>();
  const indices = Int32Array.from({ length: labels.length }, (_, i) => {
    const label = labels[i]!;
    const place = places.get(label) ?? places.size;
    places.set(label, place);
    return place;
  });
  return { indices, count: places.size };
}

/**
 * Share of points that a clustering assigns correctly under the best one-to-one matching of clusters and labels: max over one-to-one matchings m of
 * 1/N·Σ_i [label(i) = m(cluster(i))].
 *
 * @param labels - N labels
 * @param clusters - N clusters with arbitrary names
 * @returns a rate in (0, 1]
 * @throws InvalidInputError if there are no labels, or their number differs from that reported for clusters
 * @see Xu, Liu, Gong, Document clustering based on non-negative matrix factorization, SIGIR (2003), §5.2
 * @example
 * ```ts
 * clusteringAccuracy(['a', 'a', 'b', 'b'], [1, 1, 0, 1]); // 0.75
 * ```
 */
export function clusteringAccuracy(labels: Partition, clusters: Partition): number {
  const { size, counts } = contingencyOf(labels, clusters, ['labels', 'clusters']);
  return greatestMatching(counts) / size;
}

/**
 * Maximum sum of entries with no two in the same row or column, by shortest augmenting paths over reduced costs.
 *
 * @param counts - counts, rows × columns
 * @see Jonker & Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment problems, Computing 38 (1987)
 */
function greatestMatching(counts: readonly ArrayLike<number>[]): number {
  const isWide = counts.length <= counts[0]!.length;
  const [rows, columns] = isWide ? [counts.length, counts[0]!.length] : [counts[0]!.length, counts.length];
  const gain = (r: number, c: number) => (isWide ? counts[r]![c]! : counts[c]![r]!);
  const rowPrices = new Float64Array(rows);
  const columnPrices = new Float64Array(columns);
  const rowOf = new Int32Array(columns).fill(-1);
  for (let added = 0; added < rows; added++) {
    const distances = new Float64Array(columns).fill(Infinity);
    const before = new Int32Array(columns).fill(-1);
    const reached: number[] = [];
    const isReached = new Uint8Array(columns);
    let [row, last, distance] = [added, -1, 0];
    for (;;) {
      let next = -1;
      for (let c = 0; c < columns; c++) {
        if (isReached[c] === 1) continue;
        const through = distance - gain(row, c) - rowPrices[row]! - columnPrices[c]!;
        if (through < distances[c]!) {
          distances[c] = through;
          before[c] = last;
        }
        if (next < 0 || distances[c]! < distances[next]!) next = c;
      }
      distance = distances[next]!;
      last = next;
      if (rowOf[next] === -1) break;
      isReached[next] = 1;
      reached.push(next);
      row = rowOf[next]!;
    }
    rowPrices[added]! += distance;
    for (const c of reached) {
      rowPrices[rowOf[c]!]! += distance - distances[c]!;
      columnPrices[c]! -= distance - distances[c]!;
    }
    for (let c = last; c >= 0; c = before[c]!) rowOf[c] = before[c]! < 0 ? added : rowOf[before[c]!]!;
  }
  return rowOf.reduce((sum, row, c) => sum + (row < 0 ? 0 : gain(row, c)), 0);
}
