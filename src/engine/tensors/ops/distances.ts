import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../core/errors.ts';
import { distanceOperations, fusedOperations } from '../../dense/activeEngine.ts';
import type { RadialProfile } from '../../operations/covariances.ts';
import {
  differentiable,
  type MatrixKernel,
  matrixOperand,
  requireBackend,
  type Save,
  scalarOperand,
} from '../linearAlgebra/operations/operation.ts';
import type { Tensor, Tensor2D } from '../tensorflow.ts';

export type { CompiledProfile, RadialProfile } from '../../operations/covariances.ts';

const OPERATION = 'radialCovariance';

/**
 * v·f(‖a_i − b_j‖²) for a profile f, as one operation with a handwritten gradient in A, B and v: two matrices of this size instead of
 * a tape of ten. Distances are direct differences; coincident points are safe.
 *
 * @param A - n×q
 * @param B - m×q; the same tensor for the Gram matrix of one set, which is then exactly symmetric
 * @param variance - v, a scalar
 * @param profile - f and its derivative
 * @returns n×m
 * @throws InvalidInputError unless A and B are matrices with the same number of columns, and the variance is one number
 * @example
 * ```ts
 * // v/(1 + r²)
 * const cauchy: op.RadialProfile = {
 *   name: 'cauchy',
 *   value: (s) => { for (let i = 0; i < s.length; i++) s[i] = 1 / (1 + s[i]!); },
 *   slope: (s) => { for (let i = 0; i < s.length; i++) s[i] = -1 / (1 + s[i]!) ** 2; },
 * };
 * const X = op.tensor<op.Tensor2D>([[0, 0], [0, 1]]);
 * op.radialCovariance(X, X, op.scalar(2), cauchy); // [[2, 1], [1, 2]]
 * ```
 */
export function radialCovariance(A: Tensor2D, B: Tensor2D, variance: Tensor, profile: RadialProfile): Tensor2D {
  requireBackend(OPERATION);
  const left = matrixOperand(A, OPERATION, 'A');
  const v = scalarOperand(variance, OPERATION, 'variance');
  if (A === B) return differentiable(GRAM, GRAM_GRADIENT, [left, v], { profile }) as Tensor2D;
  const right = samePoints(left, matrixOperand(B, OPERATION, 'B'), OPERATION);
  return differentiable(CROSS, CROSS_GRADIENT, [left, right, v], { profile }) as Tensor2D;
}

interface Attributes {
  readonly profile: RadialProfile;
}

const GRAM: MatrixKernel<Attributes> = {
  name: 'latentfield.RadialGram',
  inputs: ['x', 'v'],
  outputs: ([x]) => [[x![0]!, x![0]!]],
  compute({ memory, inputs, outputs }, [x], { profile }) {
    const [n, q] = x as [number, number];
    const [points, v] = inputs as [number, number];
    fusedOperations(memory).radialGram(n, q, points, profile, memory.float64(v, 1)[0]!, outputs[0]!);
  },
};

const GRAM_GRADIENT: MatrixKernel<Attributes> = {
  name: 'latentfield.RadialGramGradient',
  inputs: ['x', 'v', 'result', 'dy'],
  outputs: ([x]) => [x!, []],
  compute({ memory, inputs, outputs }, [x], { profile }) {
    const [n, q] = x as [number, number];
    const [points, v, k, dy] = inputs as [number, number, number, number];
    const variance = memory.float64(v, 1)[0]!;
    const slope = fusedOperations(memory).radialGramGradient(n, q, points, profile, variance, k, dy, outputs[0]!);
    memory.float64(outputs[1]!, 1)[0] = slope;
  },
};

const CROSS: MatrixKernel<Attributes> = {
  name: 'latentfield.RadialCross',
  inputs: ['a', 'b', 'v'],
  outputs: ([a, b]) => [[a![0]!, b![0]!]],
  compute({ memory, inputs, outputs }, [a, b], { profile }) {
    const [n, q] = a as [number, number];
    const [left, right, v] = inputs as [number, number, number];
    const variance = memory.float64(v, 1)[0]!;
    fusedOperations(memory).radialCross(n, b![0]!, q, left, right, profile, variance, outputs[0]!);
  },
};

