import * as tf from '@tensorflow/tfjs-core';
import * as elementary from '../../../core/elementary/index.ts';
import { doubleOf } from '../doubles.ts';
import { registerOfBoth, run, select } from '../float64/gradients.ts';
import { broadcasting } from '../float64/operations/layout.ts';
import { writeGuard } from '../float64/writeGuard.ts';
import {
  type MatrixKernel,
  registerOnce,
  requireBackend,
  runKernel,
  type Save,
  scalarOperand,
  squareOperand,
} from '../linearAlgebra/operations/operation.ts';
import { numericOperation } from '../tape.ts';
import type { Scalar, Tensor, Tensor2D } from '../tensorflow.ts';
import { asTensor, registerOnDemand, type TensorOrNumber } from './creation.ts';

/**
 * Arithmetic of two operands, entry by entry.
 *
 * @param a - a tensor of any shape, or a number, which acts as a scalar and keeps every digit on the float64 backend
 * @param b - the same; shapes broadcast: from the last axis on, sizes are equal, or one of them is 1 or missing
 * @returns a tensor of the shape that both broadcast to, with gradients in both
 * @throws Error by TensorFlow.js if the shapes do not broadcast
 */
export type Binary = <T extends Tensor = Tensor>(a: TensorOrNumber, b: TensorOrNumber) => T;

function operands<T extends Tensor>(a: TensorOrNumber, b: TensorOrNumber): [T, T] {
  if (typeof a !== 'number' && typeof b !== 'number') writeGuard.checkShapes?.(a.shape, b.shape);
  return [asTensor(a) as T, asTensor(b) as T];
}

/**
 * a + b.
 *
 * @example
 * ```ts
 * op.add(op.tensor([[1, 2], [3, 4]]), op.tensor([10, 20])); // [[11, 22], [13, 24]]
 * ```
 */
export const add: Binary = (a, b) => tf.add(...operands(a, b));

/**
 * a − b.
 *
 * @example
 * ```ts
 * op.sub(op.tensor([1, 2]), 0.5); // [0.5, 1.5]
 * ```
 */
export const sub: Binary = (a, b) => tf.sub(...operands(a, b));

/**
 * a·b, entry by entry; see `matMul` for the product of matrices.
 *
 * @example
 * ```ts
 * op.mul(op.tensor([1, 2]), 0.1); // [0.1, 0.2]
 * ```
 */
export const mul: Binary = (a, b) => tf.mul(...operands(a, b));

/**
 * a / b, infinite or NaN where b is 0.
 *
 * @example
 * ```ts
 * op.div(1, op.tensor([2, 4])); // [0.5, 0.25]
 * ```
 */
export const div: Binary = (a, b) => tf.div(...operands(a, b));

/**
 * a to the power b; NaN for a negative a and a b that is not an integer. Its gradients are b·a^(b − 1) and, where a > 0, aᵇ·log a.
 *
 * @example
 * ```ts
 * op.pow(op.tensor([2, 3]), 2); // [4, 9]
 * ```
 */
export const pow: Binary = (a, b) => {
  registerOnDemand('Pow', registerPow);
  return tf.pow(...operands(a, b));
};

function registerPow(): void {
  broadcasting('Pow', 'same', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = elementary.pow(a[i]!, b[j]!);
  });
  registerOfBoth({
    Pow: (dy, a, b, y) => [
      () => tf.mul(dy, tf.mul(b, run('Pow', { a, b: tf.sub(b, 1) }))),
      () => tf.mul(dy, tf.mul(y, select(tf.greater(a, 0), tf.log(a), tf.zerosLike(a)))),
    ],
  });
}

/**
 * The larger of a and b; where they are equal, a receives the gradient.
 *
 * @example
 * ```ts
 * op.maximum(op.tensor([1, 5]), 3); // [3, 5]
 * ```
 */
export const maximum: Binary = (a, b) => tf.maximum(...operands(a, b));

/**
 * The smaller of a and b; where they are equal, a receives the gradient.
 *
 * @example
 * ```ts
 * op.minimum(op.tensor([1, 5]), 3); // [1, 3]
 * ```
 */
export const minimum: Binary = (a, b) => tf.minimum(...operands(a, b));

