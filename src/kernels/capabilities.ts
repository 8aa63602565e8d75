import type { Matrix } from '../core/matrix.ts';
import type { RadialProfile } from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../model/model.ts';
import type { ExpectationInputs, Expectations } from './expectations/expectations.ts';

/**
 * What a definition may say of its covariance beside its values: all of it, and nothing else. Sums, scales, selections and products of
 * kernels work out theirs from those of their parts.
 *
 * P: natural values of the definition's parameters as tensors, by its own names.
 */
export interface KernelCapabilities<P = TensorMap> {
  /** What its Gram matrix is made of: linear algebra is done on that where it is cheaper than on N×N matrices. */
  readonly structure?: KernelStructure<P>;
  /**
   * Its expectations under Gaussian latents in closed form, for variational bounds. Those of an rbf, a constant and a white noise follow
   * from the structure; a kernel without them is summed over nodes or samples.
   */
  readonly expectations?: (p: P, inputs: ExpectationInputs) => Expectations;
  /**
   * For a kernel with an option left open: what the open options are for a process that starts at these inputs (N×q). A model asks once,
   * before it is fitted.
   */
  readonly decidedAt?: (inputs: Matrix) => Readonly<Record<string, unknown>>;
}

/** What a Gram matrix may be made of. */
export type KernelStructure<P = TensorMap> =
  /** variance·f(r²), r² = Σ_d ((x_d − x'_d)/lengthscale_d)²; the parameters are called so. */
  | { readonly type: 'radial'; readonly profile: RadialProfile }
  /** The parameter of this name, between any two points. */
  | { readonly type: 'constant'; readonly parameter: string }
  /** The parameter of this name on the diagonal of a Gram matrix, 0 between two sets. */
  | { readonly type: 'white'; readonly parameter: string }
  | KernelFeatures<P>
  | KernelBasis<P>;

/** k(A, B) = Φ(A)·Φ(B)ᵀ with finitely many features that do not depend on the process's inputs. */
export interface KernelFeatures<P = TensorMap> {
  readonly type: 'features';
  /** Number of features of points of so many columns. */
  readonly rank: (columns: number) => number;
  /** Φ, n×rank, of the rows of A (n×q). */
  readonly at: (p: P, A: Tensor2D) => Tensor2D;
}

/** k(X, X) = E² + UUᵀ with basis functions at the process's own inputs X. */
export interface KernelBasis<P = TensorMap> {
  readonly type: 'symmetricBasis';
  readonly at: (p: P, X: Tensor2D) => SymmetricBasis;
}

/** N basis functions at their own N centres, and further features. */
export interface SymmetricBasis {
  /** E, N×N, symmetric. */
  readonly basis: Tensor2D;
  /** U, N×r. */
  readonly features: Tensor2D;
}
