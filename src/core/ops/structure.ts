import { InvalidInputError } from '../errors.ts';
import { type Scalar, type Tensor, type Tensor1D, type Tensor2D, tf } from '../tensorflow.ts';

/**
 * The matrix product A·B over the last two axes; the axes before them broadcast.
 *
 * @param a - […, m, k], or […, k, m] with `transposeA`
 * @param b - […, k, n], or […, n, k] with `transposeB`
 * @returns […, m, n]
 */
export function matMul<T extends Tensor = Tensor2D>(a: Tensor, b: Tensor, transposeA = false, transposeB = false): T {
  return tf.matMul(a, b, transposeA, transposeB) as Tensor as T;
}

/** Axes in another order: axis d of the result is axis permutation[d] of x; reversed when none is given. */
export const transpose = <T extends Tensor>(x: T, permutation?: number[]): T => tf.transpose(x, permutation);

/** The same entries, in row-major order, under another shape; one size may be −1. */
export const reshape = <T extends Tensor = Tensor>(x: Tensor, shape: readonly number[]): T =>
  tf.reshape(x, shape as number[]) as Tensor as T;

/** A new axis of size 1 in front of `axis`. */
export const expandDims = <T extends Tensor = Tensor>(x: Tensor, axis = 0): T => tf.expandDims(x, axis) as Tensor as T;

/** Without the axes of size 1: all of them, or the given ones. */
export const squeeze = <T extends Tensor = Tensor>(x: Tensor, axes?: number[]): T => tf.squeeze(x, axes) as Tensor as T;

/** Tensors one after the other along an axis that they have. */
export const concat = <T extends Tensor>(tensors: readonly T[], axis = 0): T => tf.concat(tensors as T[], axis);

/** Tensors of one shape one after the other along a new axis. */
export const stack = <T extends Tensor = Tensor>(tensors: readonly Tensor[], axis = 0): T =>
  tf.stack(tensors as Tensor[], axis) as Tensor as T;

/** The box of entries that begins at `begin`, of the given size; −1, or no size, runs to the end. */
export const slice = <T extends Tensor>(x: T, begin: number | number[], size?: number | number[]): T =>
  tf.slice(x as Tensor, begin as number, size as number) as Tensor as T;

/** The slices of x along an axis that the indices name, in their order; an index may come more than once. */
export function gather<T extends Tensor = Tensor>(x: Tensor, indices: Tensor | ArrayLike<number>, axis = 0): T {
  const chosen = indices instanceof tf.Tensor ? indices : tf.tensor1d(Int32Array.from(indices), 'int32');
  return tf.gather(x, chosen as Tensor1D, axis) as Tensor as T;
}

/** x repeated reps[d] times along axis d. */
export const tile = <T extends Tensor>(x: T, reps: number[]): T => tf.tile(x, reps);

/** The n×n matrix with the vector x (n) on its diagonal. */
export const diag = (x: Tensor): Tensor2D => tf.diag(x) as Tensor2D;

/**
 * The diagonal (n) of a matrix.
 *
 * @param x - n×n
 * @throws InvalidInputError when x is not a square matrix
 */
export function diagPart(x: Tensor): Tensor1D {
  const [n, columns] = x.shape as [number, number];
  if (x.rank !== 2 || n !== columns) {
    throw new InvalidInputError(`Only a square matrix has a diagonal, but a tensor of shape [${x.shape}] was given.`);
  }
  return tf.stridedSlice(tf.reshape(x, [n * n]), [0], [n * n], [n + 1]) as Tensor1D;
}

/** The sum of the diagonal of a square matrix. */
export const trace = (x: Tensor): Scalar => tf.sum(diagPart(x));
