import { log, square } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { rowsOf } from '../../core/rowMatrices.ts';
import { doublesOf, matrixTensor, tensorMatrix } from '../../engine/tensors/doubles.ts';
import type { PositiveDefiniteOptions } from '../../engine/tensors/ops.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { type Features, whiteOf } from '../../kernels/structure.ts';
import type { Noise } from '../../model/entrywise/likelihood.ts';
import type { TensorMap } from '../../model/model.ts';
import { inducingFactor } from '../variational/inducingVariables.ts';
import {
  type Conditioned,
  type Covariance,
  type CovarianceStructure,
  type Moments,
  noiseOf,
  type ObservedData,
  type ObservedPlace,
  observedRows,
  shiftedForms,
  shiftedInverse,
  spectrumOf,
} from './covariance.ts';

const NAME = 'The precision of the weights of the features';

/**
 * A kernel with fewer features than points, k(X, X) = ΦΦᵀ with Φ N×r, at cost O(N·r·(r + D)) and without an N×N matrix. With A = ΦᵀΦ + σ²I = LLᵀ, the
 * determinant lemma and Woodbury's identity give log|K| = log|A| + (N − r)·log σ², tr(YᵀK⁻¹Y) = (‖Y‖² − ‖L⁻¹ΦᵀY‖²)/σ², and the weights of the
 * features have the posterior N(A⁻¹ΦᵀY, σ²A⁻¹). With one variance per row, rows are first divided by their standard deviations; with one per column,
 * columns share an eigen-decomposition of ΦᵀΦ. White noise of the kernel adds to the noise.
 *
 * @see Rasmussen & Williams 2006, eqs. A.9–A.10
 */
export function lowRankStructure(features: Features): CovarianceStructure {
  return {
    kind: 'lowRank',
    at: (p, X, given) => {
      const white = features.white?.(p);
      const noise = white === undefined ? given : { ...given, variance: op.add(given.variance, white) };
      const basis = lazily(() => features.at(p, X));
      const at = (A: Tensor2D) => featuresAt(features, p, A, white);
      if (noise.per === 'column') return byColumn(basis, noise, at);
      return noise.per === 'row' ? byRow(basis, noise, at) : shared(basis, noise.variance, at);
    },
  };
}

interface NewFeatures {
  /** Φ at new inputs, n×r. */
  readonly basis: Tensor2D;
  /** White noise of the kernel, which is part of the function. */
  readonly white: Tensor | undefined;
}

const featuresAt = (features: Features, p: TensorMap, A: Tensor2D, white: Tensor | undefined): NewFeatures => ({
  basis: features.at(p, A),
  white,
});

const plus = (x: Tensor2D, white: Tensor | undefined) => (white === undefined ? x : op.add<Tensor2D>(x, white));
const plusDiagonal = (K: Tensor2D, white: Tensor | undefined) => (white === undefined ? K : op.addDiagonal(K, white));

/** One variance for all observations. */
function shared(basis: () => Tensor2D, variance: Tensor, at: (A: Tensor2D) => NewFeatures): Covariance {
  return {
    logDensity: (data, options) => {
      const { observations: Y, constants } = data;
      const energy = constants?.energy ?? op.sum(op.square(Y));
      return lowRankLogDensity(observedRows(basis(), data), variance, Y, energy, options);
    },
    condition: (data, options) => posterior(observedRows(basis(), data), variance, data.observations, options),
    momentsAt: (A) => momentsFrom(at(A), variance),
  };
}

