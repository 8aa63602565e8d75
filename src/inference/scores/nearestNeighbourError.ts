import { counted, countGiven } from '../../core/counted.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { givenList } from '../../core/given.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { pointsFrom, squaredDistancesFrom } from './points.ts';

/**
 * The rate of points whose nearest other point carries another label: the leave-one-out error of the 1-nearest-neighbour
 * classifier, 1/N·Σ_i [label(argmin_{j≠i} ‖x_i − x_j‖) ≠ label(i)]. Of equally near points the one of lowest index counts.
 *
 * @param X - points, N×q, N at least 2
 * @param labels - N labels, compared by identity
 * @returns a rate in [0, 1]
 * @throws InvalidInputError when there are fewer than 2 points, a number is not finite, or there are not N labels
 * @example
 * ```ts
 * nearestNeighbourError([[0], [1], [5], [6]], ['a', 'a', 'b', 'b']); // 0
 * ```
 */
export function nearestNeighbourError(X: MatrixLike, labels: ArrayLike<string | number | boolean>): number {
  const own = givenList(labels, 'nearestNeighbourError', 'a list with one label for each point');
  const points = pointsFrom(X, 'X', 2);
  const { rows } = points;
  if (own.length !== rows) {
    throw new InvalidInputError(
      `X has ${counted(rows, 'row')}, but ${countGiven(own.length, 'label')}. Give one label for each row.`,
    );
  }
  const distances = new Float64Array(rows);
  let errors = 0;
  for (let i = 0; i < rows; i++) {
    squaredDistancesFrom(points, i, distances);
    distances[i] = Number.POSITIVE_INFINITY;
    let nearest = i === 0 ? 1 : 0;
    for (let j = 0; j < rows; j++) if (distances[j]! < distances[nearest]!) nearest = j;
    if (own[nearest] !== own[i]) errors++;
  }
  return errors / rows;
}
