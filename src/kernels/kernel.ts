import type { Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { AnyPaths, TensorMap } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import type { KernelCapabilities } from './capabilities.ts';

/**
 * A covariance function k(x, x'): a plain frozen description.
 * `covariance` and `diagonal` take the natural parameter values as tensors, keyed as in `parameters`. P is the type of these values by path.
 */
export interface Kernel<P = AnyPaths> {
  readonly kind: 'kernel';
  /** Exists in types only. */
  readonly '~paths'?: P;
  /** Name of the kernel in parameter paths. */
  readonly name: string;
  /** Parameters of all its parts: `rbf.variance`, `rbf2.lengthscale`, … */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** How the kernel was composed; everything else known about it follows from its leaves. */
  readonly form: KernelForm;
  /**
   * Covariance of the rows of A (n×q) and B (m×q), an n×m tensor. If B is the same tensor as A, it is a Gram matrix. `inputs` (N×q) are the inputs of
   * the process.
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

/** A kernel made by one definition. */
export interface KernelLeaf {
  readonly type: 'leaf';
  /** Default parameters of the definition, which determine the kind of a bare number. */
  readonly standard: Readonly<Record<string, Parameter>>;
  /** Options as plain JSON. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Makes the same kernel with other parameters or options. */
  readonly remade: (changes: Readonly<Record<string, unknown>>) => Kernel;
  /** Further declarations of its definition about the covariance. */
  readonly capabilities: KernelCapabilities;
  /** Its tensors under the definition's names: `rbf.variance` becomes `variance`. */
  readonly own: (p: TensorMap) => TensorMap;
}