/**
 * (a − b)². Its gradients are 2(a − b) and −2(a − b).
 *
 * @example
 * ```ts
 * op.squaredDifference(op.tensor([1, 5]), 3); // [4, 4]
 * ```
 */
export const squaredDifference: Binary = (a, b) => tf.squaredDifference(...operands(a, b));

/**
 * The angle of the point (b, a), in (−π, π] radians. Its gradients are b/(a² + b²) and −a/(a² + b²).
 *
 * @example
 * ```ts
 * op.atan2(op.tensor([1, 0]), op.tensor([0, -1])); // [1.5707963267948966, 3.141592653589793]
 * ```
 */
export const atan2: Binary = (a, b) => {
  registerOnDemand('Atan2', registerAtan2);
  return tf.atan2(...operands(a, b));
};

function registerAtan2(): void {
  broadcasting('Atan2', 'same', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = elementary.atan2(a[i]!, b[j]!);
  });
  registerOfBoth({
    Atan2: (dy, a, b) => {
      const over = (x: Tensor) => tf.mul(dy, tf.div(x, tf.add(tf.square(a), tf.square(b))));
      return [() => over(b), () => tf.neg(over(a))];
    },
  });
}

/**
 * K + v·I without forming I: K_ij + v·[i = j]. The gradient in v is the trace of the result's gradient.
 *
 * @param K - n×n
 * @param v - a scalar
 * @returns n×n, with gradients in both
 * @throws InvalidInputError if K is not a square matrix, or v is not one number
 * @example
 * ```ts
 * op.addDiagonal(op.tensor([[1, 2], [3, 4]]), op.scalar(0.5)); // [[1.5, 2], [3, 4.5]]
 * ```
 */
export function addDiagonal(K: Tensor2D, v: Tensor): Tensor2D {
  requireBackend('addDiagonal');
  registerOnce(ADD_DIAGONAL, TRACE);
  return sum(squareOperand(K, 'addDiagonal', 'K'), scalarOperand(v, 'addDiagonal', 'v'));
}

const sum = tf.customGrad((...args: unknown[]) => {
  const [k, v] = args as [Tensor, Tensor, Save];
  return {
    value: runKernel(ADD_DIAGONAL.name, { k, v })[0]!,
    gradFunc: (dy: Tensor) => [dy.clone(), runKernel(TRACE.name, { k: dy })[0]!],
  };
}) as unknown as (K: Tensor2D, v: Tensor) => Tensor2D;

const ADD_DIAGONAL: MatrixKernel<object> = {
  name: 'latentfield.AddDiagonal',
  inputs: ['k', 'v'],
  outputs: ([k]) => [k!],
  compute({ memory, inputs, outputs }, [k]) {
    const n = k![0]!;
    const result = memory.float64(outputs[0]!, n * n);
    result.set(memory.float64(inputs[0]!, n * n));
    const [v] = memory.float64(inputs[1]!, 1);
    for (let i = 0; i < n * n; i += n + 1) result[i]! += v!;
  },
};

const TRACE: MatrixKernel<object> = {
  name: 'latentfield.Trace',
  inputs: ['k'],
  outputs: () => [[]],
  compute({ memory, inputs, outputs }, [k]) {
    const n = k![0]!;
    const matrix = memory.float64(inputs[0]!, n * n);
    let trace = 0;
    for (let i = 0; i < n * n; i += n + 1) trace += matrix[i]!;
    memory.float64(outputs[0]!, 1)[0] = trace;
  },
};

/**
 * The sum of scalars, from the first to the last, at a fraction of the cost of `add`, whose gradient handles broadcasting.
 *
 * @param terms - scalars
 * @returns a scalar, with gradients in all
 * @throws InvalidInputError if a term is not a single number
 * @example
 * ```ts
 * op.addScalars(op.scalar(1), op.scalar(2)); // 3
 * ```
 */
export function addScalars(...terms: Tensor[]): Scalar {
  const scalars = terms.map((term, i) => scalarOperand(term, 'addScalars', `term ${i}`));
  return numericOperation(scalars, (given) => ({
    value: given.reduce((total, term) => total + doubleOf(term), 0),
    slopes: (slope) => given.map(() => Float64Array.of(slope)),
  }));
}
