import { exp, log } from '../../../core/elementary/index.ts';
import { logErfc } from '../../special/normal.ts';
import { doubleOf, doublesOf } from '../doubles.ts';
import { sumOfSquares } from '../linearAlgebra/operations/gaussianLogDensity.ts';
import {
  differentiable,
  floating,
  type MatrixKernel,
  requireBackend,
  scalarOperand,
} from '../linearAlgebra/operations/operation.ts';
import { numericOperation } from '../tape.ts';
import type { Scalar, Tensor } from '../tensorflow.ts';
import { asTensor } from './creation.ts';
import type { Elementwise } from './elementary.ts';

const OPERATION = 'normalLogDensity';

/**
 * Log density of independent normals of precision γ about 0, −γ/2·Σ x² + n/2·(log γ − log 2π) for the n entries of x, as one operation.
 *
 * @param x - tensor of any shape
 * @param precision - γ > 0, a scalar
 * @returns a scalar, with gradients in both
 * @throws InvalidInputError if x is not numeric or γ is not one number
 * @example
 * ```ts
 * op.normalLogDensity(op.tensor([1, -1]), op.scalar(2)); // -3.144729885849400
 * ```
 */
export function normalLogDensity(x: Tensor, precision: Tensor): Scalar {
  const points = floating(x, OPERATION, 'x', 'of any shape', () => true);
  const scale = scalarOperand(precision, OPERATION, 'precision');
  return numericOperation([points, scale], ([at, of]) => {
    const [entries, gamma] = [doublesOf(at!), doubleOf(of!)];
    const { length: n } = entries;
    const squares = sumOfSquares(entries);
    return {
      value: -0.5 * gamma * squares + (n / 2) * log(gamma / (2 * Math.PI)),
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

/**
 * log Φ(x), the logarithm of the standard normal distribution function, which does not underflow. Its gradient is φ(x)/Φ(x).
 *
 * @example
 * ```ts
 * op.logNormalCdf(op.tensor([0, -40])); // [-0.6931471805599453, -804.6084420137538]
 * ```
 */
export const logNormalCdf: Elementwise = <T extends Tensor = Tensor>(x: T | number) => {
  requireBackend('logNormalCdf');
  return differentiable(VALUE, GRADIENT, [asTensor(x)]) as T;
};

const size = (shape: readonly number[]) => shape.reduce((product, length) => product * length, 1);
const LOG_ROOT_2PI = 0.5 * log(2 * Math.PI);

const VALUE: MatrixKernel<object> = {
  name: 'latentfield.LogNormalCdf',
  inputs: ['x'],
  outputs: ([x]) => [x!],
  compute({ memory, inputs, outputs }, [shape]) {
    const n = size(shape!);
    const [x, value] = [memory.float64(inputs[0]!, n), memory.float64(outputs[0]!, n)];
    for (let i = 0; i < n; i++) value[i] = logErfc(-x[i]! * Math.SQRT1_2) - Math.LN2;
  },
};

const GRADIENT: MatrixKernel<object> = {
  name: 'latentfield.LogNormalCdfGradient',
  inputs: ['x', 'result', 'dy'],
  outputs: ([x]) => [x!],
  compute({ memory, inputs, outputs }, [shape]) {
    const n = size(shape!);
    const [x, value, dy] = inputs.map((offset) => memory.float64(offset, n)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const dx = memory.float64(outputs[0]!, n);
    for (let i = 0; i < n; i++) dx[i] = dy[i]! * exp(-0.5 * x[i]! * x[i]! - LOG_ROOT_2PI - value[i]!);
  },
};
