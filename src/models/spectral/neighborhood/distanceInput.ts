import { Matrix, type MatrixLike } from '../../../core/matrix.ts';
import { observationsFrom, unitsAdvice } from '../../../core/observations.ts';
import { symmetricMatrix } from '../../../engine/dense/symmetric.ts';
import { givenDistances } from '../../../engine/neighbors/index.ts';
import { squaredDistance } from '../../../engine/neighbors/squaredDistance.ts';

/**
 * Euclidean distances between the rows of Y, or Y itself if it contains distances, with a sentence on units or rounding.
 *
 * @throws InvalidInputError for points that are not finite numbers, and distances that are not square, symmetric, 0 on the diagonal and
 * at least 0
 */
export function distancesFrom(
  Y: MatrixLike,
  input: 'points' | 'distances',
  name: string,
): { points: Matrix; distances: () => Matrix; note: string } {
  if (input === 'distances') {
    const { distances, note } = givenDistances(Matrix.from(Y, 'The distances'), `${name} with input 'distances'`);
    return { points: distances, distances: () => Matrix.from(distances), note };
  }
  const points = observationsFrom(Y);
  return { points, distances: () => pairwiseDistances(points), note: unitsAdvice(points) };
}

const pairwiseDistances = ({ data, rows: N, columns: D }: Matrix): Matrix =>
  symmetricMatrix(N, (i, j) => Math.sqrt(squaredDistance(data, i * D, j * D, D)));
