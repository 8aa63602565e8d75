import * as tf from '@tensorflow/tfjs-core';
import { log } from '../../core/elementary/index.ts';
import { doublesOf } from '../doubles.ts';
import { floating, scalarOperand } from '../linearAlgebra/operands.ts';
import type { Scalar, Tensor } from '../tensorflow.ts';
import { scalar, tensor } from './creation.ts';

const OPERATION = 'normalLogDensity';

/**
 * Log density of independent normals of precision γ about 0, −γ/2·Σ x² + n/2·(log γ − log 2π) for the n entries of x, as one operation.
 *
 * @param x - of any shape
 * @param precision - γ > 0, a scalar
 * @returns a scalar, with gradients in both
 * @throws InvalidInputError when x is not numeric or γ not one number
 * @example
 * ```ts
 * op.normalLogDensity(op.tensor([1, -1]), op.scalar(2)); // -3.144729885849400
 * ```
 */
export function normalLogDensity(x: Tensor, precision: Tensor): Scalar {
  return density(
    floating(x, OPERATION, 'x', 'of any shape', () => true),
    scalarOperand(precision, OPERATION, 'precision'),
  );
}

const density = tf.customGrad((...args: unknown[]) => {
  const [x, precision] = args as [Tensor, Tensor];
  const [entries, gamma] = [doublesOf(x), doublesOf(precision)[0]!];
  const { length: n } = entries;
  let squares = 0;
  for (let i = 0; i < n; i++) squares += entries[i]! * entries[i]!;
  const value = scalar(-0.5 * gamma * squares + (n / 2) * log(gamma / (2 * Math.PI)));
  const gradFunc = (dy: Tensor) => {
    const slope = doublesOf(dy)[0]!;
    const scale = -gamma * slope;
    for (let i = 0; i < n; i++) entries[i] = scale * entries[i]!;
    return [tensor(entries, x.shape), scalar(slope * ((0.5 * n) / gamma - 0.5 * squares))];
  };
  return { value, gradFunc };
}) as unknown as (x: Tensor, precision: Tensor) => Scalar;
