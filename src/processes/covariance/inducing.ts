import { lazily } from '../../core/progressiveWork.ts';
import type { PositiveDefiniteOptions } from '../../engine/tensors/ops.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { type Features, whiteOf } from '../../kernels/structure/index.ts';
import type { TensorMap } from '../../model/model.ts';
import type { Noise } from '../likelihoods/likelihood.ts';
import { inducingFactor } from '../variational/inducingInputs.ts';
import type { Covariance } from './covariance.ts';
import { lowRankStructure } from './lowRank.ts';
import { noiseOf, type ObservedData } from './observedData.ts';

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
  const low = lowRankStructure(features).at(p, X, noise);

  return {
    logDensity: (data, given) => {
      options = given;
      const density = low.logDensity(data, given);
      return op.sub<Scalar>(density, op.mul(0.5, leftOver(restAt(X, basis()), noise, white, data)));
    },
    condition: (data, given) => {
      options = given;
      return low.condition(data, given);
    },
    momentsAt: (A) => {
      const momentsOf = low.momentsAt(A);
      const own = basisAt(A);
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

/** Σ_ij r_i/σ_ij² over the observed entries, where σ² includes the kernel's white noise. */
function leftOver(rest: Tensor1D, noise: Noise, white: Tensor | undefined, data: ObservedData): Tensor {
  const { rows, observations } = data;
  const own = rows === undefined ? rest : op.gather<Tensor1D>(rest, rows);
  const given = noiseOf(noise, data);
  const variance = white === undefined ? given : op.add(given, white);
  if (noise.per === 'column') return op.mul(op.sum(own), op.sum(op.div(1, variance)));
  return op.mul(observations.shape[1], op.sum(op.div(own, variance)));
}
