import { InvalidInputError } from '../../core/errors.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { counted, countGiven } from '../../core/wording.ts';
import { classesOf, type Labels } from '../../engine/graph/labelGraph.ts';
import { rankedTogether } from '../../engine/neighbors/rankedNeighbors.ts';
import { samePoints } from './localScores.ts';
import { pointsFrom, squaredDistancesFrom } from './points.ts';

/**
 * Rate of points whose nearest neighbor has another label: the leave-one-out error of the 1-nearest-neighbor
 * classifier, 1/N·Σ_i [label(argmin_{j≠i} ‖x_i − x_j‖) ≠ label(i)]. Ties are averaged. Points without a label are left out.
 *
 * @param X - points, N×q, N at least 2
 * @param labels - N labels; a missing one is undefined, null, NaN or ''
 * @returns a rate in [0, 1]
 * @throws InvalidInputError if there are fewer than 2 points with labels, a number is not finite, or the number of labels is not N
 * @example
 * ```ts
 * nearestNeighborError([[0], [1], [5], [6]], ['a', 'a', 'b', 'b']); // 0
 * ```
 */
export function nearestNeighborError(X: MatrixLike, labels: Labels): number {
  const { classes: own } = classesOf(labels, 'nearestNeighborError');
  const points = pointsFrom(X, 'X', 2);
  const { rows } = points;
  if (own.length !== rows) {
    throw new InvalidInputError(
      `X has ${counted(rows, 'row')}, but ${countGiven(own.length, 'label')}. Give one label for each row.`,
    );
  }
  const labeled = own.reduce((count, label) => count + (label < 0 ? 0 : 1), 0);
  if (labeled < 2) {
    throw new InvalidInputError(`nearestNeighborError takes 2 labeled points at least, but there are ${labeled}.`);
  }
  const distances = new Float64Array(rows);
  let errors = 0;
  for (let i = 0; i < rows; i++) {
    if (own[i]! < 0) continue;
    squaredDistancesFrom(points, i, distances);
    let [least, tied, wrong] = [Infinity, 0, 0];
    for (let j = 0; j < rows; j++) {
      if (j === i || own[j]! < 0 || distances[j]! > least) continue;
      if (distances[j]! < least) [least, tied, wrong] = [distances[j]!, 0, 0];
      tied++;
      if (own[j] !== own[i]) wrong++;
    }
    errors += wrong / tied;
  }
  return errors / labeled;
}

/**
 * Agreement of an embedding's neighbors with neighbors in the data:
 * 1 − 2/(N·k·(2N − 3k − 1))·Σ_i Σ_{j ∈ U_k(i)} (r(i, j) − k), U_k(i) the points among the k nearest of i in X but not in Y, r(i, j)
 * the rank of j among the neighbors of i in Y. Ties in one space are ranked as in the other.
 *
 * @param Y - data, N×D
 * @param X - embedding, N×q
 * @param k - number of neighbors, from 1 and less than N/2
 * @returns a number in [0, 1], 1 if the k nearest neighbors in X are the k nearest in Y
 * @throws InvalidInputError if a number is not finite, Y and X differ in their rows, or k is out of range
 * @see Venna, Kaski, Neighborhood preservation in nonlinear projection methods: an experimental study (2001), eq. 1
 * @example
 * ```ts
 * trustworthiness(Y, result.latents, 10);
 * ```
 */
export function trustworthiness(Y: MatrixLike, X: MatrixLike, k: number): number {
  return neighborhoodPreservations(Y, X, k).trustworthiness;
}

/**
 * Agreement of the data's neighbors with neighbors in the embedding: {@link trustworthiness} with the two exchanged.
 *
 * @param Y - data, N×D
 * @param X - embedding, N×q
 * @param k - number of neighbors, from 1 and less than N/2
 * @returns a number in [0, 1], 1 if the k nearest neighbors in Y are the k nearest in X
 * @throws InvalidInputError if a number is not finite, Y and X differ in their rows, or k is out of range
 * @see Venna, Kaski, Neighborhood preservation in nonlinear projection methods: an experimental study (2001), eq. 2
 * @example
 * ```ts
 * continuity(Y, result.latents, 10);
 * ```
 */
export function continuity(Y: MatrixLike, X: MatrixLike, k: number): number {
  return neighborhoodPreservations(Y, X, k).continuity;
}

/** {@link trustworthiness} and {@link continuity} with one ranking of the pairs instead of two. */
export function neighborhoodPreservations(
  Y: MatrixLike,
  X: MatrixLike,
  k: number,
): { readonly trustworthiness: number; readonly continuity: number } {
  const { data, embedding } = samePoints(Y, X, k);
  const { rows: N } = data;
  let [moved, torn] = [0, 0];
  for (const [inData, inMap] of rankedTogether(data, embedding)) {
    for (let p = 0; p < inData.count; p++) {
      const [ranks, shown] = [inData.ranks(p), inMap.ranks(p)];
      for (let j = 0; j < N; j++) {
        if (shown[j]! <= k && ranks[j]! > k) moved += ranks[j]! - k;
        else if (ranks[j]! <= k && shown[j]! > k) torn += shown[j]! - k;
      }
    }
  }
  const scaled = (penalty: number) => 1 - (penalty * 2) / (N * k * (2 * N - 3 * k - 1));
  return { trustworthiness: scaled(moved), continuity: scaled(torn) };
}
