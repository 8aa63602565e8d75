import { log } from '../../core/elementary/index.ts';
import { doubleOf, doublesOf } from '../doubles.ts';
import { floating, scalarOperand } from '../linearAlgebra/operands.ts';
import { sumOfSquares } from '../linearAlgebra/operations/gaussianLogDensity.ts';
import { numericOperation } from '../tape.ts';
import type { Scalar, Tensor } from '../tensorflow.ts';
import { scalar } from './creation.ts';

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
  const points = floating(x, OPERATION, 'x', 'of any shape', () => true);
  const scale = scalarOperand(precision, OPERATION, 'precision');
  return numericOperation([points, scale], () => {
    const [entries, gamma] = [doublesOf(points), doubleOf(scale)];
    const { length: n } = entries;
    const squares = sumOfSquares(entries);
    return {
      value: scalar(-0.5 * gamma * squares + (n / 2) * log(gamma / (2 * Math.PI))),
      slopes: (slope) => {
        const factor = -gamma * slope;
        return [multiplied(entries, factor), Float64Array.of(slope * ((0.5 * n) / gamma - 0.5 * squares))];
      },
    };
  });
}

function multiplied(entries: Float64Array, factor: number): Float64Array {
  const result = new Float64Array(entries.length);
  for (let i = 0; i < entries.length; i++) result[i] = factor * entries[i]!;
  return result;
}
