import { isSparse, SPARSE } from '../../engine/sparse/index.ts';
import { type LaplacianFactor, laplacianFactor } from '../../engine/sparse/laplacianFactor.ts';
import { doublesIn, doublesOf } from '../../engine/tensors/doubles.ts';
import { numericOperation } from '../../engine/tensors/tape.ts';
import type { Scalar, Tensor1D } from '../../engine/tensors/tensorflow.ts';
import { dot } from '../../engine/vectors.ts';
import { type Pairs, resistancesOf, withDenseField } from './denseField.ts';

/** log|L(w) + λI| and its gradient in w, R_e = U_ii + U_jj − 2U_ij. */
interface FieldValue {
  readonly logDeterminant: number;
  readonly resistances: Float64Array;
}

/** The determinant of the precision L(w) + λI on one graph, for any weights. */
export interface FieldFactor {
  /** True if no N×N array is formed. */
  readonly sparse: boolean;
  /** @param weights - read before anything is allocated, and not retained */
  evaluate(weights: Float64Array, base: number): FieldValue;
}

/** Number of points above which an N×N array is not an option, however large the fill of a sparse factor. */
const MOST_DENSE = 10_000;

/** The best factor for the graph: sparse unless its fill makes a dense one faster. */
export function fieldFactor(pairs: Pairs): FieldFactor {
  const { size: N } = pairs;
  if (isSparse(pairs)) {
    const factor = laplacianFactor(pairs);
    if (N > MOST_DENSE || factor.storedEntries < (SPARSE * N * N) / 2) return sparseField(factor);
  }
  return {
    sparse: false,
    evaluate: (weights, base) =>
      withDenseField(pairs, weights.slice(), base, (logDeterminant, U) => ({
        logDeterminant,
        resistances: resistancesOf(pairs, U),
      })),
  };
}

/** A field based on a sparse factor. The last result is cached, because a fit ends at the weights that its search evaluated last. */
export function sparseField(factor: LaplacianFactor): FieldFactor {
  let last: { readonly weights: Float64Array; readonly base: number; readonly value: FieldValue } | undefined;
  return {
    sparse: true,
    evaluate: (weights, base) => {
      if (last?.base === base && last.weights.every((weight, e) => weight === weights[e])) return last.value;
      last = undefined;
      const own = weights.slice();
      factor.update(own, base);
      const value = { logDeterminant: factor.logDeterminant, resistances: factor.resistances() };
      last = { weights: own, base, value };
      return value;
    },
  };
}

/**
 * c/2·log|L(w) + λI| − ½·Σ_e w_e·φ_e, as one operation. Its gradient in the weights is c/2·R − φ/2 with R_e = U_ii + U_jj − 2U_ij and U the inverse,
 * which is needed only on the diagonal and at the edges; the gradient in the distances is −w/2.
 *
 * @param weights - one per edge, ≥ 0
 * @param squaredDistances - φ, plain numbers if no gradient in them is needed
 * @param factor - factor of the graph
 * @param base - λ > 0
 * @param copies - c
 * @throws NumericalError if the precision has no factor in double precision
 */
export function fieldDensity(
  weights: Tensor1D,
  squaredDistances: Tensor1D | Float64Array,
  factor: FieldFactor,
  base: number,
  copies: number,
): Scalar {
  const given = squaredDistances instanceof Float64Array;
  return numericOperation(given ? [weights] : [weights, squaredDistances], ([own, distances]) => {
    const phi = given ? squaredDistances : doublesOf(distances!);
    const kept = given ? undefined : doublesOf(own!);
    const w = kept ?? doublesIn(own!);
    const cost = dot(w, phi);
    const { logDeterminant, resistances } = factor.evaluate(w, base);
    return {
      value: (copies / 2) * logDeterminant - 0.5 * cost,
      slopes: (slope) => {
        const inWeights = combined((copies / 2) * slope, resistances, -0.5 * slope, phi);
        return kept === undefined ? [inWeights] : [inWeights, kept.map((weight) => -0.5 * slope * weight)];
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
