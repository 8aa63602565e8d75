import { pow } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import { standardizationOf, standardized } from '../../core/observations.ts';

/** Longest lengthscale that a search starts from, of latents with columns of unit variance. */
const LONGEST = 10;

/**
 * Lengthscales where a search starts: (λ₁/λ_d)^¼ with λ_d the variance of the observations that a linear function of column d of the latents explains,
 * from 1 to 10. Were all of them 1, directions of noise would count as much as the first ones, and the search would have to give up
 * structure that it had built on them.
 *
 * @param X - latents where the search starts, N×q
 * @param Y - N×D observations without holes
 */
export function startLengthscales(X: Matrix, Y: Matrix): number[] {
  const [x, y] = [
    standardized(X, standardizationOf(X, true, true)),
    standardized(Y, standardizationOf(Y, true, false)),
  ];
  const explained = Array.from({ length: X.columns }, (_, d) => {
    const covariances = new Float64Array(Y.columns);
    for (let i = 0; i < Y.rows; i++) {
      for (let j = 0; j < Y.columns; j++) covariances[j]! += (x.at(i, d) * y.at(i, j)) / Y.rows;
    }
    return covariances.reduce((sum, entry) => sum + entry * entry, 0);
  });
  const most = explained.reduce((a, b) => Math.max(a, b), 0);
  return explained.map((own) => (most === 0 ? 1 : Math.min(LONGEST, pow(most / own, 0.25))));
}
