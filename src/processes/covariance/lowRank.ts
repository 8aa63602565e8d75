import { log } from '../../core/elementary/index.ts';
import { lazily } from '../../core/progressiveWork.ts';
import type { PositiveDefiniteOptions } from '../../engine/tensors/ops.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Features } from '../../kernels/structure/index.ts';
import type { TensorMap } from '../../model/model.ts';
import type { Noise } from '../likelihoods/likelihood.ts';
import { shiftedForms, shiftedInverse, spectrumOf } from './columnNoise.ts';
import type { Conditioned, Covariance, CovarianceStructure, Moments } from './covariance.ts';
import { noiseOf, type ObservedData, type ObservedPlace, observedRows } from './observedData.ts';

const NAME = 'The precision of the weights of the features';

/**
 * A kernel with fewer features than points, k(X, X) = ΦΦᵀ with Φ N×r, at cost O(N·r·(r + D)) and without an N×N matrix. With A = ΦᵀΦ + σ²I = LLᵀ, the
 * determinant lemma and Woodbury's identity give
 * log|K| = log|A| + (N − r)·log σ²,  tr(YᵀK⁻¹Y) = (‖Y‖² − ‖L⁻¹ΦᵀY‖²)/σ²,
 * and the weights of the features have the posterior N(A⁻¹ΦᵀY, σ²A⁻¹). With one variance per row, rows are first divided by their standard
 * deviations; with one per column, columns share an eigen-decomposition of ΦᵀΦ. White noise of the kernel adds to the noise.
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
