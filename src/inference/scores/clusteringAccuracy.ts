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
  return greatestMatching(counts) / size;
}

/**
 * The greatest sum of entries of which no two share a row or a column, by shortest augmenting paths over reduced costs.
 *
 * @param counts - rows × columns of counts
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
