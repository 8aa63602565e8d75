import { linearSumAssignment } from 'linear-sum-assignment';
import { contingencyOf, type Partition } from './contingency.ts';

/**
 * The rate of points that a clustering gets right when each cluster stands for at most one label and each label for at most
 * one cluster, matched in the best way: max over one-to-one matchings m of 1/N·Σ_i [label(i) = m(cluster(i))].
 *
 * @param labels - N labels
 * @param clusters - N clusters, whatever they are called
 * @returns a rate in (0, 1]
 * @throws InvalidInputError when there are no labels, or not as many clusters
 * @see Xu, Liu, Gong, Document clustering based on non-negative matrix factorization, SIGIR (2003), §5.2
 * @example
 * ```ts
 * clusteringAccuracy(['a', 'a', 'b', 'b'], [1, 1, 0, 1]); // 0.75
 * ```
 */
export function clusteringAccuracy(labels: Partition, clusters: Partition): number {
  const { size, counts } = contingencyOf(labels, clusters, ['labels', 'clusters']);
  const { rowAssignments } = linearSumAssignment(counts.map((row) => Float64Array.from(row)));
  const matched = counts.reduce((sum, row, r) => sum + (row[rowAssignments[r]!] ?? 0), 0);
  return matched / size;
}
