import type { Solver } from '../solvers/solver.ts';
import type { ObjectiveFunction } from './scaledObjective.ts';
import type { Solution } from './solution.ts';
import { solve } from './solve.ts';
import type { SolveOptions } from './solveOptions.ts';

/**
 * Minimises a function of many variables from its gradient: min f(x), or min f(x) subject to lower ≤ x ≤ upper.
 *
 * The result is the best point evaluated. Points where the objective is not finite, or throws a NumericalError, are
 * backed away from and never returned; any other error of the objective passes through.
 *
 * @param objective - x ↦ { value, gradient }, the gradient an array of x's length; x is reused between calls
 * @param start - first point; outside the bounds, the nearest point within is taken
 * @param solver - `lbfgs()`, `lbfgsb()` for bounds, `scg()` or `adam()`
 * @param options - bounds, scale, limits, tolerances, callbacks and the state to resume from: see {@link SolveOptions}
 * @returns see {@link Solution}
 * @throws InvalidInputError for unusable input; OptimizationError when the objective is not finite at the start
 * @example
 * ```ts
 * import { lbfgs, minimize } from 'latentfield';
 *
 * const rosenbrock = ([x, y]: Float64Array) => ({
 *   value: 100 * (y - x * x) ** 2 + (1 - x) ** 2,
 *   gradient: [-400 * x * (y - x * x) - 2 * (1 - x), 200 * (y - x * x)],
 * });
 * const { x, status, message } = minimize(rosenbrock, [-1.2, 1], lbfgs());
 * ```
 */
export function minimize(
  objective: ObjectiveFunction,
  start: ArrayLike<number>,
  solver: Solver,
  options: SolveOptions = {},
): Solution {
  const run = solve(objective, start, solver, options);
  for (;;) {
    const step = run.next();
    if (step.done) return step.value;
  }
}
