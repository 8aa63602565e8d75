import { counted, countGiven } from '../../core/counted.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { classesOf, type Labels } from '../../engine/graph/labelGraph.ts';
import { pointsFrom, squaredDistancesFrom } from './points.ts';

/**
 * The rate of points whose nearest other point carries another label: the leave-one-out error of the 1-nearest-neighbour
 * classifier, 1/N·Σ_i [label(argmin_{j≠i} ‖x_i − x_j‖) ≠ label(i)]. Of equally near points the one of lowest index counts. Points without a label are
 * left out.
 *
 * @param X - points, N×q, N at least 2
 * @param labels - N labels; a missing one is undefined, null, NaN or ''
 * @returns a rate in [0, 1]
 * @throws InvalidInputError when there are fewer than 2 points with labels, a number is not finite, or there are not N labels
 * @example
 * ```ts
 * nearestNeighbourError([[0], [1], [5], [6]], ['a', 'a', 'b', 'b']); // 0
 * ```
 */
export function nearestNeighbourError(X: MatrixLike, labels: Labels): number {
  const { classes: own } = classesOf(labels, 'nearestNeighbourError');
  const points = pointsFrom(X, 'X', 2);
  const { rows } = points;
  if (own.length !== rows) {
    throw new InvalidInputError(
      `X has ${counted(rows, 'row')}, but ${countGiven(own.length, 'label')}. Give one label for each row.`,
    );
  }
  const labelled = own.reduce((count, label) => count + (label < 0 ? 0 : 1), 0);
  if (labelled < 2) {
    throw new InvalidInputError(`nearestNeighbourError takes 2 labelled points at least, but there are ${labelled}.`);
  }
  const distances = new Float64Array(rows);
  let errors = 0;
  for (let i = 0; i < rows; i++) {
    if (own[i]! < 0) continue;
    squaredDistancesFrom(points, i, distances);
    let nearest = -1;
    for (let j = 0; j < rows; j++) {
      if (j !== i && own[j]! >= 0 && (nearest < 0 || distances[j]! < distances[nearest]!)) nearest = j;
    }
    if (own[nearest] !== own[i]) errors++;
  }
  return errors / labelled;
}
