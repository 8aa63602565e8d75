import * as tf from '@tensorflow/tfjs-core';
import { asTensor } from './creation.ts';
import type { Elementwise } from './elementwise.ts';

/**
 * The logistic function σ(x) = 1/(1 + e⁻ˣ), in [0, 1]. Its gradient is σ(1 − σ).
 *
 * @example
 * ```ts
 * op.sigmoid(op.tensor([0, 1000])); // [0.5, 1]
 * ```
 */
export const sigmoid: Elementwise = (x) => tf.sigmoid(asTensor(x));

/**
 * log(1 + eˣ), without overflow. Its gradient is 1/(1 + e⁻ˣ).
 *
 * @example
 * ```ts
 * op.softplus(op.tensor([0, 1000])); // [0.6931471805599453, 1000]
 * ```
 */
export const softplus: Elementwise = (x) => tf.softplus(asTensor(x));

/**
 * Hyperbolic tangent (eˣ − e⁻ˣ)/(eˣ + e⁻ˣ), within two units in the last place. Its gradient is 1 − tanh² x.
 *
 * @example
 * ```ts
 * op.tanh(op.tensor([0, 1])); // [0, 0.7615941559557649]
 * ```
 */
export const tanh: Elementwise = (x) => tf.tanh(asTensor(x));

/**
 * max(x, 0). Its gradient is 1 where x > 0, and 0 elsewhere.
 *
 * @example
 * ```ts
 * op.relu(op.tensor([-1, 2])); // [0, 2]
 * ```
 */
export const relu: Elementwise = (x) => tf.relu(asTensor(x));
