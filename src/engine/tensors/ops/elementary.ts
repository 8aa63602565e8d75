import * as tf from '@tensorflow/tfjs-core';
import * as elementary from '../../../core/elementary/index.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import * as gamma from '../../special/gamma.ts';
import { erf as erfOf } from '../../special/normal.ts';
import { exactScalar } from '../doubles.ts';
import { registerDerivatives, run } from '../float64/gradients.ts';
import { elementwise, type Unary } from '../float64/operations/operation.ts';
import type { Tensor, TensorInfo } from '../tensorflow.ts';
import { asTensor, registerOnDemand } from './creation.ts';

/**
 * The error function 2/√π·∫₀ˣ e^(−t²) dt, in [−1, 1]. Its gradient is 2/√π·e^(−x²).
 *
 * @example
 * ```ts
 * op.erf(op.tensor([0, 1])); // [0, 0.8427007929497149]
 * ```
 */
export const erf: Elementwise = (x) => onDemand('Erf', registerErf, x);

function registerErf(): void {
  registerFunction('Erf', erfOf);
  const factor = 2 / Math.sqrt(Math.PI);
  registerDerivatives({ Erf: (dy, x) => tf.mul(dy, tf.mul(tf.exp(tf.neg(tf.square(x))), exactScalar(factor))) });
}

/**
 * log |Γ(x)|, with gradient ψ(x); any real x except 0, −1, −2, …
 *
 * @example
 * ```ts
 * op.lgamma(op.tensor([1, 5])); // [0, 3.1780538303479458], the logarithm of 4! = 24
 * ```
 */
export const lgamma: Elementwise = (x) => onDemand('Lgamma', registerGammaFunctions, x);

/**
 * The digamma function ψ(x) = d log Γ(x)/dx, with gradient ψ′(x); any real x except 0, −1, −2, …
 *
 * @example
 * ```ts
 * op.digamma(op.tensor([1, 2])); // [-0.5772156649015329, 0.42278433509846714]
 * ```
 */
export const digamma: Elementwise = (x) => onDemand('Digamma', registerGammaFunctions, x);

function onDemand<T extends Tensor>(kernelName: string, register: () => void, x: T | number): T {
  registerOnDemand(kernelName, register);
  return run(kernelName, { x: asTensor(x) }) as T;
}

/** The members of any synchronous backend that a function computed in doubles and stored as float32 needs. */
interface AnyBackend {
  readSync(dataId: object): ArrayLike<number>;
  write(values: Float32Array, shape: number[], dtype: 'float32'): object;
}

/** Registers y_i = f(x_i) on the float64 backend. */
function registerFunction(name: string, f: (x: number) => number): void {
  elementwise(name, 'float32', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = f(x[i]!);
  });
}

/** Registers the gamma family, which TensorFlow.js does not have, also on its cpu and wasm backends. */
function registerGammaFunctions(): void {
  const functions = { Lgamma: lgammaOfCounts(), Digamma: gamma.digamma, Trigamma: gamma.trigamma };
  for (const [name, f] of Object.entries(functions)) {
    registerFunction(name, f);
    for (const backendName of ['cpu', 'wasm']) registerElsewhere(name, backendName, f);
  }
  registerDerivatives({
    Lgamma: (dy, x) => tf.mul(dy, run('Digamma', { x })),
    Digamma: (dy, x) => tf.mul(dy, run('Trigamma', { x })),
  });
}

/** Registers trigonometric and hyperbolic functions and their inverses. */
function registerTrigonometric(): void {
  const { sin, cos, tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh } = elementary;
  const functions = { sin, cos, tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh };
  for (const [name, f] of Object.entries(functions)) registerFunction(name[0]!.toUpperCase() + name.slice(1), f);
  const minus = (x: Tensor) => tf.sub(1, tf.square(x));
  registerDerivatives({
    Sin: (dy, x) => tf.mul(dy, run('Cos', { x })),
    Cos: (dy, x) => tf.neg(tf.mul(dy, run('Sin', { x }))),
    Tan: (dy, x) => tf.div(dy, tf.square(run('Cos', { x }))),
    Asin: (dy, x) => tf.div(dy, tf.sqrt(minus(x))),
    Acos: (dy, x) => tf.neg(tf.div(dy, tf.sqrt(minus(x)))),
    Atan: (dy, x) => tf.div(dy, tf.add(tf.square(x), 1)),
    Sinh: (dy, x) => tf.mul(dy, run('Cosh', { x })),
    Cosh: (dy, x) => tf.mul(dy, run('Sinh', { x })),
    Asinh: (dy, x) => tf.div(dy, tf.sqrt(tf.add(tf.square(x), 1))),
    Acosh: (dy, x) => tf.div(dy, tf.sqrt(tf.sub(tf.square(x), 1))),
    Atanh: (dy, x) => tf.div(dy, minus(x)),
  });
}

const trigonometric = <T extends Tensor>(name: string, x: T | number): T => onDemand(name, registerTrigonometric, x);

/** log Γ, cached at the first whole numbers: log y! of the same counts is needed in every evaluation of a fit. */
function lgammaOfCounts(): (x: number) => number {
  const known = new Float64Array(MOST_KNOWN).fill(Number.NaN);
  return (x) => {
    if (!(x >= 0 && x < MOST_KNOWN && Number.isInteger(x))) return gamma.lgamma(x);
    if (Number.isNaN(known[x]!)) known[x] = gamma.lgamma(x);
    return known[x]!;
  };
}

/** Number of whole numbers at which log Γ is cached. */
const MOST_KNOWN = 4096;

