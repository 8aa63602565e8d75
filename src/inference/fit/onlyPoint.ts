import type { Solver } from '../../model/solver.ts';
import { evaluateStart, type ScaledObjective, scaledObjective } from '../minimize/scaledObjective.ts';
import { copyIterate, type Solution } from '../minimize/solution.ts';
import type { FitProblem } from './fitProblem.ts';

/**
 * The solution of a problem without variables: there is one point, and nothing to search.
 *
 * @param solver - whose state it is
 * @throws OptimizationError when the log density is not finite there
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
        : 'Every parameter of the model is held, so there is nothing to fit. This is the model at those values.',
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
