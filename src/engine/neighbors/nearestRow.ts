import { square } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';

/** Index of the row of X nearest to a point, by Euclidean distance; the first of several. */
export function nearestRow(X: Matrix, point: Float64Array): number {
  let [nearest, least] = [0, Number.POSITIVE_INFINITY];
  for (let i = 0; i < X.rows; i++) {
    let distance = 0;
    for (let d = 0; d < X.columns; d++) distance += square(X.at(i, d) - point[d]!);
    if (distance < least) [nearest, least] = [i, distance];
  }
  return nearest;
}
