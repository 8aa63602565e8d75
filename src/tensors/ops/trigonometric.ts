import * as tf from '@tensorflow/tfjs-core';
import { asTensor } from './creation.ts';
import type { Elementwise } from './elementwise.ts';

/**
 * Sine of x in radians. Its gradient is cos x.
 *
 * @example
 * ```ts
 * op.sin(op.tensor([0, Math.PI / 2])); // [0, 1]
 * ```
 */
export const sin: Elementwise = (x) => tf.sin(asTensor(x));

/**
 * Cosine of x in radians. Its gradient is −sin x.
 *
 * @example
 * ```ts
 * op.cos(op.tensor([0, Math.PI])); // [1, -1]
 * ```
 */
export const cos: Elementwise = (x) => tf.cos(asTensor(x));

/**
 * Tangent of x in radians. Its gradient is 1/cos² x.
 *
 * @example
 * ```ts
 * op.tan(op.tensor([0, Math.PI / 4])); // [0, 1]
 * ```
 */
export const tan: Elementwise = (x) => tf.tan(asTensor(x));

/**
 * Inverse sine of x in [−1, 1], in [−π/2, π/2] radians; NaN elsewhere. Its gradient is 1/√(1 − x²).
 *
 * @example
 * ```ts
 * op.asin(op.tensor([0, 1])); // [0, 1.5707963267948966]
 * ```
 */
export const asin: Elementwise = (x) => tf.asin(asTensor(x));

/**
 * Inverse cosine of x in [−1, 1], in [0, π] radians; NaN elsewhere. Its gradient is −1/√(1 − x²).
 *
 * @example
 * ```ts
 * op.acos(op.tensor([1, 0])); // [0, 1.5707963267948966]
 * ```
 */
export const acos: Elementwise = (x) => tf.acos(asTensor(x));

/**
 * Inverse tangent, in (−π/2, π/2) radians. Its gradient is 1/(1 + x²).
 *
 * @example
 * ```ts
 * op.atan(op.tensor([0, 1])); // [0, 0.7853981633974483]
 * ```
 */
export const atan: Elementwise = (x) => tf.atan(asTensor(x));

/**
 * Hyperbolic sine (eˣ − e⁻ˣ)/2. Its gradient is cosh x.
 *
 * @example
 * ```ts
 * op.sinh(op.tensor([0, 1])); // [0, 1.1752011936438014]
 * ```
 */
export const sinh: Elementwise = (x) => tf.sinh(asTensor(x));

/**
 * Hyperbolic cosine (eˣ + e⁻ˣ)/2. Its gradient is sinh x.
 *
 * @example
 * ```ts
 * op.cosh(op.tensor([0, 1])); // [1, 1.5430806348152437]
 * ```
 */
export const cosh: Elementwise = (x) => tf.cosh(asTensor(x));
