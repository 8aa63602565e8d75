import { NumericalError } from '../../core/errors.ts';
import { completed } from '../../core/progressiveWork.ts';
import { isSparse, laplacianFactor } from '../../engine/sparse/index.ts';
import { minimize } from '../../inference/minimize/minimize.ts';
import { curvedField } from '../density/curvedField.ts';
import type { Pairs } from '../density/denseField.ts';
import { denseWeightsSolver } from './denseWeights.ts';
import { type FieldProblem, weightScales } from './fieldProblem.ts';
import { type FieldPoint, pointAt } from './fieldSearch.ts';
import { interiorPoint } from './interiorPoint.ts';
import { latest } from './latest.ts';

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