/** One variance σ_i² per row: rows of Φ and Y are divided by σ_i and then have variance 1. */
function byRow(basis: () => Tensor2D, noise: Noise, at: (A: Tensor2D) => NewFeatures): Covariance {
  const one = op.scalar(1);
  const whitened = (data: ObservedData) => {
    const variances = noiseOf(noise, data);
    const deviations = op.reshape(op.sqrt(variances), [-1, 1]);
    const divided = (x: Tensor2D) => op.div<Tensor2D>(x, deviations);
    return { variances, F: divided(observedRows(basis(), data)), Y: divided(data.observations) };
  };
  return {
    logDensity: (data, options) => {
      const { variances, F, Y } = whitened(data);
      const density = lowRankLogDensity(F, one, Y, op.sum(op.square(Y)), options);
      return op.sub<Scalar>(density, op.mul(0.5 * Y.shape[1], op.sum(op.log(variances))));
    },
    condition: (data, options) => {
      const { F, Y } = whitened(data);
      return posterior(F, one, Y, options);
    },
    momentsAt: (A) => momentsFrom(at(A), one),
  };
}

/** A = ΦᵀΦ + σ²I, r×r, factored, and ΦᵀY. */
function normalEquations(features: Tensor2D, noise: Tensor, Y: Tensor2D, options: PositiveDefiniteOptions) {
  const gram = op.gramMatrix(op.transpose(features) as Tensor2D);
  return {
    factor: op.cholesky(op.addDiagonal(gram, noise), { ...options, name: NAME }),
    moments: op.matMul<Tensor2D>(features, Y, true, false),
  };
}

function lowRankLogDensity(
  features: Tensor2D,
  noise: Tensor,
  Y: Tensor2D,
  energy: number | Tensor,
  options: PositiveDefiniteOptions,
): Scalar {
  const [N, r] = features.shape;
  const D = Y.shape[1];
  const { factor, moments } = normalEquations(features, noise, Y, options);
  const half = op.triangularSolve(factor, moments);
  const logDeterminant = op.add(op.mul(2, op.sum(op.log(op.diagPart(factor)))), op.mul(N - r, op.log(noise)));
  const quadratic = op.div(op.sub(energy, op.sum(op.square(half))), noise);
  return op.mul<Scalar>(-0.5, op.add(op.add(N * D * log(2 * Math.PI), op.mul(D, logDeterminant)), quadratic));
}

/** Posterior N(W, σ²A⁻¹) of the weights: L with A = LLᵀ, and W = A⁻¹ΦᵀY (r×D). */
function posterior(features: Tensor2D, noise: Tensor, Y: Tensor2D, options: PositiveDefiniteOptions): Conditioned {
  const { factor, moments } = normalEquations(features, noise, Y, options);
  return { factor, weights: op.choleskySolve(factor, moments) };
}

/** Mean ΦW, covariance RᵀR with R = σ·L⁻¹Φᵀ. */
function momentsFrom({ basis, white }: NewFeatures, variance: Tensor) {
  return (_place: ObservedPlace, { factor, weights }: Conditioned): Moments => {
    const root = op.mul<Tensor2D>(op.sqrt(variance), op.triangularSolve(factor!, op.transpose(basis) as Tensor2D));
    return {
      mean: op.matMul<Tensor2D>(basis, weights!),
      variance: plus(op.reshape<Tensor2D>(op.sum(op.square(root), 0), [-1, 1]), white),
      covariance: () => plusDiagonal(op.gramMatrix(op.transpose(root) as Tensor2D), white),
    };
  };
}

