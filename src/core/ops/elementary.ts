import { float64Backend } from '../float64/scope.ts';
import { type Tensor, tf } from '../tensorflow.ts';
import { asTensor } from './creation.ts';

/** A function of every entry; the result has the shape of x. A number is taken as a scalar. */
export type Elementwise = <T extends Tensor = Tensor>(x: T | number) => T;

/** −x. */
export const neg: Elementwise = (x) => tf.neg(asTensor(x));
/** |x|; its gradient at 0 is 0. */
export const abs: Elementwise = (x) => tf.abs(asTensor(x));
/** −1, 0 or 1. */
export const sign: Elementwise = (x) => tf.sign(asTensor(x));
/** eˣ. */
export const exp: Elementwise = (x) => tf.exp(asTensor(x));
/** eˣ − 1 without loss of digits near 0. */
export const expm1: Elementwise = (x) => tf.expm1(asTensor(x));
/** Natural logarithm. */
export const log: Elementwise = (x) => tf.log(asTensor(x));
/** log(1 + x) without loss of digits near 0. */
export const log1p: Elementwise = (x) => tf.log1p(asTensor(x));
/** √x; its gradient at 0 is infinite. */
export const sqrt: Elementwise = (x) => tf.sqrt(asTensor(x));
/** 1/√x. */
export const rsqrt: Elementwise = (x) => tf.rsqrt(asTensor(x));
/** x². */
export const square: Elementwise = (x) => tf.square(asTensor(x));
/** 1/x. */
export const reciprocal: Elementwise = (x) => tf.reciprocal(asTensor(x));
/** 1/(1 + e⁻ˣ). */
export const sigmoid: Elementwise = (x) => tf.sigmoid(asTensor(x));
/** log(1 + eˣ). */
export const softplus: Elementwise = (x) => tf.softplus(asTensor(x));
/** Hyperbolic tangent. */
export const tanh: Elementwise = (x) => tf.tanh(asTensor(x));
/** max(x, 0). */
export const relu: Elementwise = (x) => tf.relu(asTensor(x));
/** The error function 2/√π·∫₀ˣ e^(−t²) dt. */
export const erf: Elementwise = (x) => tf.erf(asTensor(x));
/** Sine of x in radians. */
export const sin: Elementwise = (x) => tf.sin(asTensor(x));
/** Cosine of x in radians. */
export const cos: Elementwise = (x) => tf.cos(asTensor(x));
/** Tangent of x in radians. */
export const tan: Elementwise = (x) => tf.tan(asTensor(x));
/** Inverse sine, in [−π/2, π/2]. */
export const asin: Elementwise = (x) => tf.asin(asTensor(x));
/** Inverse cosine, in [0, π]. */
export const acos: Elementwise = (x) => tf.acos(asTensor(x));
/** Inverse tangent, in (−π/2, π/2). */
export const atan: Elementwise = (x) => tf.atan(asTensor(x));
/** Hyperbolic sine. */
export const sinh: Elementwise = (x) => tf.sinh(asTensor(x));
/** Hyperbolic cosine. */
export const cosh: Elementwise = (x) => tf.cosh(asTensor(x));

/**
 * log |Γ(x)|, with gradient ψ(x); any real x but 0, −1, −2, …
 *
 * @example
 * ```ts
 * valueOf(lgamma(5)); // log 24
 * ```
 */
export const lgamma: Elementwise = (x) => special('Lgamma', asTensor(x));

/** The digamma function ψ(x) = d log Γ(x)/dx; any real x but 0, −1, −2, … */
export const digamma: Elementwise = (x) => special('Digamma', asTensor(x));

/** The kernels and gradients of these functions come with the float64 backend, also for the other backends. */
function special<T extends Tensor>(kernelName: string, x: T): T {
  float64Backend();
  return tf.engine().runKernel(kernelName, { x }) as Tensor as T;
}

/**
 * x held in min … max, entry by entry.
 *
 * @param x - any tensor
 * @param min - lower limit, kept exactly
 * @param max - upper limit, kept exactly; min ≤ max
 */
export const clipByValue = <T extends Tensor>(x: T, min: number, max: number): T => tf.clipByValue(x, min, max);
export { clipByValue as clip };
