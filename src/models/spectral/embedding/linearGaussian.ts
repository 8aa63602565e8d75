import { log, square } from '../../../core/elementary/index.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import { counted } from '../../../core/wording.ts';
import { type PrincipalAxes as AxesFound, principalAxes as axesOf } from '../../../engine/dense/principalComponents.ts';
import { product } from '../../../engine/dense/products.ts';
import type { ComputedSolution } from '../../../model/computedModel.ts';
import {
  type Mapping,
  type MissingEntries,
  type Placement,
  type Prediction,
  type Projection,
  withoutDensity,
} from '../../../model/posterior.ts';

/** Linear Gaussian model y = W·x + mean + noise, noise ~ N(0, Ψ) with Ψ and WᵀΨ⁻¹W diagonal. */
export interface LinearGaussian {
  /** Weights W, D×q. */
  readonly W: Matrix;
  /** Mean, D entries. */
  readonly mean: ArrayLike<number>;
  /** Noise variances ψ_d ≥ 0, D entries. */
  readonly noise: ArrayLike<number>;
  /** Precision of the prior on x: 1 for probabilistic PCA, 0 for projections. */
  readonly prior: number;
  /** Variance of the noise-free function in units of the noise, 0 unless the weights are uncertain. */
  readonly functionVariance?: (x: Float64Array) => number;
}

