import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../../core/matrix.ts';
import { observationsFrom } from '../../../core/observations.ts';
import { squaredDistance } from '../../../engine/neighbors/squaredDistance.ts';

/** Relative difference of d_ij and d_ji that rounding may make. */
const ROUNDING = 1e-10;

/**
 * Euclidean distances between the rows of Y, or Y itself when it is distances.
 *
 * @throws InvalidInputError for points that are not finite numbers, and distances that are not square, symmetric, 0 on the diagonal and
 * at least 0
 */
export function distancesFrom(
  Y: MatrixLike,
  input: 'points' | 'distances',
  name: string,
): { points: Matrix; distances: () => Matrix } {
  if (input === 'distances') {
    const given = checkDistances(Matrix.from(Y, 'The distances'), name);
    return { points: given, distances: () => Matrix.from(given) };
  }
  const points = observationsFrom(Y);
  return { points, distances: () => pairwiseDistances(points) };
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

function checkDistances(distances: Matrix, name: string): Matrix {
  const { data, rows: N, columns } = distances;
  if (N !== columns || N < 2) {
    throw new InvalidInputError(
      `${name} with input 'distances' takes an N×N matrix, N ≥ 2, but it is ${N}×${columns}.`,
    );
  }
  const bad = data.findIndex((distance) => !(distance >= 0 && distance < Infinity));
  if (bad >= 0) {
    throw new InvalidInputError(
      `Distances are finite numbers from 0, but row ${Math.floor(bad / N)}, column ${bad % N} of those of ${name} is ${data[bad]}. ` +
        'Give a distance between every two points.',
    );
  }
  for (let i = 0; i < N; i++) {
    if (data[i * (N + 1)] !== 0) {
      throw new InvalidInputError(
        `The distance of point ${i} to itself (row ${i}, column ${i}) is ${data[i * (N + 1)]}, not 0. Give ${name} distances, not similarities.`,
      );
    }
    for (let j = 0; j < i; j++) {
      const distance = data[i * N + j]!;
      const back = data[j * N + i]!;
      if (Math.abs(distance - back) <= ROUNDING * distance) continue;
      throw new InvalidInputError(
        `Distances are symmetric, but row ${j}, column ${i} of those of ${name} is ${back} and row ${i}, column ${j} is ${distance}. ` +
          'Take their means, if both are measurements of one distance.',
      );
    }
  }
  return distances;
}
