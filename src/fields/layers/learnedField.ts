import { NumericalError } from '../../core/errors.ts';
import { areSame } from '../../core/plainNumbers.ts';
import { completed } from '../../core/progressiveWork.ts';
import { isSparse, laplacianFactor } from '../../engine/sparse/index.ts';
import { minimize } from '../../inference/minimize/minimize.ts';
import { curvedField } from '../density/curvedField.ts';
import type { Pairs } from '../density/denseField.ts';
import { centralPath } from '../solvers/centralPath.ts';
import { denseWeightsSolver } from '../solvers/denseWeights.ts';
import { type FieldProblem, weightScales } from '../solvers/fieldProblem.ts';
import { type FieldPoint, pointAt } from '../solvers/fieldSearch.ts';
import { interiorPoint } from '../solvers/interiorPoint.ts';
import type { MomentProblem } from '../solvers/momentProblem.ts';
import { type MomentPoint, penalizedNewton } from '../solvers/penalizedNewton.ts';
import { penaltyPath } from '../solvers/penaltyPath.ts';

/** Largest violation of the optimality conditions that counts as a maximum. */
const FOUND = 1e-6;

/**
 * Finds the weights of the maximum of problems on one graph that differ in their distances, each from the same start, so that they depend on the problem only.
 *
 * @throws NumericalError when rounding keeps the search from the maximum
 */
export function weightsLearner(pairs: Pairs): (problem: FieldProblem) => FieldPoint {
  const factor = isSparse(pairs) ? laplacianFactor(pairs) : undefined;
  const learned = (problem: FieldProblem) => {
    const found = factor === undefined ? denseMaximum(problem) : sparseMaximum(problem, factor);
    if (found.kktResidual <= FOUND) return found;
    throw new NumericalError(
      `The weights of the field given the latents meet their conditions to ${found.kktResidual.toExponential(1)} only. ` +
        'Their sizes are too far apart: raise basePrecision, or lower slackPenalty.',
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

/** The violation of the optimality conditions up to which the longer way is taken too. */
const EXACT = 1e-9;

/**
 * The maximum of log|Θ| − tr(SΘ) − ρ·Σ_{i≠j}|Θ_ij|, from the same start for all moments, so that it depends on them only: the central path
 * says which entries are 0, and Newton's method goes on from there. Where that leaves a violation, the path of penalties is taken.
 *
 * @throws NumericalError when rounding keeps both from the maximum
 */
export function learnedMoments(problem: MomentProblem): MomentPoint {
  const { variances, covariances } = problem;
  const near = centralPath(problem);
  const quick = near === undefined ? undefined : completed(penalizedNewton(problem, near));
  if (quick !== undefined && quick.kktResidual <= EXACT) return quick;
  const apart = { diagonal: variances.map((variance) => 1 / variance), edges: new Float64Array(covariances.length) };
  const found = completed(penaltyPath(problem, quick?.entries ?? apart));
  if (found.kktResidual <= FOUND) return found;
  throw new NumericalError(
    `The precision of the field given the latents meets its conditions to ${found.kktResidual.toExponential(1)} only. Raise its penalty.`,
  );
}

/** A function that keeps its last result, for when it is asked the same again. */
export function latest<Given, Found>(
  find: (given: Given) => Found,
  keyOf: (given: Given) => readonly Float64Array[],
): (given: Given) => Found {
  let known: { readonly key: readonly Float64Array[]; readonly found: Found } | undefined;
  return (given) => {
    const key = keyOf(given);
    if (known !== undefined && key.every((entries, k) => areSame(entries, known!.key[k]!))) return known.found;
    const found = find(given);
    known = { key: key.map((entries) => entries.slice()), found };
    return found;
  };
}