/** One variance σ_j² per column: all from ΦᵀΦ = VΛVᵀ and (Λ + σ_j²)⁻¹. */
function byColumn(basis: () => Tensor2D, noise: Noise, at: (A: Tensor2D) => NewFeatures): Covariance {
  const normal = (data: ObservedData) => {
    const F = observedRows(basis(), data);
    const moments = op.matMul<Tensor2D>(F, data.observations, true, false);
    return { gram: op.gramMatrix(op.transpose(F) as Tensor2D), moments, variances: noiseOf(noise, data) };
  };
  return {
    logDensity: (data, options) => {
      const { gram, moments, variances } = normal(data);
      const [n, c] = data.observations.shape;
      const { logDeterminants, quadratics } = shiftedForms(gram, moments, variances, { ...options, name: NAME });
      const determinants = op.add(logDeterminants, op.mul(n - gram.shape[0], op.log(variances)));
      const explained = op.div(op.sub(op.sum(op.square(data.observations), 0), quadratics), variances);
      const sum = op.sum(op.add(determinants, explained));
      return op.mul<Scalar>(-0.5, op.add(n * c * log(2 * Math.PI), sum));
    },
    condition: (data, options) => {
      const { gram, moments, variances } = normal(data);
      const { vectors, inverses } = spectrumOf(gram, variances, { ...options, name: NAME });
      // σ_j²·A_j⁻¹ = V·diag(σ_j²/(λ + σ_j²))·Vᵀ is the covariance of the weights.
      return {
        vectors,
        spreads: op.mul<Tensor2D>(inverses, op.reshape(variances, [1, -1])),
        weights: shiftedInverse(vectors, inverses, moments),
      };
    },
    momentsAt: (A) => {
      const { basis: F, white } = at(A);
      return (_place, { vectors, spreads, weights }): Moments => {
        const rotated = op.matMul<Tensor2D>(F, vectors!);
        const root = (column: number) => op.sqrt(op.gather(op.transpose(spreads!), [column]));
        return {
          mean: op.matMul<Tensor2D>(F, weights!),
          variance: plus(op.matMul<Tensor2D>(op.square(rotated), spreads!), white),
          covariance: (column) => plusDiagonal(op.gramMatrix(op.mul<Tensor2D>(rotated, root(column))), white),
        };
      };
    },
  };
}

/**
 * Any kernel through M inducing inputs Z, at cost O(N·M·(M + D)) and without an N×N matrix. With LLᵀ = k(Z, Z) and the features Φ = k(X, Z)L⁻ᵀ the
 * log density is replaced by its bound
 * log N(Y | 0, ΦΦᵀ + σ²I) − D/(2σ²)·tr(k(X, X) − ΦΦᵀ),
 * which equals the log density if Z = X. White noise of the kernel adds to the noise, since the inducing inputs do not determine it.
 *
 * @param p - natural values of the kernel's parameters
 * @param Z - M×q
 * @param jitter - added to the diagonal of k(Z, Z); default 1e-8 of its mean
 * @see Titsias 2009, eq. 9
 */
export function inducingCovariance(
  kernel: Kernel,
  p: TensorMap,
  Z: Tensor2D,
  jitter: number | undefined,
  X: Tensor2D,
  noise: Noise,
): Covariance {
  const white = whiteOf(kernel)?.(p);
  let options: PositiveDefiniteOptions = {};
  const factor = lazily(() => inducingFactor(kernel, p, Z, { ...options, jitter, white }));
  const basisAt = (A: Tensor2D) => {
    const cross = kernel.covariance(p, A, Z, Z);
    return op.transpose(op.triangularSolve(factor(), op.transpose(cross) as Tensor2D)) as Tensor2D;
  };
  const basis = lazily(() => basisAt(X));
  const features: Features = {
    rank: Z.shape[0],
    at: (_p, A) => (A === X ? basis() : basisAt(A)),
    white: white && (() => white),
  };
  /** k(x, x) − ‖φ(x)‖² without white noise, n entries: the variance that the features do not explain. */
  const restAt = (A: Tensor2D, own: Tensor2D): Tensor1D => {
    const all = kernel.diagonal(p, A, Z);
    return op.sub<Tensor1D>(white === undefined ? all : op.sub(all, white), op.sum(op.square(own), 1));
  };
  const lowWith = (own: Noise, by = features) => lowRankStructure(by).at(p, X, own);
  const low = lowWith(noise);

  return {
    logDensity: (data, given) => {
      options = given;
      const density = low.logDensity(data, given);
      return op.sub<Scalar>(density, op.mul(0.5, leftOver(restAt(X, basis()), noise, white, data)));
    },
    // With t = tr(k(X, X) − ΦΦᵀ), log|K| ≥ log|ΦΦᵀ + σ²I| and tr(YᵀK⁻¹Y) ≥ tr(Yᵀ(ΦΦᵀ + (σ² + t)I)⁻¹Y) (Titsias 2014, eq. 7).
    upperBound: (data, given) => {
      const rest = restAt(X, basis());
      const t = op.sum(data.rows === undefined ? rest : op.gather(rest, data.rows));
      const wide = lowWith({ ...noise, variance: op.add(noise.variance, t) });
      const none = { ...data, observations: op.mul<Tensor2D>(0, data.observations), constants: undefined };
      const quadratic = op.sub(wide.logDensity(data, given), wide.logDensity(none, given));
      return op.add<Scalar>(low.logDensity(none, given), quadratic);
    },
    condition: (data, given) => {
      options = given;
      return low.condition(data, given);
    },
    momentsAt: (A) => {
      const own = basisAt(A);
      const momentsOf = lowWith(noise, { ...features, at: () => own }).momentsAt(A);
      const rest = op.reshape<Tensor2D>(restAt(A, own), [-1, 1]);
      return (place, conditioned) => {
        const { mean, variance, covariance } = momentsOf(place, conditioned);
        return {
          mean,
          variance: op.add<Tensor2D>(variance, rest),
          covariance: (column) => {
            const all = kernel.covariance(p, A, A, Z);
            const smooth = white === undefined ? all : op.addDiagonal(all, op.neg(white));
            return op.add<Tensor2D>(covariance(column), op.sub(smooth, op.gramMatrix(own)));
          },
        };
      };
    },
  };
}

