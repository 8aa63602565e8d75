import * as tf from '@tensorflow/tfjs-core';
import { registerGammaFunctions } from '../float64/operations/gammaFunctions.ts';
import { float64Backend } from '../float64/scope.ts';
import type { Tensor } from '../tensorflow.ts';
import { asTensor } from './creation.ts';
import type { Elementwise } from './elementwise.ts';

/**
 * The error function 2/√π·∫₀ˣ e^(−t²) dt, in [−1, 1]. Its gradient is 2/√π·e^(−x²).
 *
 * @example
 * ```ts
 * op.erf(op.tensor([0, 1])); // [0, 0.8427007929497149]
 * ```
 */
export const erf: Elementwise = (x) => tf.erf(asTensor(x));

/**
 * log |Γ(x)|, with gradient ψ(x); any real x but 0, −1, −2, …
 *
 * @example
 * ```ts
 * op.lgamma(op.tensor([1, 5])); // [0, 3.1780538303479458], the logarithm of 4! = 24
 * ```
 */
export const lgamma: Elementwise = (x) => special('Lgamma', asTensor(x));

/**
 * The digamma function ψ(x) = d log Γ(x)/dx, with gradient ψ′(x); any real x but 0, −1, −2, …
 *
 * @example
 * ```ts
 * op.digamma(op.tensor([1, 2])); // [-0.5772156649015329, 0.42278433509846714]
 * ```
 */
export const digamma: Elementwise = (x) => special('Digamma', asTensor(x));

/** The gradients of these functions come with the float64 backend, also for the other backends. */
function special<T extends Tensor>(kernelName: string, x: T): T {
  float64Backend();
  registerGammaFunctions();
  return tf.engine().runKernel(kernelName, { x }) as Tensor as T;
}
