import type { PositiveDefiniteOptions } from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../../model/model.ts';
import type { Noise } from '../likelihoods/likelihood.ts';
import type { ObservedData, ObservedPlace } from './observedData.ts';

/** Linear algebra that a kernel's Gram matrix allows for a given number of points: the contract between a process and its kernel. */
export interface CovarianceStructure {
  readonly kind: 'dense' | 'lowRank' | 'symmetricBasis';
  /** Covariance of observations at the inputs X (N×q) with this noise, for natural values of the kernel's parameters. */
  at(p: TensorMap, X: Tensor2D, noise: Noise): Covariance;
}

/** A lazy covariance k(X, X) + Σ of noisy observations. */
export interface Covariance {
  /** log N(Y | 0, K + Σ) of the columns of the data, a scalar. */
  logDensity(data: ObservedData, options: PositiveDefiniteOptions): Scalar;
  /** Result of conditioning on the data, tensors by name: a factor and weights, which are all that predictions need. */
  condition(data: ObservedData, options: PositiveDefiniteOptions): Conditioned;
  /** Moments of the functions at new inputs A (n×q), given the result of conditioning on any data. */
  momentsAt(A: Tensor2D): (place: ObservedPlace, conditioned: Conditioned) => Moments;
}

/** Result of conditioning, by name. */
export type Conditioned = Readonly<Record<string, Tensor2D>>;

/** Moments of the noise-free functions of c columns at n new inputs. */
export interface Moments {
  /** n×c */
  readonly mean: Tensor2D;
  /** n×c, or n×1 if all columns share it. */
  readonly variance: Tensor2D;
  /** n×n covariance between the new inputs of the function of one column. */
  covariance(column: number): Tensor2D;
}