const CROSS_GRADIENT: MatrixKernel<Attributes> = {
  name: 'latentfield.RadialCrossGradient',
  inputs: ['a', 'b', 'v', 'result', 'dy'],
  outputs: ([a, b]) => [a!, b!, []],
  compute({ memory, inputs, outputs }, [a, b], { profile }) {
    const [n, q] = a as [number, number];
    const [left, right, v, k, dy] = inputs as [number, number, number, number, number];
    const [da, db, dv] = outputs as [number, number, number];
    const variance = memory.float64(v, 1)[0]!;
    const operations = fusedOperations(memory);
    const slope = operations.radialCrossGradient(n, b![0]!, q, left, right, profile, variance, k, dy, da, db);
    memory.float64(dv, 1)[0] = slope;
  },
};

/**
 * Euclidean distances between the rows of A (n×q) and B (m×q), by direct differences. The gradient in the points is the unit vector between them, and
 * by convention 0 (not NaN) for coincident points. Pass the same tensor twice for the distances within one set.
 *
 * @param A - n×q
 * @param B - m×q
 * @returns n×m
 * @throws InvalidInputError unless A and B are matrices with the same number of columns
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
 * Squared Euclidean distances between the rows of A (n×q) and B (m×q): d²_ij = Σ_k (a_ik − b_jk)², with gradients in both. Direct differences make
 * them nonnegative and exactly 0 for coincident points, without cancellation. Pass the same tensor twice for the distances within one set.
 *
 * @param A - n×q
 * @param B - m×q
 * @returns n×m
 * @throws InvalidInputError unless A and B are matrices with the same number of columns
 * @example
 * ```ts
 * const X = op.tensor<op.Tensor2D>([[0, 0], [3, 4]]);
 * op.squaredDistances(X, X); // [[0, 25], [25, 0]]
 * ```
 */
export function squaredDistances(A: Tensor2D, B: Tensor2D): Tensor2D {
  requireBackend('squaredDistances');
  const left = matrixOperand(A, 'squaredDistances', 'A');
  const right = samePoints(left, matrixOperand(B, 'squaredDistances', 'B'), 'squaredDistances');
  return differentiable(BETWEEN, BETWEEN_GRADIENT, [left, right], { within: A === B }) as Tensor2D;
}

interface DistanceAttributes {
  /** True if both arguments are the same set of points. */
  readonly within: boolean;
}

const BETWEEN: MatrixKernel<DistanceAttributes> = {
  name: 'latentfield.SquaredDistancesBetween',
  inputs: ['a', 'b'],
  outputs: ([a, b]) => [[a![0]!, b![0]!]],
  compute({ memory, inputs, outputs }, [a, b]) {
    const [n, q] = a as [number, number];
    distanceOperations(memory).squaredDistances(n, b![0]!, q, inputs[0]!, inputs[1]!, outputs[0]!);
  },
};

const BETWEEN_GRADIENT: MatrixKernel<DistanceAttributes> = {
  name: 'latentfield.SquaredDistancesBetweenGradient',
  inputs: ['a', 'b', 'dy'],
  outputs: ([a, b]) => [a!, b!],
  compute({ memory, inputs, outputs }, [a, b], { within }) {
    const [n, q] = a as [number, number];
    const [left, right, dy] = inputs as [number, number, number];
    // The pair of a point with itself contributes nothing, even with an infinite weight: 0·∞ would be NaN.
    const places = Array.from({ length: within ? n : 0 }, (_, i) => dy + 8 * i * (n + 1));
    const weights = places.map((place) => memory.number(place));
    for (const place of places) memory.setNumber(place, 0);
    distanceOperations(memory).squaredDistancesGradient(n, b![0]!, q, left, right, dy, outputs[0]!, outputs[1]!);
    places.forEach((place, i) => {
      memory.setNumber(place, weights[i]!);
    });
  },
};

/** B, if its points have as many columns as A. */
export function samePoints(A: Tensor2D, B: Tensor2D, operation: string): Tensor2D {
  if (A.shape[1] === B.shape[1]) return B;
  throw new InvalidInputError(
    `${operation} needs points of the same dimension, but A is ${A.shape.join('×')} and B is ${B.shape.join('×')}.`,
  );
}
