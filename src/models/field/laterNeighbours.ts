import { log } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import { nearestNeighbours } from '../../engine/neighbours/index.ts';
import { Nearest } from '../../engine/neighbours/nearest.ts';
import { squaredDistance } from '../../engine/neighbours/squaredDistance.ts';

/**
 * For every point the k nearest of those that come after it in an order, ties by index: fewer for the last k of the order.
 *
 * Halves of the order are searched each for itself, and then the second half for what is nearest to points of the first one: each
 * point meets log₂N trees. Pauses after each half.
 */
export function* laterNeighbours(Y: Matrix, k: number, order: readonly number[]): ProgressiveWork<Int32Array[]> {
  const { data, columns: D } = Y;
  const lists = order.map(() => new Int32Array(0));
  const nearest = new Nearest(k);
  const distances = new Float64Array(k);
  const offer = (i: number, j: number) => {
    const square = squaredDistance(data, i * D, j * D, D);
    if (square < nearest.worst || (square === nearest.worst && j < nearest.worstRow)) nearest.offer(square, j);
  };
  let done = 0;
  const search = function* (from: number, to: number): ProgressiveWork<void> {
    if (to - from < 2) return;
    const middle = (from + to) >> 1;
    yield* search(from, middle);
    yield* search(middle, to);
    const earlier = order.slice(from, middle);
    // By index, so that the first of equally near rows is that of the smallest one.
    const later = order.slice(middle, to).sort((a, b) => a - b);
    const each = Math.min(k, later.length);
    const { indices } = nearestNeighbours(rowsOf(Y, later), each, { queries: rowsOf(Y, earlier) });
    earlier.forEach((i, place) => {
      const known = lists[i]!;
      for (const j of known) offer(i, j);
      for (let p = place * each; p < (place + 1) * each; p++) offer(i, later[indices[p]!]!);
      const list = new Int32Array(Math.min(k, known.length + each));
      nearest.drain(list, distances, 0);
      lists[i] = list;
    });
    done += to - from;
    yield done / (order.length * Math.ceil(log(order.length) / Math.LN2));
  };
  yield* search(0, order.length);
  return lists;
}

function rowsOf({ data, columns: D }: Matrix, rows: readonly number[]): Matrix {
  const chosen = Matrix.zeros(rows.length, D);
  rows.forEach((i, place) => {
    chosen.data.set(data.subarray(i * D, (i + 1) * D), place * D);
  });
  return chosen;
}
