import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';

/** The points among which, or for which, neighbours are searched: finite, at least one. */
export function searchedPoints(values: MatrixLike, name: string): Matrix {
  // They are only read: a matrix need not be copied.
  const points =
    values instanceof Matrix ? new Matrix(values.data, values.rows, values.columns) : Matrix.from(values, name);
  if (points.rows === 0 || points.columns === 0) {
    throw new InvalidInputError(`${name} has shape ${points.rows}×${points.columns}: give at least one point.`);
  }
  if (!areFinite(points.data)) {
    const bad = points.data.findIndex((value) => !Number.isFinite(value));
    throw new InvalidInputError(
      `${name} must hold finite numbers, but row ${Math.floor(bad / points.columns)}, column ${bad % points.columns} is ` +
        `${points.data[bad]}. Distances to that point are not defined: drop the row or fill in the value.`,
    );
  }
  return points;
}

function areFinite(values: Float64Array): boolean {
  let [sum0, sum1] = [0, 0];
  // x − x is 0 for finite numbers and NaN for others; two sums are sooner done than a question for each.
  for (let p = 0; p < values.length; p += 2) {
    sum0 += values[p]! - values[p]!;
    if (p + 1 < values.length) sum1 += values[p + 1]! - values[p + 1]!;
  }
  return sum0 + sum1 === 0;
}

/** The points whose neighbours are searched: `queries` in the same space, or the points themselves. */
export function queriedPoints(points: Matrix, queries: MatrixLike | undefined, name: string): Matrix {
  if (queries === undefined) return points;
  const asked = searchedPoints(queries, name);
  if (asked.columns === points.columns) return asked;
  throw new InvalidInputError(
    `${name} has ${asked.columns} columns, but the points have ${points.columns}. Give both in the same space.`,
  );
}
