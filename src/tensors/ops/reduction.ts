import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '../tensorflow.ts';

/**
 * A reduction along one axis, several, or all of them.
 *
 * @param x - a numeric tensor of any shape
 * @param axis - one axis or several, from 0, or from −1 for the last one backwards; all of them when none is given
 * @param keepDims - whether reduced axes are kept, with size 1, instead of dropped (false)
 * @returns a tensor without the reduced axes, with a gradient in x
 * @throws Error of TensorFlow.js when there is no such axis
 */
export type Reduction = <T extends Tensor = Tensor>(x: Tensor, axis?: number | number[], keepDims?: boolean) => T;

/**
 * The sum of the entries, Σ x_i.
 *
 * @example
 * ```ts
 * op.sum(op.tensor([[1, 2], [3, 4]]), 0); // [4, 6]
 * ```
 */
export const sum: Reduction = (x, axis, keepDims) => tf.sum(x, axis, keepDims);

/**
 * The mean of the entries, Σ x_i / n.
 *
 * @example
 * ```ts
 * op.mean(op.tensor([[1, 2], [3, 4]]), 1, true); // [[1.5], [3.5]]
 * ```
 */
export const mean: Reduction = (x, axis, keepDims) => tf.mean(x, axis, keepDims);

/**
 * The largest entry; entries that share it each receive the whole gradient.
 *
 * @example
 * ```ts
 * op.max(op.tensor([[1, 2], [3, 4]]), 0); // [3, 4]
 * ```
 */
export const max: Reduction = (x, axis, keepDims) => tf.max(x, axis, keepDims);

/**
 * The smallest entry; entries that share it each receive the whole gradient.
 *
 * @example
 * ```ts
 * op.min(op.tensor([[1, 2], [3, 4]])); // 1
 * ```
 */
export const min: Reduction = (x, axis, keepDims) => tf.min(x, axis, keepDims);

/**
 * log Σ exp x_i, without overflow. Its gradient is the softmax, exp x_i / Σ exp x_j.
 *
 * @example
 * ```ts
 * op.logSumExp(op.tensor([1000, 1000])); // 1000.6931471805599
 * ```
 */
export const logSumExp: Reduction = (x, axis, keepDims) => tf.logSumExp(x, axis, keepDims) as never;
