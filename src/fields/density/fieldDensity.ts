import { doublesOf } from '../../tensors/doubles.ts';
import * as op from '../../tensors/ops.ts';
import { numericOperation } from '../../tensors/tape.ts';
import type { Scalar, Tensor1D } from '../../tensors/tensorflow.ts';
import type { FieldFactor } from './fieldFactor.ts';

/**
 * c/2·log|L(w) + λI| − ½·Σ_e w_e·φ_e, as one operation. Its gradient in the weights is c/2·R − φ/2 with R_e = U_ii + U_jj − 2U_ij, U the inverse, of
 * which the diagonal and the entries at the edges are all that is needed; that in the distances is −w/2.
 *
 * @param weights - one of each edge, ≥ 0
 * @param squaredDistances - φ, plain numbers where no gradient in them is wanted
 * @param factor - of the graph
 * @param base - λ > 0
 * @param copies - c
 * @throws NumericalError when the precision has no factor in double precision
 */
export function fieldDensity(
  weights: Tensor1D,
  squaredDistances: Tensor1D | Float64Array,
  factor: FieldFactor,
  base: number,
  copies: number,
): Scalar {
  const given = squaredDistances instanceof Float64Array;
  return numericOperation(given ? [weights] : [weights, squaredDistances], () => {
    const w = doublesOf(weights);
    const phi = given ? squaredDistances : doublesOf(squaredDistances);
    const { logDeterminant, resistances } = factor.evaluate(w, base);
    let cost = 0;
    for (let e = 0; e < w.length; e++) cost += w[e]! * phi[e]!;
    return {
      value: op.scalar((copies / 2) * logDeterminant - 0.5 * cost),
      slopes: (slope) => {
        const inWeights = combined((copies / 2) * slope, resistances, -0.5 * slope, phi);
        return given ? [inWeights] : [inWeights, w.map((weight) => -0.5 * slope * weight)];
      },
    };
  });
}

/** a·x + b·y */
function combined(a: number, x: Float64Array, b: number, y: Float64Array): Float64Array {
  const result = new Float64Array(x.length);
  for (let e = 0; e < x.length; e++) result[e] = a * x[e]! + b * y[e]!;
  return result;
}
