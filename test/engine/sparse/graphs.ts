import { Matrix } from '../../../src/core/matrix.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { nearestNeighbors } from '../../../src/engine/neighbors/index.ts';
import type { EdgeList } from '../../../src/engine/sparse/index.ts';

export function graphOf(size: number, pairs: readonly (readonly [number, number])[]): EdgeList {
  return { size, sources: Int32Array.from(pairs, ([i]) => i), targets: Int32Array.from(pairs, ([, j]) => j) };
}

export function pathGraph(size: number): EdgeList {
  return graphOf(
    size,
    Array.from({ length: size - 1 }, (_, i) => [i, i + 1] as const),
  );
}

export function cycleGraph(size: number): EdgeList {
  return graphOf(
    size,
    Array.from({ length: size }, (_, i) => [i, (i + 1) % size] as const),
  );
}

export function starGraph(size: number): EdgeList {
  return graphOf(
    size,
    Array.from({ length: size - 1 }, (_, i) => [0, i + 1] as const),
  );
}

export function completeGraph(size: number): EdgeList {
  const pairs: [number, number][] = [];
  for (let i = 0; i < size; i++) for (let j = i + 1; j < size; j++) pairs.push([i, j]);
  return graphOf(size, pairs);
}

/** Node (i, j) is i·columns + j; edges along rows come first for each node. With `periodic`, opposite sides are joined. */
export function gridGraph(rows: number, columns: number, periodic = false): EdgeList {
  const pairs: [number, number][] = [];
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      if (periodic || j + 1 < columns) pairs.push([i * columns + j, i * columns + ((j + 1) % columns)]);
      if (periodic || i + 1 < rows) pairs.push([i * columns + j, ((i + 1) % rows) * columns + j]);
    }
  }
  return graphOf(rows * columns, pairs);
}

/** A grid of side³ nodes with opposite faces joined. */
export function cubeTorus(side: number): EdgeList {
  const node = (i: number, j: number, k: number) => ((i % side) * side + (j % side)) * side + (k % side);
  const pairs: [number, number][] = [];
  for (let i = 0; i < side; i++) {
    for (let j = 0; j < side; j++) {
      for (let k = 0; k < side; k++) {
        for (const next of [node(i + 1, j, k), node(i, j + 1, k), node(i, j, k + 1)]) pairs.push([node(i, j, k), next]);
      }
    }
  }
  return graphOf(side ** 3, pairs);
}

/** Every pair with the same probability. */
export function randomGraph(nodes: number, probability: number, seed: number): EdgeList {
  const { uniform } = seededRandom(seed);
  const pairs: [number, number][] = [];
  for (let i = 0; i < nodes; i++) for (let j = i + 1; j < nodes; j++) if (uniform() < probability) pairs.push([i, j]);
  return graphOf(nodes, pairs);
}

/** Points on a rolled strip, and the graph that joins each to its nearest ones. */
export function rollGraph(points: number, neighbors: number, seed = 1): EdgeList {
  const { uniform } = seededRandom(seed);
  const Y = Matrix.zeros(points, 3);
  for (let i = 0; i < points; i++) {
    const t = 1.5 * Math.PI * (1 + 2 * uniform());
    Y.data.set([t * Math.cos(t), 21 * uniform(), t * Math.sin(t)], 3 * i);
  }
  const { indices } = nearestNeighbors(Y, neighbors);
  const keys = new Set<number>();
  indices.forEach((j, p) => {
    const i = Math.floor(p / neighbors);
    keys.add(Math.min(i, j) * points + Math.max(i, j));
  });
  return graphOf(
    points,
    [...keys].sort((a, b) => a - b).map((key) => [Math.floor(key / points), key % points] as const),
  );
}

/** Weights between 0.1 and 10, log-uniform. */
export function randomWeights(graph: EdgeList, seed = 1): Float64Array {
  const { uniform } = seededRandom(seed);
  return Float64Array.from(graph.sources, () => 10 ** (2 * uniform() - 1));
}

/** L(w) + λI as a dense matrix. */
export function denseLaplacian({ size, sources, targets }: EdgeList, weights: Float64Array, base: number): Matrix {
  const Q = Matrix.zeros(size, size);
  for (let i = 0; i < size; i++) Q.data[i * (size + 1)] = base;
  weights.forEach((w, e) => {
    const i = sources[e]!;
    const j = targets[e]!;
    Q.data[i * (size + 1)]! += w;
    Q.data[j * (size + 1)]! += w;
    Q.data[i * size + j]! -= w;
    Q.data[j * size + i]! -= w;
  });
  return Q;
}
