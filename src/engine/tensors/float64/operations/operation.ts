import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../../core/errors.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import { type Compute as AnyCompute, FLOAT64, type Float64Backend, type NumericType, type Values } from '../backend.ts';

/** Computes new tensors from the inputs, by their TensorFlow.js names or as a list. */
type Compute<I, A> = (inputs: I, attributes: A, backend: Float64Backend) => TensorInfo | TensorInfo[];

interface Invocation {
  /** Missing optional inputs are undefined. */
  inputs: Record<string, TensorInfo | undefined>;
  attrs: object | undefined;
  backend: Float64Backend;
}

/**
 * Registers an operation of the float64 backend.
 * Inputs on another backend are moved here before `compute` runs. Moving allocates, and an allocation may detach every view. Inside of `compute` one
 * rule is therefore enough: allocate all outputs and workspace first, make views afterwards. If `compute` throws, its allocations are freed.
 */
export function kernel<I, A extends object = object>(kernelName: string, compute: Compute<I, A>): void {
  const kernelFunc = ({ inputs, attrs, backend }: Invocation) => {
    for (const input of Object.values(inputs)) if (input !== undefined) backend.offset(input);
    return backend.run(kernelName, compute as unknown as AnyCompute, inputs, attrs ?? {});
  };
  tf.registerKernel({ kernelName, backendName: FLOAT64, kernelFunc: kernelFunc as unknown as tf.KernelFunc });
}

/** Error for inputs of incompatible shapes; a model adds the name of the density. */
export const doesNotFit = (message: string) => new InvalidInputError(message, { code: 'tensorShape' });

/** Type of a tensor on this backend; `write` and `move` refuse all other types. */
export const typeOf = (tensor: TensorInfo): NumericType => tensor.dtype as NumericType;

/** The common type of two tensors, as in TensorFlow.js. */
export const upcast = (a: TensorInfo | NumericType, b: TensorInfo | NumericType): NumericType =>
  tf.upcastType(typeof a === 'string' ? a : typeOf(a), typeof b === 'string' ? b : typeOf(b)) as NumericType;

/** Number of entries of a tensor of this shape. */
export const sizeOf = (shape: readonly number[]): number => {
  let size = 1;
  for (let d = 0; d < shape.length; d++) size *= shape[d]!;
  return size;
};

/** One input named `x`. */
export type Unary = { readonly x: TensorInfo };
/** Two inputs named `a` and `b`. */
export type Binary = { readonly a: TensorInfo; readonly b: TensorInfo };

/**
 * Registers y_i = f(x_i). Every operation has its own loop: V8 specializes a loop on the function in it, and a loop shared by several functions runs
 * four to eight times slower.
 *
 * @param dtype - type of the result; 'same' for the type of x
 */
export function elementwise<A extends object>(
  name: string,
  dtype: NumericType | 'same',
  loop: (x: Values, y: Values, attributes: A) => void,
): void {
  kernel<Unary, A>(name, ({ x }, attributes, backend) => {
    const result = backend.allocate(x.shape, dtype === 'same' ? typeOf(x) : dtype);
    loop(backend.values(x), backend.values(result), attributes);
    return result;
  });
}
