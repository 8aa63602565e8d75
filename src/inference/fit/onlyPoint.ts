import type { Solver } from '../../model/solver.ts';
import { evaluateStart, type ScaledObjective, scaledObjective } from '../minimize/scaledObjective.ts';
import { copyIterate, type Solution } from '../minimize/solution.ts';
import type { FitProblem } from './fitProblem.ts';

/**
 * Solution of a problem without variables, which has a single point.
 *
 * @param solver - solver whose state is returned
 * @throws OptimizationError if the log density is not finite there
 */
export function onlyPoint({ compute, objective, layout }: FitProblem, solver: Solver): Solution {
  const none = new Float64Array(0);
  const scaled: ScaledObjective = scaledObjective(objective, none, { lower: none, upper: none });
  const point = compute(() => evaluateStart(scaled, none));
  return {
    ...copyIterate(point),
    status: 'converged',
    ending: 'optimality',
    message:
      layout.variables.length === 0
        ? 'Closed form.'
        : 'Every parameter of the model is fixed, so there is nothing to fit. This is the model at these values.',
    evaluations: 1,
    iterations: 0,
    state: {
      solver: solver.name,
      iterations: 0,
      evaluations: 1,
      decreases: Float64Array.of(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
      scale: none,
      iterate: copyIterate(point),
      best: copyIterate(point),
      memory: {},
    },
  };
}
