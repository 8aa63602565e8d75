import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { pointsFrom, squaredDistancesFrom } from './points.ts';

/**
 * How far the neighbours in an embedding are neighbours in the data too:
 * 1 − 2/(N·k·(2N − 3k − 1))·Σ_i Σ_{j ∈ U_k(i)} (r(i, j) − k), U_k(i) the points among the k nearest of i in X but not in Y, r(i, j)
 * the rank of j among the neighbours of i in Y. Of equally near points the one of lowest index comes first.
 *
 * @param Y - data, N×D
 * @param X - embedding, N×q
 * @param k - number of neighbours, from 1 and less than N/2
 * @returns a number in [0, 1], 1 when the k nearest neighbours in X are the k nearest in Y
 * @throws InvalidInputError when a number is not finite, Y and X differ in their rows, or k is not in its range
 * @see Venna, Kaski, Neighborhood preservation in nonlinear projection methods: an experimental study (2001), eq. 1
 * @example
 * ```ts
 * trustworthiness(Y, result.latents, 10);
 * ```
 */
export function trustworthiness(Y: MatrixLike, X: MatrixLike, k: number): number {
  const { data, embedding } = samePoints(Y, X, k);
  return neighbourhoodPreservation(data, embedding, k);
}

/**
 * How far the neighbours in the data are neighbours in the embedding too: {@link trustworthiness} with the two exchanged.
 *
 * @param Y - data, N×D
 * @param X - embedding, N×q
 * @param k - number of neighbours, from 1 and less than N/2
 * @returns a number in [0, 1], 1 when the k nearest neighbours in Y are the k nearest in X
 * @throws InvalidInputError when a number is not finite, Y and X differ in their rows, or k is not in its range
 * @see Venna, Kaski, Neighborhood preservation in nonlinear projection methods: an experimental study (2001), eq. 2
 * @example
 * ```ts
 * continuity(Y, result.latents, 10);
 * ```
 */
export function continuity(Y: MatrixLike, X: MatrixLike, k: number): number {
  const { data, embedding } = samePoints(Y, X, k);
  return neighbourhoodPreservation(embedding, data, k);
}

/** The two as matrices, which must have the same rows, more than twice as many as neighbours. */
function samePoints(Y: MatrixLike, X: MatrixLike, k: number): { data: Matrix; embedding: Matrix } {
  const data = pointsFrom(Y, 'Y', 3);
  const embedding = pointsFrom(X, 'X', 3);
  const { rows: n } = data;
  if (embedding.rows !== n) {
    throw new InvalidInputError(`Y and X must have the same rows, but they have ${n} and ${embedding.rows}.`);
  }
  if (!Number.isInteger(k) || k < 1 || k >= n / 2) {
    throw new InvalidInputError(`k must be a whole number from 1 and less than N/2 = ${n / 2}, but ${k} was given.`);
  }
  return { data, embedding };
}

/** 1 − the scaled sum of how far the k nearest neighbours in `shown` lie outside the k nearest in `truth`. */
function neighbourhoodPreservation(truth: Matrix, shown: Matrix, k: number): number {
  const { rows: n } = truth;
  const ranks = new Int32Array(n);
  let penalty = 0;
  for (let i = 0; i < n; i++) {
    neighboursOf(truth, i).forEach((j, place) => {
      ranks[j] = place + 1;
    });
    for (const j of neighboursOf(shown, i).slice(0, k)) penalty += Math.max(0, ranks[j]! - k);
  }
  return 1 - (penalty * 2) / (n * k * (2 * n - 3 * k - 1));
}

/** All other points, the nearest first. */
function neighboursOf(points: Matrix, i: number): number[] {
  const distances = new Float64Array(points.rows);
  squaredDistancesFrom(points, i, distances);
  const others = Array.from(distances.keys()).filter((j) => j !== i);
  return others.sort((a, b) => distances[a]! - distances[b]! || a - b);
}
