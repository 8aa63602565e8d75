import type { Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { AnyPaths, TensorMap } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import type { KernelCapabilities } from './capabilities.ts';

/**
 * A covariance function k(x, x'): a plain frozen description.
 *
 * `covariance` and `diagonal` get the natural parameter values as tensors, keyed as in `parameters`. In types, `P` are its natural values by
 * path.
 */
export interface Kernel<P = AnyPaths> {
  readonly kind: 'kernel';
  /** In types only. */
  readonly '~paths'?: P;
  /** What its parameters are called after in paths. */
  readonly name: string;
  /** Parameters of all its parts: `rbf.variance`, `rbf2.lengthscale`, … */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** How it was put together; what more is known of it follows from what is known of its leaves. */
  readonly form: KernelForm;
  /**
   * Covariance of the rows of A (n×q) and B (m×q), an n×m tensor. When B is A itself, the same tensor, it is the Gram matrix
   * of one set of points. `inputs` (N×q) are the process's own inputs.
   */
  readonly covariance: (p: TensorMap, A: Tensor2D, B: Tensor2D, inputs: Tensor2D) => Tensor2D;
  /** k(x, x) of every row of A, n entries, without the Gram matrix. */
  readonly diagonal: (p: TensorMap, A: Tensor2D, inputs: Tensor2D) => Tensor1D;
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
  /** What its definition says of it beside its covariance. */
  readonly capabilities: KernelCapabilities;
  /** Its tensors under the definition's names: `rbf.variance` is `variance`. */
  readonly own: (p: TensorMap) => TensorMap;
}
