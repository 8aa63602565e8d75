import type { Matrix } from '../core/matrix.ts';
import type { Scalar, Tensor1D } from '../engine/tensors/tensorflow.ts';
import type { Pairs } from './density/denseField.ts';
import { distanceHessian } from './density/profiledHessian.ts';
import { scalarWithSlopes } from './density/scalarWithSlopes.ts';
import type { FieldProblem } from './solvers/fieldProblem.ts';
import type { FieldPoint } from './solvers/fieldSearch.ts';
import { weightsLearner } from './solvers/learnedWeights.ts';

/** Multipliers at their optimum for the current rows: see {@link bestMultipliers}. */
export interface BestMultipliers {
  readonly kind: 'bestMultipliers';
  /** Solves problems on one graph. @internal */
  readonly learner: (pairs: Pairs) => (problem: FieldProblem) => FieldPoint;
  /** The log density at the optimal multipliers, as a function of squared distances φ. @internal */
  readonly density: (squaredDistances: Tensor1D, maximum: (phi: Float64Array) => FieldPoint) => Scalar;
  /** Its Hessian in the rows, at the optimal multipliers. @internal */
  readonly hessian: (problem: FieldProblem, weights: Float64Array, X: Matrix) => Float64Array;
}

/**
 * Multipliers of `maxEntropy` that are not parameters: they are optimized for the current rows in each evaluation. For one set of squared
 * differences: max_w c/2·log|L(w) + λI| − ½·Σ_e w_e·φ_e, 0 ≤ w_e ≤ 4C. The gradient in φ is −w/2 at the maximum, since the dependence of w on φ
 * changes the value in second order only.
 *
 * @see Danskin, The Theory of Max-Min (1967), on the envelope theorem
 * @example
 * ```ts
 * const near = squaredDifferences(knnGraph(Y, 6));
 * const layer = maxEntropy({ base: 0.1, copies: 2, slack: 25, multipliers: bestMultipliers(), expect: { near } });
 * ```
 */
export function bestMultipliers(): BestMultipliers {
  const made = { kind: 'bestMultipliers' } as const;
  // Not among the members that are listed: a file has the kind.
  const hidden = { learner: weightsLearner, density: bestDensity, hessian: distanceHessian };
  for (const [name, value] of Object.entries(hidden)) Object.defineProperty(made, name, { value });
  return Object.freeze(made) as BestMultipliers;
}

function bestDensity(squaredDistances: Tensor1D, maximum: (phi: Float64Array) => FieldPoint): Scalar {
  return scalarWithSlopes([squaredDistances], (phi) => {
    const { value, weights } = maximum(phi);
    return { value, slopes: [weights.map((w) => -0.5 * w)] };
  });
}