function registerElsewhere(kernelName: string, backendName: string, f: (x: number) => number): void {
  if (tf.getKernel(kernelName, backendName) !== undefined) return;
  const kernelFunc = ({ inputs, backend }: { inputs: Unary; backend: AnyBackend }): TensorInfo => {
    const { dataId, shape } = inputs.x;
    const values = Float32Array.from(backend.readSync(dataId), f);
    return { dataId: backend.write(values, shape, 'float32'), shape, dtype: 'float32' };
  };
  tf.registerKernel({ kernelName, backendName, kernelFunc: kernelFunc as unknown as tf.KernelFunc });
}

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
 * |x|. Its gradient is the sign of x, and 0 at 0.
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
 * x limited to min … max, entry by entry: max(min, min(x, max)). Its gradient is 1 inside, including the limits, and 0 outside.
 *
 * @param x - any tensor
 * @param min - lower limit, kept exactly
 * @param max - upper limit, kept exactly; min ≤ max
 * @returns a tensor of the shape of x
 * @throws InvalidInputError if min is greater than max
 * @example
 * ```ts
 * op.clip(op.tensor([-1, 0.3, 2]), 0, 1); // [0, 0.3, 1]
 * ```
 */
export function clipByValue<T extends Tensor>(x: T, min: number, max: number): T {
  if (min <= max) return run('ClipByValue', { x }, { clipValueMin: min, clipValueMax: max }) as T;
  throw new InvalidInputError(
    `Entries are clipped to two limits, the smaller one first, but ${min} and ${max} were given.`,
  );
}
export { clipByValue as clip };

/**
 * Sine of x in radians. Its gradient is cos x.
 *
 * @example
 * ```ts
 * op.sin(op.tensor([0, Math.PI / 2])); // [0, 1]
 * ```
 */
export const sin: Elementwise = (x) => trigonometric('Sin', x);

/**
 * Cosine of x in radians. Its gradient is −sin x.
 *
 * @example
 * ```ts
 * op.cos(op.tensor([0, Math.PI])); // [1, -1]
 * ```
 */
export const cos: Elementwise = (x) => trigonometric('Cos', x);

/**
 * Tangent of x in radians. Its gradient is 1/cos² x.
 *
 * @example
 * ```ts
 * op.tan(op.tensor([0, Math.PI / 4])); // [0, 1]
 * ```
 */
export const tan: Elementwise = (x) => trigonometric('Tan', x);

/**
 * Inverse sine of x in [−1, 1], in [−π/2, π/2] radians; NaN elsewhere. Its gradient is 1/√(1 − x²).
 *
 * @example
 * ```ts
 * op.asin(op.tensor([0, 1])); // [0, 1.5707963267948966]
 * ```
 */
export const asin: Elementwise = (x) => trigonometric('Asin', x);

/**
 * Inverse cosine of x in [−1, 1], in [0, π] radians; NaN elsewhere. Its gradient is −1/√(1 − x²).
 *
 * @example
 * ```ts
 * op.acos(op.tensor([1, 0])); // [0, 1.5707963267948966]
 * ```
 */
export const acos: Elementwise = (x) => trigonometric('Acos', x);

/**
 * Inverse tangent, in (−π/2, π/2) radians. Its gradient is 1/(1 + x²).
 *
 * @example
 * ```ts
 * op.atan(op.tensor([0, 1])); // [0, 0.7853981633974483]
 * ```
 */
export const atan: Elementwise = (x) => trigonometric('Atan', x);

/**
 * Hyperbolic sine (eˣ − e⁻ˣ)/2. Its gradient is cosh x.
 *
 * @example
 * ```ts
 * op.sinh(op.tensor([0, 1])); // [0, 1.1752011936438014]
 * ```
 */
export const sinh: Elementwise = (x) => trigonometric('Sinh', x);

/**
 * Hyperbolic cosine (eˣ + e⁻ˣ)/2. Its gradient is sinh x.
 *
 * @example
 * ```ts
 * op.cosh(op.tensor([0, 1])); // [1, 1.5430806348152437]
 * ```
 */
export const cosh: Elementwise = (x) => trigonometric('Cosh', x);

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
 * Inverse of sinh, log(x + √(x² + 1)). Its gradient is 1/√(x² + 1).
 *
 * @example
 * ```ts
 * op.asinh(op.tensor([0, 1])); // [0, 0.881373587019543]
 * ```
 */
export const asinh: Elementwise = (x) => trigonometric('Asinh', x);

/**
 * Inverse of cosh for x ≥ 1, log(x + √(x² − 1)); NaN elsewhere. Its gradient is 1/√(x² − 1).
 *
 * @example
 * ```ts
 * op.acosh(op.tensor([1, 2])); // [0, 1.3169578969248166]
 * ```
 */
export const acosh: Elementwise = (x) => trigonometric('Acosh', x);

/**
 * Inverse of tanh for x in [−1, 1], ½·log((1 + x)/(1 − x)); NaN elsewhere. Its gradient is 1/(1 − x²).
 *
 * @example
 * ```ts
 * op.atanh(op.tensor([0, 0.5])); // [0, 0.5493061443340548]
 * ```
 */
export const atanh: Elementwise = (x) => trigonometric('Atanh', x);

/**
 * max(x, 0). Its gradient is 1 where x > 0, and 0 elsewhere.
 *
 * @example
 * ```ts
 * op.relu(op.tensor([-1, 2])); // [0, 2]
 * ```
 */
export const relu: Elementwise = (x) => tf.relu(asTensor(x));

/**
 * A function of every entry.
 *
 * @param x - a numeric tensor of any shape, or a number, which acts as a scalar with all its digits
 * @returns a tensor of the shape of x, with gradients in x
 * @throws Error by TensorFlow.js if x is neither a number nor a numeric tensor
 */
export type Elementwise = <T extends Tensor = Tensor>(x: T | number) => T;
