import { type Tensor, tf } from '../tensorflow.ts';

/**
 * A reduction along one axis, several, or all of them when none is given. Reduced axes are dropped, or kept with size 1
 * under `keepDims`.
 */
export type Reduction = <T extends Tensor = Tensor>(x: Tensor, axis?: number | number[], keepDims?: boolean) => T;

/** The sum of the entries. */
export const sum: Reduction = (x, axis, keepDims) => tf.sum(x, axis, keepDims);
/** The mean of the entries. */
export const mean: Reduction = (x, axis, keepDims) => tf.mean(x, axis, keepDims);
/** The largest entry; entries that share it each receive the whole gradient. */
export const max: Reduction = (x, axis, keepDims) => tf.max(x, axis, keepDims);
/** The smallest entry; entries that share it each receive the whole gradient. */
export const min: Reduction = (x, axis, keepDims) => tf.min(x, axis, keepDims);
/** log Σ eˣ, without overflow. */
export const logSumExp: Reduction = (x, axis, keepDims) => tf.logSumExp(x, axis, keepDims) as never;
