import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { curvedField } from '../../src/fields/density/curvedField.ts';
import { denseWeightsSolver } from '../../src/fields/solvers/denseWeights.ts';
import { type FieldProblem, weightScale } from '../../src/fields/solvers/fieldProblem.ts';
import { minimize, type ObjectiveFunction, type Solution } from '../../src/inference/index.ts';
import type { SolveOptions } from '../../src/inference/minimize/solveOptions.ts';

/** Minus the dual of a maximum-entropy problem, with its curvature. */
export function fieldObjective(problem: FieldProblem): ObjectiveFunction & { dispose(): void } {
  const { squaredDistances, basePrecision, copies } = problem;
  const field = curvedField(problem);
  const objective = (weights: Float64Array) => {
    const { logDeterminant, resistances } = field.evaluate(weights, basePrecision);
    const cost = weights.reduce((sum, weight, e) => sum + weight * squaredDistances[e]!, 0);
    return {
      value: 0.5 * (cost - copies * logDeterminant),
      gradient: resistances.map((R, e) => 0.5 * (squaredDistances[e]! - copies * R)),
    };
  };
  return Object.assign(objective, {
    curvature: (weights: Float64Array) => field.curvature(weights, basePrecision, copies),
    dispose: field.dispose,
  });
}

/** The maximum by quadratic approximation. */
export function fieldMaximum(
  problem: FieldProblem,
  start: Float64Array = new Float64Array(problem.sources.length),
  options: SolveOptions = {},
): Solution {
  const objective = fieldObjective(problem);
  try {
    return withFloat64(() =>
      minimize(objective, start, denseWeightsSolver(problem), {
        bounds: { lower: 0, upper: problem.upper },
        scale: problem.squaredDistances.map((distance) => weightScale(problem, distance)),
        tolerance: 0,
        relativeDecrease: 0,
        ...options,
      }),
    );
  } finally {
    objective.dispose();
  }
}
