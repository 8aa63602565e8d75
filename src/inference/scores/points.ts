import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkNumbers } from '../../core/observations.ts';

/** Checks that points are finite, and that there are at least `least` of them. */
export function pointsFrom(values: MatrixLike, name: string, least: number): Matrix {
  const points = checkNumbers(Matrix.from(values, name), name);
  if (points.rows >= least) return points;
  throw new InvalidInputError(`${name} must have at least ${least} rows (points), but it has ${points.rows}.`);
}

/** Squared Euclidean distances of row i to every row, into `distances`. */
export function squaredDistancesFrom({ data, rows, columns }: Matrix, i: number, distances: Float64Array): void {
  for (let j = 0; j < rows; j++) {
    let sum = 0;
    for (let d = 0; d < columns; d++) sum += square(data[i * columns + d]! - data[j * columns + d]!);
    distances[j] = sum;
  }
}