/** Abilities of a fit with a linear map to D columns. */
export function linearPosterior(map: LinearGaussian, D: number): { mapping: Mapping; placement: Placement } {
  return {
    mapping: { observedColumns: D, predict: (X, noise) => predictLinear(map, X, noise) },
    placement: { acceptsMissing: isMarginal(map), observedColumns: D, place: (given) => placeLinear(map, given) },
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
 * Positions of rows Y (n×D), NaN where missing. With a prior x ~ N(0, I) they are the posterior means conditional on the observed entries, with their
 * variances, and the log density is log N(y; mean, WWᵀ + Ψ). Otherwise, and if the weights are uncertain, they are x = (WᵀRW + ψ·prior·I)⁻¹WᵀR(y −
 * mean), R = ψΨ⁻¹ with ψ the noise of the first column, and the density is conditional on the position.
 */
function placeLinear(map: LinearGaussian, Y: Matrix): Projection {
  const q = map.W.columns;
  const latents = Matrix.zeros(Y.rows, q);
  if (!isMarginal(map)) {
    placeByLeastSquares(map, Y, latents);
    return { ...withoutDensity(latents), logDensityAtPlace: densityAtPlaces(map, Y, latents) };
  }
  const latentVariances = Matrix.zeros(Y.rows, q);
  const given = posteriorOf(map);
  const logDensity = Float64Array.from({ length: Y.rows }, (_, i) => {
    const { x, P, logDensity: own } = given(Y.row(i));
    for (let c = 0; c < q; c++) {
      latents.data[i * q + c] = x[c]!;
      latentVariances.data[i * q + c] = P[c * (q + 1)]!;
    }
    return own;
  });
  return { latents, latentVariances, logDensity, logDensityAtPlace: densityAtPlaces(map, Y, latents) };
}

/** True if the latents of new rows are integrated out. */
const isMarginal = ({ prior, functionVariance }: LinearGaussian): boolean =>
  prior === 1 && functionVariance === undefined;

function placeByLeastSquares({ W, mean, prior, noise: noises }: LinearGaussian, Y: Matrix, latents: Matrix): void {
  const { rows: D, columns: q } = W;
  const noise = noises[0]!;
  const precision = Float64Array.from(noises, (own) => (own === noise ? 1 : noise / own));
  for (let c = 0; c < q; c++) {
    const energy = W.column(c).reduce((sum, w, j) => sum + w * w * precision[j]!, 0);
    for (let i = 0; i < Y.rows; i++) {
      let sum = 0;
      for (let j = 0; j < D; j++) sum += W.data[j * q + c]! * (Y.at(i, j) - mean[j]!) * precision[j]!;
      latents.data[i * q + c] = sum / (energy + noise * prior);
    }
  }
}

/** log p(y|x) of the observed entries of rows, from the predictive moments at their positions; NaN without noise. */
function densityAtPlaces(map: LinearGaussian, Y: Matrix, latents: Matrix): Float64Array {
  const { mean, variance } = predictLinear(map, latents, true);
  return Float64Array.from({ length: Y.rows }, (_, i) =>
    Y.row(i).reduce(
      (sum, y, j) => {
        if (Number.isNaN(y)) return sum;
        const v = variance.at(i, j);
        return sum - 0.5 * (log(2 * Math.PI * v) + square(y - mean.at(i, j)) / v);
      },
      map.noise[0]! > 0 ? 0 : Number.NaN,
    ),
  );
}

/** Places rows at their scores (y − mean)ᵀA on the axes A (D×q) that a fit stores as `components`. */
export function placedByScores({ parameters: { components, mean } }: ComputedSolution): {
  readonly placement: Placement;
} {
  const axes = components as Matrix;
  return {
    placement: {
      observedColumns: axes.rows,
      place: (rows: Matrix) => withoutDensity(product(lessMean(rows, mean as readonly number[]), axes)),
    },
  };
}

const lessMean = (Y: Matrix, mean: readonly number[]): Matrix => Y.map((entry, _, d) => entry - mean[d]!);

/** Singular value decomposition of centered observations, with their total variance. */
export interface PrincipalAxes extends AxesFound {
  /** Sum of all eigenvalues of YcᵀYc/N. */
  readonly total: number;
}

/**
 * The q directions of largest variance of centered observations.
 *
 * @throws InvalidInputError if the observations vary in fewer directions than q
 */
export function principalAxes(centered: Matrix, q: number, name: string): PrincipalAxes {
  const { rows: N, columns: D, data } = centered;
  const most = Math.min(N - 1, D);
  if (q > most) {
    throw new InvalidInputError(
      `${q} dimensions were requested from ${name}, but ${N} points of ${counted(D, 'column')} have at most ${counted(most, 'principal component')}. Choose a smaller \`latentDim\`${q <= D ? `, or give at least ${q + 1} points` : ''}.`,
    );
  }
  const found = axesOf(centered, q);
  const c = found.eigenvalues.length;
  if (c < q) {
    throw new InvalidInputError(
      `The observations vary in ${c} direction${c === 1 ? '' : 's'} only, so ${name} cannot show ${q}. Choose a smaller \`latentDim\`.`,
    );
  }
  return { ...found, total: data.reduce((sum, entry) => sum + entry * entry, 0) / N };
}

/**
 * Missing entries of rows y = W·x + mean + noise, x ~ N(0, I), noise ~ N(0, Ψ): conditional on the observed entries, x is Gaussian with covariance P
 * = (I + W_oᵀΨ_o⁻¹W_o)⁻¹ and mean P·W_oᵀΨ_o⁻¹(y_o − mean_o), so that a missing entry has the mean w_dᵀE[x] + mean_d and the variance
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

/** Moments of the entries of a row conditional on the observed ones, which are processed one after the other. */
function momentsGiven(map: LinearGaussian, y: Float64Array) {
  const { W, mean, noise } = map;
  const q = W.columns;
  const { x, P } = posteriorOf(map)(y);
  return {
    mean: (d: number) => W.row(d).reduce((sum, w, c) => sum + w * x[c]!, mean[d]!),
    variance: (d: number) => {
      const w = W.row(d);
      return w.reduce(
        (sum, own, a) => w.reduce((inner, other, b) => inner + own * P[a * q + b]! * other, sum),
        noise[d]!,
      );
    },
  };
}

/**
 * Posterior of x ~ N(0, I) conditional on the observed entries of a row: E[x], its covariance P (q×q), and their log density. Each column is divided
 * by the standard deviation of its noise.
 */
function posteriorOf({ W, mean, noise }: LinearGaussian) {
  const { rows: D, columns: q } = W;
  const scale = Float64Array.from(noise, Math.sqrt);
  const weights = new Float64Array(D * (q + 1));
  for (let d = 0; d < D; d++) {
    for (let c = 0; c < q; c++) weights[d * (q + 1) + c] = W.at(d, c) / scale[d]!;
    weights[d * (q + 1) + q] = mean[d]! / scale[d]!;
  }
  return (y: Float64Array) => {
    const found = rowPosterior(
      y.map((entry, d) => entry / scale[d]!),
      0,
      D,
      weights,
      1,
      q,
    );
    const units = y.reduce((sum, entry, d) => (Number.isNaN(entry) ? sum : sum + log(scale[d]!)), 0);
    return { x: found.mean, P: found.inverse, logDensity: found.logDensity - units };
  };
}

/** (E[x], 1) of a row, (W_oᵀW_o + σ²I)⁻¹ and the log density of its observed entries. */
export function rowPosterior(
  data: Float64Array,
  i: number,
  D: number,
  weights: Float64Array,
  noise: number,
  q: number,
): { readonly mean: Float64Array; readonly inverse: Float64Array; readonly logDensity: number } {
  const r = q + 1;
  const M = new Float64Array(q * q);
  const across = new Float64Array(q);
  let [count, squares] = [0, 0];
  for (let d = 0; d < D; d++) {
    const y = data[i * D + d]!;
    if (Number.isNaN(y)) continue;
    count++;
    const residual = y - weights[d * r + q]!;
    squares += residual * residual;
    for (let a = 0; a < q; a++) {
      const w = weights[d * r + a]!;
      across[a]! += w * residual;
      for (let b = 0; b < q; b++) M[a * q + b]! += w * weights[d * r + b]!;
    }
  }
  for (let a = 0; a < q; a++) M[a * (q + 1)]! += noise;
  const logDeterminant = invert(M, q);
  const mean = new Float64Array(r).fill(1);
  let explained = 0;
  for (let a = 0; a < q; a++) {
    let sum = 0;
    for (let b = 0; b < q; b++) sum += M[a * q + b]! * across[b]!;
    mean[a] = sum;
    explained += sum * across[a]!;
  }
  const logDensity =
    -0.5 * (count * log(2 * Math.PI) + (count - q) * log(noise) + logDeterminant + (squares - explained) / noise);
  return { mean, inverse: M, logDensity };
}

/** A ← A⁻¹ of a positive definite matrix by sweeps; returns log|A|. */
export function invert(A: Float64Array, n: number): number {
  let logDeterminant = 0;
  for (let k = 0; k < n; k++) {
    const pivot = A[k * n + k]!;
    logDeterminant += log(pivot);
    A[k * n + k] = 1;
    for (let j = 0; j < n; j++) A[k * n + j]! /= pivot;
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = A[i * n + k]!;
      A[i * n + k] = 0;
      for (let j = 0; j < n; j++) A[i * n + j]! -= factor * A[k * n + j]!;
    }
  }
  return logDeterminant;
}
