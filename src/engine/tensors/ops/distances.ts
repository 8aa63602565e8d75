import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../core/errors.ts';
import { fusedOperations } from '../../dense/activeEngine.ts';
import { matrixOperand, requireBackend } from '../linearAlgebra/operands.ts';
import { type MatrixKernel, registerOnce, runKernel, type Save } from '../linearAlgebra/operations/operation.ts';
import type { Tensor, Tensor2D } from '../tensorflow.ts';

/**
 * Euclidean distances between the rows of A (n×q) and B (m×q), by direct differences. The gradient in the points is the unit vector
 * between them, and 0 for coincident points, where there is none: nothing turns into NaN. Pass the same tensor twice for the
 * distances within one set.
 *
 * @param A - n×q
 * @param B - m×q
 * @returns n×m
 * @throws InvalidInputError when A and B are not matrices with the same number of columns
 * @example
 * ```ts
 * op.distances(op.tensor([[0, 0]]), op.tensor([[3, 4], [0, 1]])); // [[5, 1]]
 * ```
 */
export function distances(A: Tensor2D, B: Tensor2D): Tensor2D {
  return root(squaredDistances(A, B));
}

/** √s, with gradient 0 where s = 0. */
const root = tf.customGrad((...args: unknown[]) => {
  const [s, save] = args as [Tensor2D, Save];
  const r = tf.sqrt(s);
  save([r]);
  const gradFunc = (dy: Tensor, [value]: Tensor[]) => {
    const apart = tf.greater(value!, 0);
    const slope = tf.div(0.5, tf.where(apart, value!, tf.onesLike(value!)));
    return tf.mul(dy, tf.where(apart, slope, tf.zerosLike(slope)));
  };
  return { value: r, gradFunc };
}) as (s: Tensor2D) => Tensor2D;

/**
 * Squared Euclidean distances between the rows of A (n×q) and B (m×q): d²_ij = Σ_k (a_ik − b_jk)², by direct differences — never
 * negative, exactly 0 for coincident points, no cancellation — with gradients in both. Pass the same tensor twice for the
 * distances within one set.
 *
 * @param A - n×q
 * @param B - m×q
 * @returns n×m
 * @throws InvalidInputError when A and B are not matrices with the same number of columns
 * @example
 * ```ts
 * const X = op.tensor<op.Tensor2D>([[0, 0], [3, 4]]);
 * op.squaredDistances(X, X); // [[0, 25], [25, 0]]
 * ```
 */
export function squaredDistances(A: Tensor2D, B: Tensor2D): Tensor2D {
  requireBackend('squaredDistances');
  registerOnce(WITHIN, WITHIN_GRADIENT, BETWEEN, BETWEEN_GRADIENT);
  const left = matrixOperand(A, 'squaredDistances', 'A');
  if (A === B) return within(left);
  return between(left, samePoints(left, matrixOperand(B, 'squaredDistances', 'B'), 'squaredDistances'));
}

const within = tf.customGrad((...args: unknown[]) => {
  const [x, save] = args as [Tensor2D, Save];
  save([x]);
  return {
    value: runKernel(WITHIN.name, { x })[0]!,
    gradFunc: (dy: Tensor, [points]: Tensor[]) => runKernel(WITHIN_GRADIENT.name, { x: points!, dy })[0]!,
  };
}) as (x: Tensor2D) => Tensor2D;

const between = tf.customGrad((...args: unknown[]) => {
  const [a, b, save] = args as [Tensor2D, Tensor2D, Save];
  save([a, b]);
  return {
    value: runKernel(BETWEEN.name, { a, b })[0]!,
    gradFunc: (dy: Tensor, saved: Tensor[]) => runKernel(BETWEEN_GRADIENT.name, { a: saved[0]!, b: saved[1]!, dy }),
  };
}) as (a: Tensor2D, b: Tensor2D) => Tensor2D;

const WITHIN: MatrixKernel<object> = {
  name: 'latentfield.SquaredDistancesWithin',
  inputs: ['x'],
  outputs: ([x]) => [[x![0]!, x![0]!]],
  compute({ memory, inputs, outputs }, [x]) {
    const [n, q] = x as [number, number];
    fusedOperations(memory).squaredDistancesWithin(n, q, inputs[0]!, outputs[0]!);
  },
};

const WITHIN_GRADIENT: MatrixKernel<object> = {
  name: 'latentfield.SquaredDistancesWithinGradient',
  inputs: ['x', 'dy'],
  outputs: ([x]) => [x!],
  compute({ memory, inputs, outputs }, [x]) {
    const [n, q] = x as [number, number];
    fusedOperations(memory).squaredDistancesWithinGradient(n, q, inputs[0]!, inputs[1]!, outputs[0]!);
  },
};

const BETWEEN: MatrixKernel<object> = {
  name: 'latentfield.SquaredDistancesBetween',
  inputs: ['a', 'b'],
  outputs: ([a, b]) => [[a![0]!, b![0]!]],
  compute({ memory, inputs, outputs }, [a, b]) {
    const [n, q] = a as [number, number];
    fusedOperations(memory).squaredDistances(n, b![0]!, q, inputs[0]!, inputs[1]!, outputs[0]!);
  },
};

const BETWEEN_GRADIENT: MatrixKernel<object> = {
  name: 'latentfield.SquaredDistancesBetweenGradient',
  inputs: ['a', 'b', 'dy'],
  outputs: ([a, b]) => [a!, b!],
  compute({ memory, inputs, outputs }, [a, b]) {
    const [n, q] = a as [number, number];
    const [left, right, dy] = inputs as [number, number, number];
    fusedOperations(memory).squaredDistancesGradient(n, b![0]!, q, left, right, dy, outputs[0]!, outputs[1]!);
  },
};

/** B, if its points have as many columns as those of A. */
export function samePoints(A: Tensor2D, B: Tensor2D, operation: string): Tensor2D {
  if (A.shape[1] === B.shape[1]) return B;
  throw new InvalidInputError(
    `${operation} needs points of the same dimension, but A is ${A.shape.join('×')} and B is ${B.shape.join('×')}.`,
  );
}
