import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { rankedTogether } from '../../engine/neighbours/rankedNeighbours.ts';
import { samePoints } from './localScores.ts';

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

/** 1 − the scaled sum of how far the k nearest neighbours in `shown` lie outside the k nearest in `truth`. */
function neighbourhoodPreservation(truth: Matrix, shown: Matrix, k: number): number {
  const { rows: N } = truth;
  let penalty = 0;
  for (const [inTruth, inShown] of rankedTogether(truth, shown)) {
    for (let p = 0; p < inTruth.count; p++) {
      const [ranks, shownRanks] = [inTruth.ranks(p), inShown.ranks(p)];
      for (let j = 0; j < N; j++) {
        if (shownRanks[j]! <= k && ranks[j]! > k) penalty += ranks[j]! - k;
      }
    }
  }
  return 1 - (penalty * 2) / (N * k * (2 * N - 3 * k - 1));
}
