import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../core/errors.ts';
import { diagonalOf } from '../float64/gradients.ts';
import type { Save } from '../linearAlgebra/operations/operation.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../tensorflow.ts';

export type { Save } from '../linearAlgebra/operations/operation.ts';

/**
 * The matrix product A·B over the last two axes; the axes before them broadcast.
 *
 * @param a - […, m, k], or […, k, m] with `transposeA`
 * @param b - […, k, n], or […, n, k] with `transposeB`
 * @param transposeA - whether a is transposed first (false)
 * @param transposeB - whether b is transposed first (false)
 * @returns […, m, n], with gradients in both
 * @throws Error by TensorFlow.js if the inner sizes differ, or the other axes do not broadcast
 * @example
 * ```ts
 * const A = op.tensor([[1, 2], [3, 4]]);
 * op.matMul(A, op.tensor([[1], [1]])); // [[3], [7]]
 * op.matMul(A, A, false, true); // [[5, 11], [11, 25]]
 * ```
 */
export function matMul<T extends Tensor = Tensor2D>(a: Tensor, b: Tensor, transposeA = false, transposeB = false): T {
  return tf.matMul(a, b, transposeA, transposeB) as Tensor as T;
}

/**
 * Axes in another order: axis d of the result is axis permutation[d] of x.
 *
 * @param x - a tensor of any shape
 * @param permutation - every axis once; default all axes in reverse order
 * @returns a tensor with the sizes of x in that order
 * @throws Error by TensorFlow.js unless the permutation contains every axis once
 * @example
 * ```ts
 * op.transpose(op.tensor([[1, 2], [3, 4]])); // [[1, 3], [2, 4]]
 * ```
 */
export const transpose = <T extends Tensor>(x: T, permutation?: number[]): T => tf.transpose(x, permutation);

/**
 * The same entries, in row-major order, under another shape.
 *
 * @param x - a tensor of any shape
 * @param shape - sizes with the same product; one may be −1 and is then computed from the others
 * @throws Error by TensorFlow.js if the entries do not fill the shape
 * @example
 * ```ts
 * op.reshape(op.tensor([1, 2, 3, 4]), [2, -1]); // [[1, 2], [3, 4]]
 * ```
 */
export const reshape = <T extends Tensor = Tensor>(x: Tensor, shape: readonly number[]): T =>
  tf.reshape(x, shape as number[]) as Tensor as T;

/**
 * The same entries with a new axis of size 1.
 *
 * @param x - a tensor of any shape
 * @param axis - position of the new axis (0)
 * @throws Error by TensorFlow.js if the position is out of range
 * @example
 * ```ts
 * op.expandDims(op.tensor([1, 2]), 1); // [[1], [2]]
 * ```
 */
export const expandDims = <T extends Tensor = Tensor>(x: Tensor, axis = 0): T => tf.expandDims(x, axis) as Tensor as T;

/**
 * The same entries without axes of size 1.
 *
 * @param x - a tensor of any shape
 * @param axes - axes to drop; default all of size 1
 * @throws Error by TensorFlow.js if one of these axes has a different size
 * @example
 * ```ts
 * op.squeeze(op.tensor([[1], [2]])); // [1, 2]
 * ```
 */
export const squeeze = <T extends Tensor = Tensor>(x: Tensor, axes?: number[]): T => tf.squeeze(x, axes) as Tensor as T;

/**
 * Joins tensors along an existing axis.
 *
 * @param tensors - at least one, with equal sizes except along the axis
 * @param axis - from 0 (0)
 * @throws Error by TensorFlow.js if the other sizes differ
 * @example
 * ```ts
 * op.concat([op.tensor([[1, 2]]), op.tensor([[3, 4]])]); // [[1, 2], [3, 4]]
 * ```
 */
export const concat = <T extends Tensor>(tensors: readonly T[], axis = 0): T => tf.concat(tensors as T[], axis);

/**
 * Joins tensors of equal shapes along a new axis.
 *
 * @param tensors - at least one
 * @param axis - position of the new axis (0)
 * @throws Error by TensorFlow.js if the shapes differ
 * @example
 * ```ts
 * op.stack([op.tensor([1, 2]), op.tensor([3, 4])], 1); // [[1, 3], [2, 4]]
 * ```
 */
export const stack = <T extends Tensor = Tensor>(tensors: readonly Tensor[], axis = 0): T =>
  tf.stack(tensors as Tensor[], axis) as Tensor as T;

/**
 * A box of entries.
 *
 * @param x - a tensor of any shape
 * @param begin - start of the box along each axis, from 0
 * @param size - length of the box along each axis; −1 (the default) means to the end
 * @throws Error by TensorFlow.js if the box is not inside x
 * @example
 * ```ts
 * op.slice(op.tensor([[1, 2], [3, 4]]), [0, 1]); // [[2], [4]]
 * ```
 */
export const slice = <T extends Tensor>(x: T, begin: number | number[], size?: number | number[]): T =>
  tf.slice(x as Tensor, begin as number, size as number) as Tensor as T;

