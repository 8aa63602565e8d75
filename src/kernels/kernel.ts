import type { Matrix } from '../core/matrix.ts';
import type { TensorMap } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../tensors/tensorflow.ts';

/**
 * A covariance function k(x, x'): a plain frozen description.
 *
 * `covariance` and `diagonal` get the natural parameter values as tensors, keyed as in `parameters`.
 */
export interface Kernel {
  readonly kind: 'kernel';
  /** What its parameters are called after in paths. */
  readonly name: string;
  /** Parameters of all its parts: `rbf.variance`, `rbf2.lengthscale`, … */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** How it was put together. */
  readonly form: KernelForm;
  /**
   * Covariance of the rows of A (n×q) and B (m×q), an n×m tensor. When B is A itself, the same tensor, it is the Gram matrix
   * of one set of points. `inputs` (N×q) are the process's own inputs.
   */
  readonly covariance: (p: TensorMap, A: Tensor2D, B: Tensor2D, inputs: Tensor2D) => Tensor2D;
  /** k(x, x) of every row of A, n entries, without the Gram matrix. */
  readonly diagonal: (p: TensorMap, A: Tensor2D, inputs: Tensor2D) => Tensor1D;
  /** K + k(A, B), for kernels that can do so in fewer passes than forming k(A, B) takes. */
  readonly addedTo?: (K: Tensor2D, p: TensorMap, A: Tensor2D, B: Tensor2D, inputs: Tensor2D) => Tensor2D;
  /** What it adds to a Gram matrix, for kernels that are nothing else. */
  readonly offsets?: (p: TensorMap) => Partial<Offsets>;
  /** k(X, X) with offsets as one operation, for kernels that have one. */
  readonly offsetGram?: (p: TensorMap, X: Tensor2D, offsets: Partial<Offsets>) => Tensor2D;
  /** For kernels that are built on a symmetric basis at the process's own inputs: k(X, X) = E² + UUᵀ. */
  readonly symmetricBasis?: (p: TensorMap, X: Tensor2D) => SymmetricBasis;
  /** For kernels with finitely many features whatever the process's inputs: k(x, x') is their inner product. */
  readonly features?: KernelFeatures;
  /**
   * The kernel with everything in it decided, for a process that starts at these inputs (N×q); a kernel without it is decided as it
   * is. A model calls it once, before it is fitted.
   */
  readonly startedAt?: (inputs: Matrix) => Kernel;
}

/** The features of a covariance of finite rank. */
export interface KernelFeatures {
  /** How many there are. */
  readonly rank: number;
  /** Φ, n×rank, of the rows of A (n×q): k(A, B) = Φ(A)·Φ(B)ᵀ. */
  readonly at: (p: TensorMap, A: Tensor2D) => Tensor2D;
}

/** N basis functions at their own N centres, and further features. */
export interface SymmetricBasis {
  /** E, N×N, symmetric. */
  readonly basis: Tensor2D;
  /** U, N×r. */
  readonly features: Tensor2D;
}

/** What is added to a Gram matrix: one scalar to every entry, another to its diagonal. */
export interface Offsets {
  readonly bias: Tensor;
  readonly noise: Tensor;
}

export type KernelForm =
  | KernelLeaf
  | { readonly type: 'add' | 'multiply'; readonly children: readonly Kernel[] }
  | { readonly type: 'scale'; readonly child: Kernel; readonly variance: Parameter }
  | { readonly type: 'select'; readonly child: Kernel; readonly columns: readonly number[] };

/** A kernel that one definition made. */
export interface KernelLeaf {
  readonly type: 'leaf';
  /** The definition's parameters, which say what kind a bare number is. */
  readonly standard: Readonly<Record<string, Parameter>>;
  /** Options that were given, as plain JSON. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Makes the same kernel with other parameters or options. */
  readonly remade: (changes: Readonly<Record<string, unknown>>) => Kernel;
  /** Whether a sum of two of these is one of them, with the sum of their parameters. */
  readonly mergesInSums: boolean;
}
