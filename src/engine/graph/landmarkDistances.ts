import { Matrix } from '../../core/matrix.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import type { Graph } from './graph.ts';
import { shortestPaths } from './shortestPaths.ts';

/** Lengths of shortest paths from landmarks. */
export interface LandmarkDistances {
  /** Indices of the landmarks, in the order in which they were chosen. */
  readonly landmarks: Int32Array;
  /** L×L, symmetric. */
  readonly between: Matrix;
  /** From every shown point, in order, to the landmarks. */
  readonly fromAll: Matrix;
}

/**
 * Chooses L landmarks among the points of a component, each the furthest by paths from the previous ones (the first of equals); the first one is
 * furthest from the first point. O(L·E·log N) time, N·L numbers, with a pause after each.
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
  const between = Matrix.zeros(count, count);
  for (let a = 0; a < count; a++) {
    for (let b = 0; b <= a; b++) {
      // Taken from one direction, since sums along a path depend on the direction by rounding.
      const length = fromAll.at(rowOf.get(landmarks[b]!)!, a);
      between.data[a * count + b] = length;
      between.data[b * count + a] = length;
    }
  }
  return { landmarks, between, fromAll };
}

function furthest(lengths: Float64Array): number {
  return lengths.reduce((best, length, n) => (length > lengths[best]! ? n : best), 0);
}
