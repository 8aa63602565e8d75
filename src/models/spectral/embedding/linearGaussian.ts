import { log, square } from '../../../core/elementary/index.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import { counted } from '../../../core/wording.ts';
import { type PrincipalAxes as AxesFound, principalAxes as axesOf } from '../../../engine/dense/principalComponents.ts';
import type { Found } from '../../../model/computedModel.ts';
import type { Mapping, MissingEntries, Placement, Prediction, Projection } from '../../../model/posterior.ts';
import { product } from './classScatter.ts';

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
 * when there is no noise, and so no density. Under a prior the variances of x are those of its posterior, ψ(WᵀRW + ψI)⁻¹, and the log density that of N(mean, WWᵀ + Ψ), unless the weights are uncertain.
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
  // p(y) = p(y|x)·p(x)/p(x|y) at the mean of x: log N(y; mean, WWᵀ + Ψ).
  const marginal = logDensity.map((density, i) => {
    let sum = density;
    for (let c = 0; c < q; c++) sum -= 0.5 * (square(latents.at(i, c)) + log(1 + energy[c]! / noise));
    return sum;
  });
  const latentVariances = new Matrix(
    latents.data.map((_, at) => noise / (energy[at % q]! + noise)),
    Y.rows,
    q,
  );
  return { latents, latentVariances, logDensity: marginal, logDensityAtPlace: logDensity };
}

/** Places rows at their scores (y − mean)ᵀA on the axes A (D×q) that a fit keeps as `components`. */
export function placedByScores({ parameters: { components, mean } }: Found): { readonly placement: Placement } {
  const axes = components as Matrix;
  return {
    placement: {
      acceptsMissing: false,
      observedColumns: axes.rows,
      place: (rows: Matrix) => ({
        latents: product(lessMean(rows, mean as readonly number[]), axes),
        logDensity: new Float64Array(rows.rows).fill(Number.NaN),
      }),
    },
  };
}

function lessMean({ data, rows, columns }: Matrix, mean: readonly number[]): Matrix {
  return new Matrix(
    data.map((entry, k) => entry - mean[k % columns]!),
    rows,
    columns,
  );
}

/** The singular value decomposition of centered observations, and how much of their variance there is in all. */
export interface PrincipalAxes extends AxesFound {
  /** Sum of all eigenvalues of YcᵀYc/N. */
  readonly total: number;
}

/**
 * The q directions of largest variance of centered observations.
 *
 * @throws InvalidInputError when the observations vary in fewer directions than q
 */
export function principalAxes(centered: Matrix, q: number, name: string): PrincipalAxes {
  const { rows: N, columns: D, data } = centered;
  const most = Math.min(N - 1, D);
  if (q > most) {
    throw new InvalidInputError(
      `${name} was asked for ${q} dimensions, but ${N} points of ${counted(D, 'column')} have at most ${counted(most, 'principal component')}. Choose a smaller latentDim${q <= D ? `, or give at least ${q + 1} points` : ''}.`,
    );
  }
  const found = axesOf(centered, q);
  const c = found.eigenvalues.length;
  if (c < q) {
    throw new InvalidInputError(
      `The observations vary in ${c} direction${c === 1 ? '' : 's'} only, so ${name} cannot show ${q}. Choose a smaller latentDim.`,
    );
  }
  return { ...found, total: data.reduce((sum, entry) => sum + entry * entry, 0) / N };
}

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
