import { Matrix } from '../../core/matrix.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import { symmetricMatrix } from '../dense/symmetric.ts';
import { type Graph, incidentEdges } from './graph.ts';

/** Number of points whose paths are computed between pauses. */
const TOGETHER = 8;

/**
 * Lengths of the shortest paths between all points along the edges of a graph whose weights are lengths; Infinity if there is no path. Dijkstra's
 * algorithm with a heap from every point: O(N·E·log N), with pauses.
 *
 * @see Dijkstra 1959
 */
export function* geodesicDistances(graph: Graph): ProgressiveWork<Matrix> {
  const { size: N } = graph;
  const paths = shortestPaths(graph);
  const result = new Matrix(new Float64Array(N * N), N, N);
  const own = new Float64Array(1);
  for (let source = 0; source < N; source++) {
    paths(Int32Array.of(source), own, result.data.subarray(source * N, (source + 1) * N));
    if (source % TOGETHER === TOGETHER - 1) yield (source + 1) / N;
  }
  mirrorUpperTriangle(result);
  return result;
}

/** Rows and columns of a tile, which fits into the nearest cache. */
const TILE = 32;

/** Copies the upper triangle to the lower one, tile by tile, since sums along a path from its two ends differ by rounding. */
function mirrorUpperTriangle({ data, rows: N }: Matrix): void {
  for (let top = 0; top < N; top += TILE) {
    const bottom = Math.min(N, top + TILE);
    for (let left = 0; left <= top; left += TILE) {
      const right = left + TILE;
      for (let i = top; i < bottom; i++) {
        for (let j = left; j < Math.min(i, right); j++) data[i * N + j] = data[j * N + i]!;
      }
    }
  }
}

/** Computes N lengths of shortest paths from the nearest of several initial points with given lengths. */
export type ShortestPaths = (reached: Int32Array, lengths: Float64Array, distances: Float64Array) => void;

/**
 * Shortest paths along the edges of a graph whose weights are lengths; Infinity if there is no path. Dijkstra's algorithm with a heap: O(E·log N) per
 * call.
 *
 * @see Dijkstra 1959
 */
export function shortestPaths(graph: Graph): ShortestPaths {
  const { size: N, weights } = graph;
  const { starts, edges, others: neighbors } = incidentEdges(graph);
  const lengths = Float64Array.from(edges, (e) => weights[e]!);
  const queue = pointQueue(N);
  return (from, already, distances) => {
    distances.fill(Infinity);
    for (let a = 0; a < from.length; a++) {
      if (already[a]! >= distances[from[a]!]!) continue;
      distances[from[a]!] = already[a]!;
      queue.offer(from[a]!, already[a]!);
    }
    for (let i = queue.take(); i >= 0; i = queue.take()) {
      const soFar = distances[i]!;
      const end = starts[i + 1]!;
      for (let p = starts[i]!; p < end; p++) {
        const j = neighbors[p]!;
        const through = soFar + lengths[p]!;
        if (through >= distances[j]!) continue;
        distances[j] = through;
        queue.offer(j, through);
      }
    }
  };
}

/** A priority queue of points by distance. */
interface PointQueue {
  /** Inserts a point, or moves it up if its distance fell. */
  offer(point: number, distance: number): void;
  /** Removes and returns the nearest point; −1 if there is none. */
  take(): number;
}

/** A heap with four children per point: half as deep as a binary one, with adjacent children. */
export function pointQueue(size: number): PointQueue {
  const points = new Int32Array(size);
  const keys = new Float64Array(size);
  const place = new Int32Array(size).fill(-1);
  let count = 0;

  return {
    offer(point, distance) {
      let p = place[point]!;
      if (p < 0) p = count++;
      while (p > 0) {
        const parent = (p - 1) >> 2;
        if (keys[parent]! <= distance) break;
        const other = points[parent]!;
        points[p] = other;
        keys[p] = keys[parent]!;
        place[other] = p;
        p = parent;
      }
      points[p] = point;
      keys[p] = distance;
      place[point] = p;
    },
    take() {
      if (count === 0) return -1;
      const nearest = points[0]!;
      place[nearest] = -1;
      count--;
      if (count === 0) return nearest;
      const point = points[count]!;
      const distance = keys[count]!;
      let p = 0;
      for (;;) {
        const first = 4 * p + 1;
        if (first >= count) break;
        const end = Math.min(first + 4, count);
        let child = first;
        let least = keys[first]!;
        for (let c = first + 1; c < end; c++) {
          if (keys[c]! < least) {
            least = keys[c]!;
            child = c;
          }
        }
        if (distance <= least) break;
        const other = points[child]!;
        points[p] = other;
        keys[p] = least;
        place[other] = p;
        p = child;
      }
      points[p] = point;
      keys[p] = distance;
      place[point] = p;
      return nearest;
    },
  };
}

/** Lengths of shortest paths from landmarks. */
export interface LandmarkDistances {
  /** Indices of the landmarks, in the order they were chosen. */
  readonly landmarks: Int32Array;
  /** L×L, symmetric. */
  readonly between: Matrix;
  /** Distances from every shown point, in order, to the landmarks. */
  readonly fromAll: Matrix;
}

/**
 * Chooses L landmarks among the points of a component, each the farthest by paths from the previous ones (the first of equals); the first one is
 * farthest from the first point. O(L·E·log N) time, N·L numbers, with a pause after each.
 *
 * @param shown - the points of one component
 * @see de Silva & Tenenbaum 2004, §3.2 (MaxMin)
 */
export function* landmarkDistances(graph: Graph, shown: Int32Array, count: number): ProgressiveWork<LandmarkDistances> {
  const paths = shortestPaths(graph);
  const lengths = new Float64Array(graph.size);
  const measure = (from: number) => paths(Int32Array.of(from), new Float64Array(1), lengths);
  const fromAll = Matrix.zeros(shown.length, count);
  const nearest = new Float64Array(shown.length).fill(Infinity);
  const landmarks = new Int32Array(count);
  measure(shown[0]!);
  let next = furthest(Float64Array.from(shown, (j) => lengths[j]!));
  for (let l = 0; l < count; l++) {
    landmarks[l] = shown[next]!;
    measure(landmarks[l]!);
    shown.forEach((j, n) => {
      fromAll.data[n * count + l] = lengths[j]!;
      nearest[n] = Math.min(nearest[n]!, lengths[j]!);
    });
    // Not chosen again, if several points coincide.
    nearest[next] = -1;
    next = furthest(nearest);
    yield (l + 1) / count;
  }
  const rowOf = new Map(Array.from(shown, (j, n) => [j, n]));
  // Taken from one direction, since sums along a path depend on the direction by rounding.
  const between = symmetricMatrix(count, (a, b) => fromAll.at(rowOf.get(landmarks[b]!)!, a));
  return { landmarks, between, fromAll };
}

function furthest(lengths: Float64Array): number {
  return lengths.reduce((best, length, n) => (length > lengths[best]! ? n : best), 0);
}
