import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../core/errors.ts';
import { describe, Matrix } from '../../../core/matrix.ts';
import { counted, countGiven } from '../../../core/wording.ts';
import { doublesOf, exactScalar } from '../doubles.ts';
import { FLOAT64 } from '../float64/backend.ts';
import { float64Backend } from '../float64/scope.ts';
import { engine, type Scalar, type Tensor, type Tensor2D } from '../tensorflow.ts';

/** Argument of every operation: a tensor, or a number, which stays exact. */
export type TensorOrNumber = Tensor | number;

/** Values that `tensor` accepts. */
export type NestedNumbers = number | ArrayLike<number> | readonly NestedNumbers[] | Matrix;

/** The tensor itself, or the number as an exact scalar. */
export function asTensor<T extends Tensor = Tensor>(x: T | number): T {
  return typeof x === 'number' ? (exactScalar(x) as Tensor as T) : x;
}

/** Registers an operation on first use, so that pages without it do not load it. */
export function registerOnDemand(kernelName: string, register: () => void): void {
  float64Backend();
  if (tf.getKernel(kernelName, FLOAT64) === undefined) register();
}

/**
 * A number as a tensor of rank 0, with every digit on the float64 backend.
 *
 * @param value - any number
 * @example
 * ```ts
 * op.valueOf(op.scalar(0.1)); // 0.1, where tf.scalar(0.1) is 0.10000000149011612
 * ```
 */
export const scalar = (value: number): Scalar => exactScalar(value);

/**
 * A tensor of doubles (of float32 if another backend is active).
 *
 * @param values - a number, numbers in row-major order, nested arrays of numbers, or a Matrix
 * @param shape - their shape; default the shape of the nested arrays
 * @throws InvalidInputError if nested arrays are ragged, contain anything except numbers, or do not fill the shape
 * @example
 * ```ts
 * op.tensor([[1, 2], [3, 4]]); // [[1, 2], [3, 4]]
 * op.tensor(Float64Array.of(1, 2, 3, 4), [2, 2]); // [[1, 2], [3, 4]]
 * ```
 */
export function tensor<T extends Tensor = Tensor>(values: NestedNumbers, shape?: readonly number[]): T {
  const flat: number[] = [];
  const nesting = isTyped(values) ? [values.length] : nestingOf(values, flat);
  const numbers = values instanceof Matrix ? values.data : isTyped(values) ? values : flat;
  const target = shape ?? nesting;
  const size = tf.util.sizeFromShape(target as number[]);
  if (size !== numbers.length) {
    throw new InvalidInputError(
      `A tensor of shape [${target}] takes ${counted(size, 'number')}, but ${countGiven(numbers.length, 'number')}.`,
    );
  }
  const isExact = engine().backendName === FLOAT64;
  // The backend copies its input.
  const copied = () => (isExact ? Float64Array.from(numbers) : Float32Array.from(numbers));
  const stored = isExact && numbers instanceof Float64Array ? numbers : copied();
  return tf.engine().makeTensor(stored as Float32Array, target as number[], 'float32') as T;
}

/**
 * The number in a tensor of one entry, as a double.
 *
 * @param x - a tensor of one entry, of any rank
 * @throws InvalidInputError unless x has exactly one entry
 * @example
 * ```ts
 * op.valueOf(op.sum(op.tensor([1, 2]))); // 3
 * ```
 */
export function numberOf(x: Tensor): number {
  if (x.size !== 1) {
    throw new InvalidInputError(`A tensor of one entry was expected, but its shape is [${x.shape}].`);
  }
  return doublesOf(x)[0]!;
}

/**
 * A tensor of zeros.
 *
 * @param shape - its sizes; [] for a scalar
 * @example
 * ```ts
 * op.zeros([2, 2]); // [[0, 0], [0, 0]]
 * ```
 */
export const zeros = <T extends Tensor = Tensor>(shape: readonly number[]): T =>
  tf.zeros(shape as number[]) as Tensor as T;

/**
 * A tensor of ones.
 *
 * @param shape - its sizes; [] for a scalar
 * @example
 * ```ts
 * op.ones([2, 2]); // [[1, 1], [1, 1]]
 * ```
 */
export const ones = <T extends Tensor = Tensor>(shape: readonly number[]): T =>
  tf.ones(shape as number[]) as Tensor as T;

/**
 * Zeros in the shape and type of x.
 *
 * @param x - a tensor of any shape
 * @example
 * ```ts
 * op.zerosLike(op.tensor([[1, 2]])); // [[0, 0]]
 * ```
 */
export const zerosLike = <T extends Tensor>(x: T): T => tf.zerosLike(x);

/**
 * Ones in the shape and type of x.
 *
 * @param x - a tensor of any shape
 * @example
 * ```ts
 * op.onesLike(op.tensor([[1, 2]])); // [[1, 1]]
 * ```
 */
export const onesLike = <T extends Tensor>(x: T): T => tf.onesLike(x);

/**
 * The identity matrix.
 *
 * @param n - a whole number from 1
 * @returns n×n
 * @example
 * ```ts
 * op.eye(2); // [[1, 0], [0, 1]]
 * ```
 */
export const eye = (n: number): Tensor2D => tf.diag(tf.ones([n])) as Tensor2D;

function isTyped(values: NestedNumbers): values is Float64Array | Float32Array | Int32Array {
  return values instanceof Float64Array || values instanceof Float32Array || values instanceof Int32Array;
}

/** Shape of nested arrays, whose numbers are appended to `into`. */
function nestingOf(values: NestedNumbers, into: number[], position = ''): number[] {
  if (typeof values === 'number') {
    into.push(values);
    return [];
  }
  if (values instanceof Matrix) return [values.rows, values.columns];
  if (!Array.isArray(values) && !isTyped(values)) {
    throw new InvalidInputError(
      `A tensor is made of numbers, but ${describe(values)} was given${position && ` at ${position}`}.`,
    );
  }
  let inner: number[] = [];
  Array.from(values as ArrayLike<NestedNumbers>).forEach((entry, i) => {
    const shape = nestingOf(entry, into, `${position}[${i}]`);
    if (i > 0 && (shape.length !== inner.length || shape.some((size, d) => size !== inner[d]))) {
      throw new InvalidInputError(
        `A tensor needs entries of one shape, but ${position}[${i}] has shape [${shape}] and ${position}[0] has [${inner}].`,
      );
    }
    inner = shape;
  });
  return [values.length, ...inner];
}
