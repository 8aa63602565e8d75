import type { Graph } from '../../core/graph/graph.ts';
import { Matrix } from '../../core/matrix.ts';

/**
 * Lengths of the shortest paths between all points along the edges of a graph, whose weights are their lengths; Infinity where there
 * is no path. Dijkstra's algorithm with a binary heap from every point: O(N·E·log N).
 *
 * @see Dijkstra 1959
 */
export function geodesicDistances({ size: N, sources, targets, weights }: Graph): Matrix {
  const starts = new Int32Array(N + 1);
  for (const ends of [sources, targets]) for (const i of ends) starts[i + 1]!++;
  for (let i = 0; i < N; i++) starts[i + 1]! += starts[i]!;
  const next = starts.slice(0, N);
  const neighbours = new Int32Array(2 * weights.length);
  const lengths = new Float64Array(2 * weights.length);
  const link = (i: number, j: number, length: number) => {
    const place = next[i]!++;
    neighbours[place] = j;
    lengths[place] = length;
  };
  for (let e = 0; e < weights.length; e++) {
    link(sources[e]!, targets[e]!, weights[e]!);
    link(targets[e]!, sources[e]!, weights[e]!);
  }
  const result = new Matrix(new Float64Array(N * N).fill(Infinity), N, N);
  const queue = pointQueue(N);
  for (let source = 0; source < N; source++) {
    const distances = result.data.subarray(source * N, (source + 1) * N);
    distances[source] = 0;
    queue.offer(source, distances);
    for (let i = queue.take(distances); i >= 0; i = queue.take(distances)) {
      for (let p = starts[i]!; p < starts[i + 1]!; p++) {
        const j = neighbours[p]!;
        const through = distances[i]! + lengths[p]!;
        if (through >= distances[j]!) continue;
        distances[j] = through;
        queue.offer(j, distances);
      }
    }
  }
  // Sums of one path from its two ends differ by rounding.
  for (let i = 0; i < N; i++) for (let j = 0; j < i; j++) result.data[i * N + j] = result.data[j * N + i]!;
  return result;
}

/** Points in a binary heap by their distance. */
function pointQueue(N: number) {
  const heap = new Int32Array(N);
  const place = new Int32Array(N).fill(-1);
  let count = 0;

  const up = (start: number, distances: Float64Array) => {
    let p = start;
    const point = heap[p]!;
    while (p > 0) {
      const parent = (p - 1) >> 1;
      const other = heap[parent]!;
      if (distances[other]! <= distances[point]!) break;
      heap[p] = other;
      place[other] = p;
      p = parent;
    }
    heap[p] = point;
    place[point] = p;
  };
  const down = (distances: Float64Array) => {
    let p = 0;
    const point = heap[0]!;
    for (;;) {
      let child = 2 * p + 1;
      if (child >= count) break;
      if (child + 1 < count && distances[heap[child + 1]!]! < distances[heap[child]!]!) child++;
      const other = heap[child]!;
      if (distances[point]! <= distances[other]!) break;
      heap[p] = other;
      place[other] = p;
      p = child;
    }
    heap[p] = point;
    place[point] = p;
  };

  return {
    /** Puts a point in, or moves it up after its distance fell. */
    offer(point: number, distances: Float64Array) {
      if (place[point]! < 0) {
        heap[count] = point;
        place[point] = count++;
      }
      up(place[point]!, distances);
    },
    /** Takes the nearest point out; −1 when there is none. */
    take(distances: Float64Array): number {
      if (count === 0) return -1;
      const nearest = heap[0]!;
      place[nearest] = -1;
      count--;
      if (count > 0) {
        heap[0] = heap[count]!;
        down(distances);
      }
      return nearest;
    },
  };
}
