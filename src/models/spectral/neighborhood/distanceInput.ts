import { Matrix, type MatrixLike } from '../../../core/matrix.ts';
import { observationsFrom, unitsAdvice } from '../../../core/observations.ts';
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

function pairwiseDistances({ data, rows: N, columns: D }: Matrix): Matrix {
  const distances = Matrix.zeros(N, N);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < i; j++) {
      const distance = Math.sqrt(squaredDistance(data, i * D, j * D, D));
      distances.data[i * N + j] = distance;
      distances.data[j * N + i] = distance;
    }
  }
  return distances;
}
