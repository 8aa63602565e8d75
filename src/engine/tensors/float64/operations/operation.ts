import * as tf from '@tensorflow/tfjs-core';
import type { TensorInfo } from '../../tensorflow.ts';
import { type Compute as AnyCompute, FLOAT64, type Float64Backend, type NumericType, type Values } from '../backend.ts';

/** From the inputs, by the names that TensorFlow.js gives them or as a list, to new tensors. */
type Compute<I, A> = (inputs: I, attributes: A, backend: Float64Backend) => TensorInfo | TensorInfo[];

interface Invocation {
  /** Optional ones that were not given are undefined. */
  inputs: Record<string, TensorInfo | undefined>;
  attrs: object | undefined;
  backend: Float64Backend;
}

/**
 * Registers a kernel of the float64 backend.
 *
 * Inputs that live on another backend are moved here before `compute` runs: moving allocates, and an allocation may detach
 * every view. So inside `compute` one rule is enough: allocate all outputs and workspace first, make views after. When
 * `compute` throws, what it allocated is given back.
 */
export function kernel<I, A extends object = object>(kernelName: string, compute: Compute<I, A>): void {
  const kernelFunc = ({ inputs, attrs, backend }: Invocation) => {
    for (const name in inputs) if (inputs[name] !== undefined) backend.offset(inputs[name]);
    return backend.run(kernelName, compute as unknown as AnyCompute, inputs, attrs ?? {});
  };
  tf.registerKernel({ kernelName, backendName: FLOAT64, kernelFunc: kernelFunc as unknown as tf.KernelFunc });
}

/** The type of a tensor as this backend stores it; `write` and `move` have refused every other one. */
export const typeOf = (tensor: TensorInfo): NumericType => tensor.dtype as NumericType;

/** The type that holds the values of both, as TensorFlow.js decides it. */
export const upcast = (a: TensorInfo | NumericType, b: TensorInfo | NumericType): NumericType =>
  tf.upcastType(typeof a === 'string' ? a : typeOf(a), typeof b === 'string' ? b : typeOf(b)) as NumericType;

/** Number of entries of a tensor of this shape. */
export const sizeOf = (shape: readonly number[]): number => {
  let size = 1;
  for (let d = 0; d < shape.length; d++) size *= shape[d]!;
  return size;
};

/** One input under the name `x`. */
export type Unary = { readonly x: TensorInfo };
/** Two inputs under the names `a` and `b`. */
export type Binary = { readonly a: TensorInfo; readonly b: TensorInfo };

/**
 * Registers y_i = f(x_i). Every kernel brings its own loop: V8 specialises a loop on the function in it, and one loop shared
 * by several functions runs four to eight times slower.
 *
 * @param dtype - type of the result; that of x unless given
 */
export function elementwise<A extends object>(
  name: string,
  loop: (x: Values, y: Values, attributes: A) => void,
  dtype?: NumericType,
): void {
  kernel<Unary, A>(name, ({ x }, attributes, backend) => {
    const result = backend.allocate(x.shape, dtype ?? typeOf(x));
    loop(backend.values(x), backend.values(result), attributes);
    return result;
  });
}
