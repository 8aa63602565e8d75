import type { Matrix } from '../core/matrix.ts';
import type { RadialProfile } from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../model/model.ts';
import type { ExpectationInputs, Expectations } from './expectations/expectations.ts';

/**
 * Declarations of a definition about its covariance, besides the values. Sums, scales, selections and products of kernels derive theirs from those of
 * their parts.
 * P: natural values of the definition's parameters as tensors, by name.
 */
export interface KernelCapabilities<P = TensorMap> {
  /** Structure of its Gram matrix, used for linear algebra where that is cheaper than with an N×N matrix. */
  readonly structure?: KernelStructure<P>;
  /**
   * Closed-form expectations under Gaussian latents, for variational bounds. Those of rbf, constant and white noise follow from the structure; for
   * other kernels without them expectations are sums over nodes or samples.
   */
  readonly expectations?: (p: P, inputs: ExpectationInputs) => Expectations;
  /** For a kernel with open options: their values for a process that starts at these inputs (N×q). A model asks for them once, before it is fitted. */
  readonly decidedAt?: (inputs: Matrix) => Readonly<Record<string, unknown>>;
}

/** Structures of a Gram matrix. */
export type KernelStructure<P = TensorMap> =
  /** variance·f(r²), r² = Σ_d ((x_d − x'_d)/lengthscale_d)², with parameters of these names. */
  | { readonly type: 'radial'; readonly profile: RadialProfile }
  /** The parameter of this name for any two points. */
  | { readonly type: 'constant'; readonly parameter: string }
  /** The parameter of this name on the diagonal of a Gram matrix, 0 between two sets of points. */
  | { readonly type: 'white'; readonly parameter: string }
  | KernelFeatures<P>
  | KernelBasis<P>;

/** k(A, B) = Φ(A)·Φ(B)ᵀ with finitely many features that are independent of the process's inputs. */
export interface KernelFeatures<P = TensorMap> {
  readonly type: 'features';
  /** Number of features for points with this number of columns. */
  readonly rank: (columns: number) => number;
  /** Φ, n×rank, of the rows of A (n×q). */
  readonly at: (p: P, A: Tensor2D) => Tensor2D;
}

/** k(X, X) = E² + UUᵀ with basis functions at the process's own inputs X. */
export interface KernelBasis<P = TensorMap> {
  readonly type: 'symmetricBasis';
  readonly at: (p: P, X: Tensor2D) => SymmetricBasis;
}

/** N basis functions centred at the N inputs, and further features. */
export interface SymmetricBasis {
  /** E, N×N, symmetric. */
  readonly basis: Tensor2D;
  /** U, N×r. */
  readonly features: Tensor2D;
}
