import { Matrix } from '../core/matrix.ts';
import { completed } from '../core/progressiveWork.ts';
import { connectedComponents } from '../numerics/graph/connectedComponents.ts';
import { knnGraph } from '../numerics/graph/neighbourhoodGraph.ts';
import { bottomOfSparse } from '../numerics/sparse/bottomOfSparse.ts';
import { sparseSymmetric } from '../numerics/sparse/index.ts';

/** Neighbours of each point, where they connect all. */
const NEIGHBOURS = 10;

/**
 * Coordinates of Laplacian eigenmaps, at unit variance a column: eigenvectors of L·f = μ·D·f of the smallest μ > 0, L the Laplacian of the graph of 10 neighbours or so many
 * as connect all points, D its degrees. Of points along a circle the first two are its cosine and sine, of points on a sphere the first three its coordinates.
 *
 * @see Belkin & Niyogi 2003
 */
export function eigenmaps(Y: Matrix, count: number): Matrix {
  const { rows: N } = Y;
  let k = Math.min(NEIGHBOURS, N - 1);
  let graph = knnGraph(Y, k);
  while (k < N - 1 && connectedComponents(graph).sizes.length > 1) {
    k = Math.min(2 * k, N - 1);
    graph = knnGraph(Y, k);
  }
  const { sources, targets } = graph;
  const degrees = new Float64Array(N);
  sources.forEach((i, e) => {
    degrees[i]!++;
    degrees[targets[e]!]!++;
  });
  const diagonal = Array.from({ length: N }, (_, i) => i);
  const L = sparseSymmetric(
    N,
    Int32Array.from([...diagonal, ...targets]),
    Int32Array.from([...diagonal, ...sources]),
    Float64Array.from([...degrees, ...sources.map(() => -1)]),
  );
  const { vectors } = completed(bottomOfSparse(L, count, { metric: degrees }));
  const result = Matrix.zeros(N, count);
  for (let d = 0; d < count; d++) {
    const own = vectors.column(d);
    const mean = own.reduce((sum, entry) => sum + entry, 0) / N;
    const deviation = Math.sqrt(own.reduce((sum, entry) => sum + (entry - mean) * (entry - mean), 0) / N);
    for (let i = 0; i < N; i++) result.data[i * count + d] = (own[i]! - mean) / deviation;
  }
  return result;
}
