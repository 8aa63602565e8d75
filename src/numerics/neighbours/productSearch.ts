import type { InParts } from '../../core/inParts.ts';
import { Matrix } from '../../core/matrix.ts';
import { distanceBounds } from './distanceBounds.ts';
import { Nearest } from './nearest.ts';
import { ownCandidates } from './ownCandidates.ts';
import { squaredDistances } from './squaredDistance.ts';
import type { SearchAll } from './treeSearch.ts';

/**
 * The search in many dimensions, where a tree skips nothing: all distances come from blocks of products, at the speed of the linear algebra, with a bound of
 * their error; what the bound leaves is compared by direct differences, so that the result is that of an exhaustive search, bit for bit.
 *
 * @param points - n×D
 * @param asked - m×D queries; where they are the points themselves, none is its own neighbour
 */
export function productSearch(points: Matrix, asked: Matrix): SearchAll {
  return asked === points ? ownSearch(points) : (k, ...found) => searchOthers(points, asked, k, undefined, ...found);
}

/**
 * Neighbours among the points themselves, whose distances are computed once for both of a pair: the nearest of the candidates that `ownCandidates` leaves,
 * and another search for points whose candidates do not prove to be enough, as many others are as near as the k-th.
 */
function ownSearch(points: Matrix): SearchAll {
  return function* (k, indices, distances) {
    const D = points.columns;
    const nearest = new Nearest(k);
    const unproven: number[] = [];
    let [gathered, squares] = [new Float64Array(0), new Float64Array(0)];
    yield* ownCandidates(points, k, (i, rows, others) => {
      const count = rows.length;
      if (gathered.length < count * D) [gathered, squares] = [new Float64Array(count * D), new Float64Array(count)];
      rows.forEach((row, p) => {
        gathered.set(points.data.subarray(row * D, (row + 1) * D), p * D);
      });
      squaredDistances(points.data, i * D, gathered, 0, D, count, squares);
      // Rows come in order, so that of equal distances the first stays.
      for (let p = 0; p < count; p++) if (squares[p]! < nearest.worst) nearest.offer(squares[p]!, rows[p]!);
      if (!(nearest.worst < others)) unproven.push(i);
      nearest.drain(indices, distances, i * k);
    });
    if (unproven.length === 0) return;
    const asked = Matrix.from(unproven.map((i) => points.row(i)));
    const [rows, lengths] = [new Int32Array(unproven.length * k), new Float64Array(unproven.length * k)];
    yield* searchOthers(points, asked, k, unproven, rows, lengths);
    unproven.forEach((i, p) => {
      indices.set(rows.subarray(p * k, (p + 1) * k), i * k);
      distances.set(lengths.subarray(p * k, (p + 1) * k), i * k);
    });
  };
}

/** The k nearest are among the points whose lower bound is no more than the k-th smallest upper bound; query i is not to find point leftOut[i]. */
function* searchOthers(
  points: Matrix,
  asked: Matrix,
  k: number,
  leftOut: readonly number[] | undefined,
  indices: Int32Array,
  distances: Float64Array,
): InParts<void> {
  const D = points.columns;
  const square = new Float64Array(1);
  const bound = new Nearest(k);
  const nearest = new Nearest(k);
  const [ignoredRows, ignoredBounds] = [new Int32Array(k), new Float64Array(k)];
  yield* distanceBounds(asked, points, (i, lower, upper) => {
    const own = leftOut?.[i] ?? -1;
    for (let j = 0; j < upper.length; j++) if (upper[j]! < bound.worst && j !== own) bound.offer(upper[j]!, j);
    const threshold = bound.worst;
    bound.drain(ignoredRows, ignoredBounds, 0);
    for (let j = 0; j < lower.length; j++) {
      if (lower[j]! > threshold || j === own) continue;
      squaredDistances(asked.data, i * D, points.data, j * D, D, 1, square);
      // Rows come in order, so that of equal distances the first stays.
      if (square[0]! < nearest.worst) nearest.offer(square[0]!, j);
    }
    nearest.drain(indices, distances, i * k);
  });
}
