import type { Matrix } from '../../core/matrix.ts';
import { distanceBounds } from './distanceBounds.ts';
import { Nearest } from './nearest.ts';
import { squaredDistances } from './squaredDistance.ts';
import type { SearchAll } from './treeSearch.ts';

/**
 * The search in many dimensions, where a tree skips nothing: bounds of all distances come from blocks of products, at the speed of the linear
 * algebra; what the bounds leave is compared by direct differences. The k nearest are among the points whose lower bound is no more than the k-th smallest
 * upper bound, so that the result is that of an exhaustive search, bit for bit.
 *
 * @param points - n×D
 * @param asked - m×D queries; where they are the points themselves, none is its own neighbour
 */
export function productSearch(points: Matrix, asked: Matrix): SearchAll {
  const isOwn = asked === points;
  const D = points.columns;
  const square = new Float64Array(1);
  return function* (k, indices, distances) {
    const bound = new Nearest(k);
    const nearest = new Nearest(k);
    const [ignoredRows, ignoredBounds] = [new Int32Array(k), new Float64Array(k)];
    yield* distanceBounds(asked, points, (i, lower, upper) => {
      const leftOut = isOwn ? i : -1;
      for (let j = 0; j < upper.length; j++) if (upper[j]! < bound.worst && j !== leftOut) bound.offer(upper[j]!, j);
      const threshold = bound.worst;
      bound.drain(ignoredRows, ignoredBounds, 0);
      for (let j = 0; j < lower.length; j++) {
        if (lower[j]! > threshold || j === leftOut) continue;
        squaredDistances(asked.data, i * D, points.data, j * D, D, 1, square);
        // Rows come in order, so that of equal distances the first stays.
        if (square[0]! < nearest.worst) nearest.offer(square[0]!, j);
      }
      nearest.drain(indices, distances, i * k);
    });
  };
}
