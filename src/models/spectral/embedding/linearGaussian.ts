import { log, square } from '../../../core/elementary/index.ts';
import { Matrix } from '../../../core/matrix.ts';
import type { Mapping, Placement, Prediction, Projection } from '../../../model/posterior.ts';

/** y = W·x + mean + noise, noise ~ N(0, Ψ) with Ψ diagonal, and WᵀΨ⁻¹W diagonal too. */
export interface LinearGaussian {
  /** D×q */
  readonly W: Matrix;
  /** D entries. */
  readonly mean: ArrayLike<number>;
  /** ψ_d ≥ 0, D entries. */
  readonly noise: ArrayLike<number>;
  /** Precision of the prior on x: 1 for probabilistic PCA, 0 for projections. */
  readonly prior: number;
  /** Variance of the noise-free function in units of the noise, 0 unless the weights are uncertain. */
  readonly functionVariance?: (x: Float64Array) => number;
}

/** What a fit can do with it, for D columns. */
export function linearPosterior(map: LinearGaussian, D: number): { mapping: Mapping; placement: Placement } {
  return {
    mapping: { observedColumns: D, predict: (X, noise) => predictLinear(map, X, noise) },
    placement: { acceptsMissing: false, observedColumns: D, place: (given) => placeLinear(map, given) },
  };
}

/** Mean W·x + mean of every row of X (n×q), and its variance. */
function predictLinear({ W, mean, noise, functionVariance }: LinearGaussian, X: Matrix, noisy: boolean): Prediction {
  const { rows: D, columns: q } = W;
  const result = { mean: Matrix.zeros(X.rows, D), variance: Matrix.zeros(X.rows, D) };
  for (let i = 0; i < X.rows; i++) {
    const x = X.row(i);
    const ratio = functionVariance?.(x) ?? 0;
    for (let j = 0; j < D; j++) {
      let sum = mean[j]!;
      for (let c = 0; c < q; c++) sum += W.data[j * q + c]! * x[c]!;
      result.mean.data[i * D + j] = sum;
      result.variance.data[i * D + j] = noise[j]! * ratio + (noisy ? noise[j]! : 0);
    }
  }
  return result;
}

/**
 * x = (WᵀRW + ψ·prior·I)⁻¹WᵀR(y − mean) of every row of Y (n×D), R = ψΨ⁻¹ with ψ the noise of the first column, and log N(y; W·x + mean, Ψ) there; NaN
 * when there is no noise, and so no density. Under a prior the variances of x are those of its posterior, ψ(WᵀRW + ψI)⁻¹, unless the weights are uncertain.
 */
function placeLinear(map: LinearGaussian, Y: Matrix): Projection {
  const { W, mean, prior, functionVariance } = map;
  const { rows: D, columns: q } = W;
  const noise = map.noise[0]!;
  const precision = Float64Array.from(map.noise, (own) => (own === noise ? 1 : noise / own));
  const energy = Float64Array.from({ length: q }, (_, c) =>
    W.column(c).reduce((sum, w, j) => sum + w * w * precision[j]!, 0),
  );
  const latents = Matrix.zeros(Y.rows, q);
  for (let i = 0; i < Y.rows; i++) {
    for (let c = 0; c < q; c++) {
      let sum = 0;
      for (let j = 0; j < D; j++) sum += W.data[j * q + c]! * (Y.at(i, j) - mean[j]!) * precision[j]!;
      latents.data[i * q + c] = sum / (energy[c]! + noise * prior);
    }
  }
  const { mean: fitted } = predictLinear(map, latents, false);
  const logPrecision = precision.reduce((sum, own) => sum + log(own), 0);
  const logDensity = Float64Array.from({ length: Y.rows }, (_, i) => {
    let squares = 0;
    for (let j = 0; j < D; j++) squares += square(Y.at(i, j) - fitted.at(i, j)) * precision[j]!;
    return noise > 0 ? -0.5 * (D * log(2 * Math.PI * noise) - logPrecision + squares / noise) : Number.NaN;
  });
  if (prior !== 1 || functionVariance !== undefined) return { latents, logDensity };
  const latentVariances = new Matrix(
    latents.data.map((_, at) => noise / (energy[at % q]! + noise)),
    Y.rows,
    q,
  );
  return { latents, latentVariances, logDensity };
}
