import { doubleOf } from '../doubles.ts';
import { scalarOperand } from '../linearAlgebra/operands.ts';
import { numericOperation } from '../tape.ts';
import type { Scalar, Tensor } from '../tensorflow.ts';
import { scalar } from './creation.ts';

/**
 * The sum of scalars, from the first to the last, at a fraction of the cost of `add`, whose gradient allows for broadcasting.
 *
 * @param terms - scalars
 * @returns a scalar, with gradients in all
 * @throws InvalidInputError when one is not one number
 * @example
 * ```ts
 * op.addScalars(op.scalar(1), op.scalar(2)); // 3
 * ```
 */
export function addScalars(...terms: Tensor[]): Scalar {
  const scalars = terms.map((term, i) => scalarOperand(term, 'addScalars', `term ${i}`));
  return numericOperation(scalars, () => ({
    value: scalar(scalars.reduce((total, term) => total + doubleOf(term), 0)),
    slopes: (slope) => scalars.map(() => Float64Array.of(slope)),
  }));
}
