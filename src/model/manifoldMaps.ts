import { Matrix } from '../core/matrix.ts';
import { completed } from '../core/progressiveWork.ts';
import { symmetricEigenpairs } from '../engine/dense/eigenpairs.ts';
import { connectedComponents } from '../engine/graph/connectedComponents.ts';
import { degreesOf, type Graph } from '../engine/graph/graph.ts';
import { knnGraph } from '../engine/graph/neighborhoodGraph.ts';
import { landmarkDistances } from '../engine/graph/shortestPaths.ts';
import { squaredDistance } from '../engine/neighbors/squaredDistance.ts';
import { bottomOfSparse } from '../engine/sparse/bottomEigenpairs.ts';
import { sparseLaplacian } from '../engine/sparse/sparseSymmetric.ts';

/** Number of neighbors of each point, if they connect all points. */
const NEIGHBORS = 10;
/** Largest number of landmarks. */
const LANDMARKS = 400;

/** A map of points on a manifold that recovers its coordinates, c columns with unit variance. */
export interface ManifoldMap {
  /** Name of its owner in messages. */
  readonly owner: string;
  readonly map: Matrix;
}

/** {@link geodesicMap} and {@link eigenmaps} of points. */
export const manifoldMaps = (Y: Matrix, columns: number): ManifoldMap[] => {
  const graph = connectedGraph(Y);
  return [
    { owner: "Isomap's", map: geodesicMap(Y, graph, columns) },
    { owner: "Laplacian eigenmaps'", map: eigenmaps(graph, columns) },
  ];
};

/** The graph of 10 neighbors, or of as many as needed to connect all points. */
function connectedGraph(Y: Matrix): Graph {
  const { rows: N } = Y;
  let k = Math.min(NEIGHBORS, N - 1);
  let graph = knnGraph(Y, k);
  while (k < N - 1 && connectedComponents(graph).sizes.length > 1) {
    k = Math.min(2 * k, N - 1);
    graph = knnGraph(Y, k);
  }
  return graph;
}

/**
 * Classical scaling of path lengths along the graph, as in Isomap, with at most 400 landmarks. For points on a circle, the first two columns are
 * cosine and sine; on a sphere, the first three are its coordinates; on a flat torus, the first four are the cosines and sines of both angles, up to
 * a rotation if its circles are alike.
 *
 * @see Tenenbaum, de Silva & Langford 2000; de Silva & Tenenbaum 2004
 */
function geodesicMap(Y: Matrix, graph: Graph, columns: number): Matrix {
  const { rows: N, columns: D } = Y;
  const weights = graph.weights.map((_, e) =>
    Math.sqrt(squaredDistance(Y.data, D * graph.sources[e]!, D * graph.targets[e]!, D)),
  );
  const all = Int32Array.from({ length: N }, (_, i) => i);
  const L = Math.min(N, LANDMARKS);
  const { between, fromAll } = completed(landmarkDistances({ ...graph, weights }, all, L));
  const means = new Float64Array(L);
  const squares = between.data.map((length) => length * length);
  squares.forEach((entry, k) => {
    means[k % L]! += entry / L;
  });
  const mean = means.reduce((sum, entry) => sum + entry / L, 0);
  const products = squares.map((entry, k) => -0.5 * (entry - means[k % L]! - means[Math.floor(k / L)]! + mean));
  const { vectors } = symmetricEigenpairs(new Matrix(products, L, L));
  const result = Matrix.zeros(N, columns);
  for (let d = 0; d < columns; d++) {
    const own = vectors.column(L - 1 - d);
    for (let i = 0; i < N; i++) {
      for (let l = 0; l < L; l++) {
        const length = fromAll.data[i * L + l]!;
        result.data[i * columns + d]! -= own[l]! * (length * length - means[l]!);
      }
    }
  }
  return standardizedColumns(result);
}

/**
 * Coordinates of Laplacian eigenmaps: eigenvectors of L·f = μ·D·f with the smallest μ > 0, L the Laplacian of the graph, and D its degrees. For
 * points on a circle, the first two are cosine and sine; on a sphere, the first three are its coordinates.
 *
 * @see Belkin & Niyogi 2003
 */
function eigenmaps(graph: Graph, count: number): Matrix {
  const unweighted = { ...graph, weights: new Float64Array(graph.sources.length).fill(1) };
  const degrees = degreesOf(unweighted);
  const { vectors } = completed(bottomOfSparse(sparseLaplacian(unweighted, degrees), count, { metric: degrees }));
  return standardizedColumns(vectors);
}

/** Columns of mean 0 and variance 1. */
function standardizedColumns({ data, rows, columns }: Matrix): Matrix {
  const result = Matrix.zeros(rows, columns);
  for (let d = 0; d < columns; d++) {
    let [mean, variance] = [0, 0];
    for (let i = d; i < data.length; i += columns) mean += data[i]! / rows;
    for (let i = d; i < data.length; i += columns) variance += ((data[i]! - mean) * (data[i]! - mean)) / rows;
    const deviation = Math.sqrt(variance);
    for (let i = d; i < data.length; i += columns) result.data[i] = deviation > 0 ? (data[i]! - mean) / deviation : 0;
  }
  return result;
}
