import { log, square } from '../../../core/elementary/index.ts';
import { Matrix } from '../../../core/matrix.ts';
import type { MissingEntries } from '../../../model/posterior.ts';
import type { LinearGaussian } from './linearGaussian.ts';

/**
 * What is missing of rows y = W·x + mean + noise, x ~ N(0, I), noise ~ N(0, Ψ): given the observed entries x is Gaussian of covariance
 * P = (I + W_oᵀΨ_o⁻¹W_o)⁻¹ and mean P·W_oᵀΨ_o⁻¹(y_o − mean_o), so that a missing entry has the mean w_dᵀE[x] + mean_d and the variance
 * w_dᵀPw_d + ψ_d.
 *
 * @see Bishop 2006, eqs. 2.113–2.117
 */
export function missingLinear(map: LinearGaussian): MissingEntries {
  const { rows: D } = map.W;
  return {
    impute(Y) {
      const result = { mean: Matrix.from(Y), variance: Matrix.zeros(Y.rows, D) };
      for (let i = 0; i < Y.rows; i++) {
        const y = Y.row(i);
        if (!y.some(Number.isNaN)) continue;
        const moments = momentsGiven(map, y);
        for (let d = 0; d < D; d++) {
          if (!Number.isNaN(y[d]!)) continue;
          result.mean.data[i * D + d] = moments.mean(d);
          result.variance.data[i * D + d] = moments.variance(d);
        }
      }
      return result;
    },
    logDensity(Y, full) {
      const densities = new Matrix(new Float64Array(Y.rows * D).fill(Number.NaN), Y.rows, D);
      for (let i = 0; i < Y.rows; i++) {
        const y = Y.row(i);
        const moments = momentsGiven(map, y);
        for (let d = 0; d < D; d++) {
          if (!Number.isNaN(y[d]!)) continue;
          const variance = moments.variance(d);
          const squared = square(full.at(i, d) - moments.mean(d)) / variance;
          densities.data[i * D + d] = -0.5 * (log(2 * Math.PI * variance) + squared);
        }
      }
      return densities;
    },
  };
}

/** Moments of the entries of a row given those that are observed, which are taken into account one after the other. */
function momentsGiven({ W, mean, noise }: LinearGaussian, y: Float64Array) {
  const { rows: D, columns: q } = W;
  const x = new Float64Array(q);
  const P = Float64Array.from({ length: q * q }, (_, k) => (k % (q + 1) === 0 ? 1 : 0));
  /** P·w_d. */
  const spread = (d: number) =>
    Float64Array.from({ length: q }, (_, a) => {
      let sum = 0;
      for (let b = 0; b < q; b++) sum += P[a * q + b]! * W.data[d * q + b]!;
      return sum;
    });
  const along = (d: number, v: Float64Array) => v.reduce((sum, entry, c) => sum + entry * W.data[d * q + c]!, 0);
  for (let d = 0; d < D; d++) {
    if (Number.isNaN(y[d]!)) continue;
    const Pw = spread(d);
    const total = Math.max(0, along(d, Pw)) + noise[d]!;
    const surprise = (y[d]! - mean[d]! - along(d, x)) / total;
    for (let a = 0; a < q; a++) {
      x[a]! += Pw[a]! * surprise;
      for (let b = 0; b < q; b++) P[a * q + b]! -= (Pw[a]! * Pw[b]!) / total;
    }
  }
  return {
    mean: (d: number) => mean[d]! + along(d, x),
    variance: (d: number) => Math.max(0, along(d, spread(d))) + noise[d]!,
  };
}
