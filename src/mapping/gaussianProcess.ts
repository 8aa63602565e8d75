import type { Kernel } from '../kernels/kernel.ts';
import { type Basis, noisyGram, symmetricBasisOf } from '../kernels/structure/index.ts';
import type { TensorMap } from '../model/model.ts';
import { outerProduct } from '../numerics/dense/outerProduct.ts';
import { matrixTensor } from '../tensors/matrixTensor.ts';
import * as op from '../tensors/ops.ts';
import { type Scalar, type Tensor, type Tensor1D, type Tensor2D, tf } from '../tensors/tensorflow.ts';
import { fewFeatures, lowRankLogDensity } from './lowRank.ts';
import type { ObservedPattern } from './observedPatterns.ts';

export const KERNEL = 'mapping.kernel.';
export const NOISE = 'mapping.noise';
const NAME = 'The covariance of the mapping';

/** The kernel's tensors under the kernel's own names. */
export function kernelTensors(kernel: Kernel, values: TensorMap): TensorMap {
  return Object.fromEntries(Object.keys(kernel.parameters).map((key) => [key, values[KERNEL + key]!]));
}

/** K = k(X, X) + σ²I */
function noisyCovariance(kernel: Kernel, values: TensorMap, X: Tensor2D): Tensor2D {
  const p = kernelTensors(kernel, values);
  const noise = values[NOISE]!;
  return noisyGram(kernel)(p, X, noise);
}

/** The part of K that belongs to the observed rows. */
function observedPart(K: Tensor2D, rows: Tensor1D | undefined): Tensor2D {
  return rows === undefined ? K : (op.gather(op.gather(K, rows, 0), rows, 1) as Tensor2D);
}

/** The likelihood of a Gaussian-process mapping, with its constants as tensors until `dispose`. */
export interface Mapping {
  /** log p(Y|X) at a model's values and its N×q latents. */
  logDensity(values: TensorMap, X: Tensor2D, onJitter: (jitter: number) => void): Scalar;
  dispose(): void;
}

/** The log density of the columns of one pattern, with its constants as tensors. */
interface PatternTerm {
  /** @param basis - K = k(X, X) + σ²I, N×N, or Φ, N×r */
  logDensity(basis: Tensor2D, noise: Tensor, options: op.PositiveDefiniteOptions): Scalar;
  readonly constants: readonly Tensor[];
}

/**
 * The Gaussian-process mapping from latents to observations as a term:
 * log p(Y|X) = −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹YYᵀ), K = k(X, X) + σ²I; columns that are observed in the same rows only
 * share the part of K that belongs to those. Of a kernel with fewer features than points, K is not formed.
 *
 * @see Lawrence 2005, eq. 4
 */
export function mapping(
  kernel: Kernel,
  patterns: readonly ObservedPattern[],
  points: number,
  columns: number,
): Mapping {
  const features = fewFeatures(kernel, points, columns);
  const basis = symmetricBasisOf(kernel, columns);
  const whole = patterns.length === 1 && isWhole(patterns[0]!, points) ? patterns[0] : undefined;
  if (basis !== undefined && whole !== undefined) {
    return symmetricBasisMapping(basis, kernel, whole);
  }
  const terms = patterns.map((pattern) => (features ? lowRankTerm(pattern, points) : fullRankTerm(pattern, points)));
  return {
    logDensity: (values, X, onJitter) => {
      const basis = features?.at(kernelTensors(kernel, values), X) ?? noisyCovariance(kernel, values, X);
      return terms
        .map((term) => term.logDensity(basis, values[NOISE]!, { name: NAME, onJitter }))
        .reduce((sum, part) => op.add(sum, part) as Scalar);
    },
    dispose: () => {
      for (const { constants } of terms) for (const tensor of constants) tensor.dispose();
    },
  };
}

/** Observed everywhere, in no more columns than there are points. */
function isWhole({ rows, observations }: ObservedPattern, points: number): boolean {
  return rows.length === points && observations.columns <= points;
}

/** The same of a kernel with k(X, X) = E² + UUᵀ, from E and U. */
function symmetricBasisMapping(structure: Basis, kernel: Kernel, { observations }: ObservedPattern): Mapping {
  const Y = tf.keep(matrixTensor(observations));
  return {
    logDensity: (values, X, onJitter) => {
      const p = kernelTensors(kernel, values);
      const { basis, features } = structure.at(p, X);
      const { white } = structure;
      const noise = white === undefined ? values[NOISE]! : op.addScalars(values[NOISE]!, white(p));
      return op.symmetricBasisLogDensity(basis, features, noise, Y, { name: NAME, onJitter });
    },
    dispose: () => Y.dispose(),
  };
}

function fullRankTerm({ rows, observations }: ObservedPattern, points: number): PatternTerm {
  const { columns } = observations;
  const observed = rows.length === points ? undefined : tf.keep(tf.tensor1d(rows, 'int32'));
  const data: op.GaussianData =
    columns > rows.length
      ? { outerProduct: tf.keep(matrixTensor(outerProduct(observations))), columns }
      : { observations: tf.keep(matrixTensor(observations)), constant: true };
  return {
    logDensity: (K, _noise, options) => op.gaussianLogDensity(observedPart(K, observed), data, options),
    constants: ['observations' in data ? data.observations : data.outerProduct, ...(observed ? [observed] : [])],
  };
}

function lowRankTerm({ rows, observations }: ObservedPattern, points: number): PatternTerm {
  const observed = rows.length === points ? undefined : tf.keep(tf.tensor1d(rows, 'int32'));
  const Y = tf.keep(matrixTensor(observations));
  const energy = observations.data.reduce((sum, entry) => sum + entry * entry, 0);
  return {
    logDensity: (features, noise, options) => {
      const own = observed === undefined ? features : op.gather<Tensor2D>(features, observed);
      return lowRankLogDensity(own, noise, Y, energy, options);
    },
    constants: [Y, ...(observed ? [observed] : [])],
  };
}

/** The Cholesky factor of the part of K = k(X, X) + σ²I that belongs to the rows in which a pattern is observed. */
export function covarianceFactorOf(
  kernel: Kernel,
  values: TensorMap,
  X: Tensor2D,
  { rows }: ObservedPattern,
): Tensor2D {
  const all = rows.length === X.shape[0];
  const K = noisyCovariance(kernel, values, X);
  return op.cholesky(observedPart(K, all ? undefined : tf.tensor1d(rows, 'int32')), { name: NAME });
}
