import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '../tensorflow.ts';
import { asTensor } from './creation.ts';
import type { Elementwise } from './elementwise.ts';

/**
 * −x. Its gradient is −1.
 *
 * @example
 * ```ts
 * op.neg(op.tensor([1, -2])); // [-1, 2]
 * ```
 */
export const neg: Elementwise = (x) => tf.neg(asTensor(x));

/**
 * |x|. Its gradient is the sign of x, and 0 at 0: a distance of a point to itself pulls nowhere.
 *
 * @example
 * ```ts
 * op.abs(op.tensor([1, -2])); // [1, 2]
 * ```
 */
export const abs: Elementwise = (x) => tf.abs(asTensor(x));

/**
 * The sign of x: −1, 0 or 1. Its gradient is 0.
 *
 * @example
 * ```ts
 * op.sign(op.tensor([3, 0, -2])); // [1, 0, -1]
 * ```
 */
export const sign: Elementwise = (x) => tf.sign(asTensor(x));

/**
 * eˣ, within one unit in the last place. Infinite above 709.78, 0 below −745.13. Its gradient is eˣ.
 *
 * @example
 * ```ts
 * op.exp(op.tensor([0, 1])); // [1, 2.718281828459045]
 * ```
 */
export const exp: Elementwise = (x) => tf.exp(asTensor(x));

/**
 * eˣ − 1 without loss of digits near 0. Its gradient is eˣ.
 *
 * @example
 * ```ts
 * op.expm1(op.tensor([0, 1e-20])); // [0, 1e-20]
 * ```
 */
export const expm1: Elementwise = (x) => tf.expm1(asTensor(x));

/**
 * Natural logarithm of x ≥ 0, within one unit in the last place: −∞ at 0, NaN below. Its gradient is 1/x.
 *
 * @example
 * ```ts
 * op.log(op.tensor([1, 10])); // [0, 2.302585092994046]
 * ```
 */
export const log: Elementwise = (x) => tf.log(asTensor(x));

/**
 * log(1 + x) without loss of digits near 0, for x ≥ −1: −∞ at −1, NaN below. Its gradient is 1/(1 + x).
 *
 * @example
 * ```ts
 * op.log1p(op.tensor([0, 1e-20])); // [0, 1e-20]
 * ```
 */
export const log1p: Elementwise = (x) => tf.log1p(asTensor(x));

/**
 * √x for x ≥ 0, NaN below. Its gradient is 1/(2√x), infinite at 0.
 *
 * @example
 * ```ts
 * op.sqrt(op.tensor([4, 9])); // [2, 3]
 * ```
 */
export const sqrt: Elementwise = (x) => tf.sqrt(asTensor(x));

/**
 * 1/√x for x > 0: ∞ at 0, NaN below. Its gradient is −1/(2x√x).
 *
 * @example
 * ```ts
 * op.rsqrt(op.tensor([4, 16])); // [0.5, 0.25]
 * ```
 */
export const rsqrt: Elementwise = (x) => tf.rsqrt(asTensor(x));

/**
 * x². Its gradient is 2x.
 *
 * @example
 * ```ts
 * op.square(op.tensor([2, -3])); // [4, 9]
 * ```
 */
export const square: Elementwise = (x) => tf.square(asTensor(x));

/**
 * 1/x, infinite at 0. Its gradient is −1/x².
 *
 * @example
 * ```ts
 * op.reciprocal(op.tensor([2, -4])); // [0.5, -0.25]
 * ```
 */
export const reciprocal: Elementwise = (x) => tf.reciprocal(asTensor(x));

/**
 * x held in min … max, entry by entry: max(min, min(x, max)). Its gradient is 1 inside, limits included, and 0 outside.
 *
 * @param x - any tensor
 * @param min - lower limit, kept exactly
 * @param max - upper limit, kept exactly; min ≤ max
 * @returns a tensor of the shape of x
 * @throws Error of TensorFlow.js when min is greater than max
 * @example
 * ```ts
 * op.clip(op.tensor([-1, 0.3, 2]), 0, 1); // [0, 0.3, 1]
 * ```
 */
export const clipByValue = <T extends Tensor>(x: T, min: number, max: number): T => tf.clipByValue(x, min, max);
export { clipByValue as clip };