/** Σ_ij r_i/σ_ij² over the observed entries, with σ² including the kernel's white noise. */
function leftOver(rest: Tensor1D, noise: Noise, white: Tensor | undefined, data: ObservedData): Tensor {
  const { rows, observations } = data;
  const own = rows === undefined ? rest : op.gather<Tensor1D>(rest, rows);
  const given = noiseOf(noise, data);
  const variance = white === undefined ? given : op.add(given, white);
  if (noise.per === 'column') return op.mul(op.sum(own), op.sum(op.div(1, variance)));
  return op.mul(observations.shape[1], op.sum(op.div(own, variance)));
}

/**
 * Rows of X that determine the functions at all other rows up to a variance of at most `rest`: the pivots of a Cholesky decomposition of k(X, X),
 * each the row with the largest remaining variance. Called on the float64 backend.
 *
 * @param p - natural values of the kernel's parameters
 * @param X - N×q
 * @param most - largest number of rows
 * @returns M×q; undefined if `most` rows leave a larger variance
 * @see Harbrecht, Peters & Schneider 2012, algorithm 1
 */
export function spanningInputs(
  kernel: Kernel,
  p: TensorMap,
  X: Matrix,
  rest: number,
  most: number,
): Matrix | undefined {
  const A = matrixTensor(X);
  const N = X.rows;
  const white = whiteOf(kernel)?.(p);
  const noise = white === undefined ? 0 : doublesOf(white)[0]!;
  const left = doublesOf(kernel.diagonal(p, A, A)).map((variance) => variance - noise);
  const columns: Float64Array[] = [];
  const chosen: number[] = [];
  for (;;) {
    const pivot = left.reduce((best, variance, i) => (variance > left[best]! ? i : best), 0);
    if (left[pivot]! <= rest) return rowsOf(X, chosen);
    if (chosen.length === most) return undefined;
    const own = tensorMatrix(kernel.covariance(p, A, matrixTensor(rowsOf(X, [pivot])), A)).data;
    for (const column of columns) {
      const factor = column[pivot]!;
      for (let i = 0; i < N; i++) own[i]! -= factor * column[i]!;
    }
    const root = Math.sqrt(left[pivot]!);
    for (let i = 0; i < N; i++) {
      own[i]! /= root;
      left[i]! -= square(own[i]!);
    }
    left[pivot] = 0;
    columns.push(own);
    chosen.push(pivot);
  }
}
