import { OptimizationError } from '../../core/errors.ts';
import type { ScaledObjective } from '../minimize/scaledObjective.ts';
import type { Iterate } from '../solvers/solver.ts';

/**
 * The start of a minimisation with its value and gradient, in the solver's variables.
 *
 * @throws OptimizationError when the objective is not finite there
 */
export function evaluateStart(objective: ScaledObjective, start: Float64Array): Iterate {
  const x = objective.toScaled(start);
  const { value, gradient } = objective.evaluate(x, { iteration: 0 });
  if (Number.isNaN(value)) {
    throw new OptimizationError(
      `The objective is not finite at the start: ${objective.reason.replace(/\.$/, '')}. Start from a point where it is.`,
    );
  }
  return { x, value, gradient: gradient.slice() };
}
