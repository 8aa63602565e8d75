import type { PositiveDefiniteOptions } from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../../model/model.ts';
import type { Noise } from '../likelihoods/likelihood.ts';
import type { ObservedData, ObservedPlace } from './observedData.ts';

/** What kind of linear algebra a kernel's Gram matrix allows for so many points: the contract between a process and its kernel. */
export interface CovarianceStructure {
  readonly kind: 'dense' | 'lowRank' | 'symmetricBasis';
  /** The covariance of observations at the inputs X (N×q) under this noise, of the kernel at natural values by its own names. */
  at(p: TensorMap, X: Tensor2D, noise: Noise): Covariance;
}

/** The covariance k(X, X) + Σ of noisy observations; nothing is formed before it is asked for. */
export interface Covariance {
  /** log N(Y | 0, K + Σ) of the columns of the data, a scalar. */
  logDensity(data: ObservedData, options: PositiveDefiniteOptions): Scalar;
  /** What conditioning on the data leaves, tensors by name: a factor, and weights. All that predictions rest on. */
  condition(data: ObservedData, options: PositiveDefiniteOptions): Conditioned;
  /** The moments of the functions at new inputs A (n×q), for any data that conditioning was done on. */
  momentsAt(A: Tensor2D): (place: ObservedPlace, conditioned: Conditioned) => Moments;
}

/** What conditioning leaves, by name. */
export type Conditioned = Readonly<Record<string, Tensor2D>>;

/** Moments of the noise-free functions of c columns at n new inputs. */
export interface Moments {
  /** n×c */
  readonly mean: Tensor2D;
  /** n×c, or n×1 where all columns have the same. */
  readonly variance: Tensor2D;
  /** Between the new inputs, n×n, of the function of the column at this place. */
  covariance(column: number): Tensor2D;
}
