import { Nearest } from './nearest.ts';

/** Which k of some points are nearest, nearest first, ties by index, by their distances or squared distances. */
export function nearestOf(distances: Float64Array, k: number): Int32Array {
  const search = new Nearest(k);
  for (let j = 0; j < distances.length; j++) if (distances[j]! < search.worst) search.offer(distances[j]!, j);
  const rows = new Int32Array(k);
  search.drain(rows, new Float64Array(k), 0);
  return rows;
}
