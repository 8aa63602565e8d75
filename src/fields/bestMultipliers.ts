import { NumericalError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import { completed, latest } from '../core/progressiveWork.ts';
import { isSparse, laplacianFactor } from '../engine/sparse/index.ts';
import { scalarWithSlopes } from '../engine/tensors/tape.ts';
import type { Scalar, Tensor1D } from '../engine/tensors/tensorflow.ts';
import { minimize } from '../inference/minimize/minimize.ts';
import { curvedField } from './density/curvedField.ts';
import type { Pairs } from './density/denseField.ts';
import { distanceHessian } from './density/profiledHessian.ts';
import { denseWeightsSolver } from './solvers/denseWeights.ts';
import { type FieldProblem, weightScales } from './solvers/fieldProblem.ts';
import { type FieldPoint, pointAt } from './solvers/fieldSearch.ts';
import { interiorPoint } from './solvers/interiorPoint.ts';

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

/** Largest violation of the optimality conditions that is accepted as a maximum. */
const FOUND = 1e-6;

/**
 * Finds the optimal weights of problems on one graph that differ in their distances. Each search has the same start, so that the weights depend on
 * the problem only.
 *
 * @throws NumericalError if rounding keeps the search from the maximum
 */
export function weightsLearner(pairs: Pairs): (problem: FieldProblem) => FieldPoint {
  const factor = isSparse(pairs) ? laplacianFactor(pairs) : undefined;
  const learned = (problem: FieldProblem) => {
    const found = factor === undefined ? denseMaximum(problem) : sparseMaximum(problem, factor);
    if (found.kktResidual <= FOUND) return found;
    throw new NumericalError(
      `The weights of the field given the latents meet their conditions to ${found.kktResidual.toExponential(1)} only. ` +
        'Their sizes are too far apart: raise base, or lower slack.',
    );
  };
  return latest(learned, ({ squaredDistances }) => [squaredDistances]);
}

function denseMaximum(problem: FieldProblem): FieldPoint {
  const { squaredDistances, basePrecision, copies, upper } = problem;
  const field = curvedField(problem);
  const pointOf = (weights: Float64Array) => {
    const { logDeterminant, resistances } = field.evaluate(weights, basePrecision);
    return pointAt(problem, weights, logDeterminant, resistances);
  };
  const objective = Object.assign(
    (weights: Float64Array) => {
      const { value, resistances } = pointOf(weights);
      return { value: -value, gradient: resistances.map((R, e) => 0.5 * (squaredDistances[e]! - copies * R)) };
    },
    { curvature: (weights: Float64Array) => field.curvature(weights, basePrecision, copies) },
  );
  const none = new Float64Array(squaredDistances.length);
  try {
    const { x } = minimize(objective, none, denseWeightsSolver(problem), {
      bounds: { lower: none, upper: none.map(() => upper) },
      scale: weightScales(problem),
      tolerance: 0,
      relativeDecrease: 0,
    });
    return pointOf(x);
  } finally {
    field.dispose();
  }
}

function sparseMaximum(problem: FieldProblem, factor: ReturnType<typeof laplacianFactor>): FieldPoint {
  const none = new Float64Array(problem.squaredDistances.length);
  return completed(interiorPoint(problem, factor, none));
}