/**
 * The slices of x along its first axis, each without this axis. Their gradients are joined once; with one `slice` per part, each gradient would have the size
 * of x.
 *
 * @param x - a tensor of rank 1 or higher
 * @returns as many tensors as x has entries along its first axis
 * @example
 * ```ts
 * op.unstack(op.tensor([[1, 2], [3, 4]]))[1]!; // [3, 4]
 * ```
 */
export function unstack<T extends Tensor = Tensor>(x: Tensor): T[] {
  const [numOrSizeSplits, ...shape] = x.shape as [number, ...number[]];
  // Not `tf.split`, which a page would load for this line.
  const parts: Tensor[] = tf.engine().runKernel('SplitV', { x }, { numOrSizeSplits, axis: 0 });
  return parts.map((part) => tf.reshape(part, shape) as Tensor as T);
}

/**
 * The slices of x with these indices along an axis, in this order. The gradient in a slice is the sum of the gradients in its copies.
 *
 * @param x - a tensor of any shape
 * @param indices - whole numbers from 0, which may repeat
 * @param axis - from 0 (0)
 * @throws Error if an index is beyond the axis
 * @example
 * ```ts
 * op.gather(op.tensor([[1, 2], [3, 4]]), [1, 0, 1]); // [[3, 4], [1, 2], [3, 4]]
 * ```
 */
export function gather<T extends Tensor = Tensor>(x: Tensor, indices: Tensor | ArrayLike<number>, axis = 0): T {
  const chosen = indices instanceof tf.Tensor ? indices : tf.tensor1d(Int32Array.from(indices), 'int32');
  return tf.gather(x, chosen as Tensor1D, axis) as Tensor as T;
}

/**
 * x repeated along its axes.
 *
 * @param x - a tensor of any shape
 * @param reps - number of repetitions along each axis
 * @throws Error by TensorFlow.js unless there is one number per axis
 * @example
 * ```ts
 * op.tile(op.tensor([[1, 2]]), [2, 1]); // [[1, 2], [1, 2]]
 * ```
 */
export const tile = <T extends Tensor>(x: T, reps: number[]): T => tf.tile(x, reps);

/**
 * The matrix with a vector on its diagonal and 0 elsewhere.
 *
 * @param x - n
 * @returns n×n
 * @example
 * ```ts
 * op.diag(op.tensor([1, 2])); // [[1, 0], [0, 2]]
 * ```
 */
export const diag = (x: Tensor): Tensor2D => tf.diag(x) as Tensor2D;

/**
 * The diagonal of a matrix, x_ii.
 *
 * @param x - n×n
 * @returns n
 * @throws InvalidInputError if x is not a square matrix
 * @example
 * ```ts
 * op.diagPart(op.tensor([[1, 2], [3, 4]])); // [1, 4]
 * ```
 */
export function diagPart(x: Tensor): Tensor1D {
  const [n, columns] = x.shape as [number, number];
  if (x.rank !== 2 || n !== columns) {
    throw new InvalidInputError(`Only a square matrix has a diagonal, but a tensor of shape [${x.shape}] was given.`);
  }
  return diagonalOf(x, n) as Tensor1D;
}

/**
 * The trace of a matrix, Σ_i x_ii.
 *
 * @param x - n×n
 * @returns a scalar
 * @throws InvalidInputError if x is not a square matrix
 * @example
 * ```ts
 * op.trace(op.tensor([[1, 2], [3, 4]])); // 5
 * ```
 */
export const trace = (x: Tensor): Scalar => tf.sum(diagPart(x));

/** A value, and the function that computes the gradients of the arguments. */
export interface WithGradient<T extends Tensor = Tensor> {
  readonly value: T;
  /** Computes ∂f/∂argument for each argument, in order and in its shape, from ∂f/∂value and the saved tensors. */
  readonly gradFunc: (dy: T, saved: Tensor[]) => Tensor | Tensor[];
}

/**
 * A function of tensors with a custom gradient, used if automatic differentiation is slow, loses digits, or is not wanted.
 *
 * @param f - maps the arguments and `save` to `{ value, gradFunc }`. Tensors that `gradFunc` needs are passed to `save`, in one call, and received as
 *   `saved`. Operations inside f are not differentiated
 * @returns a function of the arguments
 * @throws Error by TensorFlow.js if an argument is not a tensor, or if a gradient is missing or differs in shape from its argument
 * @example
 * ```ts
 * // x·log x, whose value and gradient are to be 0 at 0
 * const entropy = op.customGrad((x: op.Tensor, save: op.Save) => {
 *   save([x]);
 *   const value = op.where(op.greater(x, 0), op.mul(x, op.log(x)), 0);
 *   const gradFunc = (dy: op.Tensor, [at]: op.Tensor[]) =>
 *     op.mul(dy, op.where(op.greater(at, 0), op.add(1, op.log(at)), 0));
 *   return { value, gradFunc };
 * });
 * entropy(op.tensor([0, 1])); // [0, 0]
 * ```
 */
export function customGrad<Arguments extends Tensor[], T extends Tensor = Tensor>(
  f: (...args: [...Arguments, save: Save]) => WithGradient<T>,
): (...args: Arguments) => T {
  return tf.customGrad<T>(f as unknown as (...args: unknown[]) => { value: T; gradFunc: WithGradient<T>['gradFunc'] });
}
