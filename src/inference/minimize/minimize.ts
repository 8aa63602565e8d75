import { InvalidInputError } from '../../core/errors.ts';
import { counted } from '../../core/wording.ts';
import type { Evaluation, Iterate, Solver, Step } from '../../model/solver.ts';
import {
  evaluateStart,
  type ObjectiveFunction,
  projectedGradientNorm,
  type ScaledObjective,
  scaledObjective,
} from './scaledObjective.ts';
import {
  checkState,
  copyIterate,
  copyMemory,
  type End,
  endOf,
  interruptionOf,
  limitOf,
  messageOf,
  type Progress,
  relativeDecrease,
  reportTo,
  type Solution,
  type SolverState,
  testDecreases,
  testGradient,
  withoutBound,
} from './solution.ts';
import { type SolveOptions, type SolveSettings, solveSettings } from './solveOptions.ts';

/**
 * Minimizes a function of many variables from its gradient: min f(x), or min f(x) subject to lower ≤ x ≤ upper.
 *
 * The result is the best point evaluated. The search backs away from points where the objective is not finite or throws a NumericalError, and never
 * returns them; any other error of the objective is passed on.
 *
 * @param objective - x ↦ { value, gradient }, the gradient an array of x's length; x is reused between calls
 * @param start - first point; if it is outside the bounds, the nearest point within them is used
 * @param solver - `lbfgs()`, `lbfgsb()` for bounds, `scg()` or `adam()`
 * @param options - bounds, scale, limits, tolerances, callbacks and the state to resume from: see {@link SolveOptions}
 * @returns see {@link Solution}
 * @throws InvalidInputError for unusable input; OptimizationError if the objective is not finite at the start
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

/**
 * {@link minimize} in slices: a generator that pauses after every evaluation of the objective, so that a caller can yield to the event loop in
 * between, draw, save a checkpoint, or stop.
 *
 * @param objective - value and gradient at x
 * @param start - first point; if it is outside the bounds, the nearest point within them is used
 * @param solver - `lbfgs()`, `lbfgsb()`, `scg()` or `adam()`
 * @param options - see {@link SolveOptions}
 * @returns a generator of {@link Progress} that returns the {@link Solution}
 * @throws InvalidInputError immediately for unusable input; OptimizationError if the objective is not finite at the start
 * @example
 * ```ts
 * const run = solve(objective, [-1.2, 1], lbfgs());
 * let step = run.next();
 * while (!step.done) {
 *   await new Promise((resume) => setTimeout(resume));
 *   step = run.next();
 * }
 * step.value.x;
 * ```
 */
export function solve(
  objective: ObjectiveFunction,
  start: ArrayLike<number>,
  solver: Solver,
  options: SolveOptions = {},
): Generator<Progress, Solution, void> {
  const settings = solveSettings(start, solver, options);
  const scaled = scaledObjective(objective, settings.scale, settings.bounds);
  if (settings.state !== undefined) checkState(settings.state, solver.name, settings.scale, scaled.box);
  return drive(scaled, solver, settings);
}

/**
 * {@link solve} with a scaled objective, such as one that involves some of the variables at a time.
 *
 * @param unit - the limit of iterations in the caller's units
 */
export function solveIn(
  objective: ScaledObjective,
  start: ArrayLike<number>,
  solver: Solver,
  options: SolveOptions,
  unit?: string,
): Generator<Progress, Solution, void> {
  const settings = solveSettings(start, solver, options);
  if (settings.state !== undefined) checkState(settings.state, solver.name, settings.scale, objective.box);
  return drive(objective, solver, settings, unit);
}

/**
 * Drives a solver: evaluates the points that it requests, keeps the best point, and ends it by tests and limits. Pauses after every evaluation.
 *
 * A mini-batch objective has gradients with respect to the variables of its batch only. No work is then done for all variables, so that an epoch is
 * linear in their number: the last point counts as the best, and only the solver tests convergence.
 *
 * @param unit - the limit of iterations in the caller's units
 */
function* drive(
  objective: ScaledObjective,
  solver: Solver,
  settings: SolveSettings,
  unit?: string,
): Generator<Progress, Solution, void> {
  const { box } = objective;
  const { state } = settings;
  const began = performance.now();
  let evaluations = state?.evaluations ?? 0;
  let iterations = state?.iterations ?? 0;
  const decreases = state?.decreases.slice() ?? Float64Array.of(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);

  const first = state === undefined ? evaluateStart(objective, settings.start) : resumedIterate(objective, state);
  if (state === undefined) evaluations = 1;
  const isPartial = first.places !== undefined;
  const run = solver.begin(first, box, state === undefined ? undefined : copyMemory(state.memory));
  const best = isPartial ? run.iterate : copyIterate(state?.best ?? first);
  let normOfBest: number | undefined;
  const gradientNorm = () => {
    normOfBest ??= projectedGradientNorm(best, box);
    return normOfBest;
  };
  const keep = (point: Readonly<Iterate>, norm?: number) => {
    if (!isPartial) setIterate(best, point);
    normOfBest = norm;
  };
  let evaluationsOfState = evaluations;

  const snapshot = (): SolverState => ({
    solver: solver.name,
    iterations,
    evaluations: evaluationsOfState,
    decreases: decreases.slice(),
    scale: settings.scale.slice(),
    iterate: copyIterate(run.iterate),
    best: copyIterate(best),
    memory: copyMemory(run.memory),
  });
  const progress = (isEvaluated = false): Progress => {
    const at = { iterations, evaluations, value: best.value, isEvaluated };
    return {
      ...at,
      get gradientNorm() {
        return gradientNorm();
      },
      get x() {
        if (!isPartial) return objective.toOriginalPoint(best.x);
        if (iterations === at.iterations) return best.x;
        throw new InvalidInputError(
          `Iteration ${at.iterations} of this fit in batches is over, and its point was not kept. Ask a step for its latents or its result before the next one.`,
        );
      },
      get state() {
        return snapshot();
      },
    };
  };
  const solutionAt = (given: End): Solution => {
    const end = withoutBound({ value: best.value, gradientNorm: gradientNorm() }, given) ?? given;
    const counts = `${counted(iterations, 'iteration')}, ${counted(evaluations, 'evaluation')}`;
    return {
      ...objective.toOriginal(best),
      status: end.status,
      ending: end.ending,
      message: messageOf(end, counts, run.note?.()),
      ...(end.criterion !== undefined && { criterion: end.criterion }),
      evaluations,
      iterations,
      state: snapshot(),
    };
  };

  // A point on the way may be lower, by rounding or in a valley that was stepped over, without the gradient that ends the run.
  const keepStationary = (norm: number) => {
    if (testGradient(gradientNorm(), settings) === undefined) keep(run.iterate, norm);
  };

  // Where values differ by rounding only, a solver that does not compare values prefers the point with the smaller gradient.
  const isBetter = ({ value }: Iterate, norm: number, comparable: boolean) =>
    value < best.value || (!comparable && isLevel(value, best.value) && norm < gradientNorm());

  let answer: Evaluation = run.iterate;
  const normAtStart = projectedGradientNorm(run.iterate, box);
  const stationary = isPartial ? undefined : testGradient(normAtStart, settings);
  if (stationary !== undefined) keepStationary(normAtStart);
  const declined = reportTo(settings, progress());
  let end =
    stationary ??
    testDecreases(decreases, settings, { value: run.iterate.value, gradientNorm: normAtStart }) ??
    declined ??
    limitOf(iterations, settings, unit);

  for (;;) {
    let request: Exclude<Step, { kind: 'iteration' }> | undefined;
    while (end === undefined && request === undefined) {
      const previous = run.iterate.value;
      const step = run.steps.next(answer);
      if (step.done) {
        if (step.value.status === 'converged' && isLevel(run.iterate.value, best.value)) keep(run.iterate);
        end = endOf(step.value, { value: best.value, gradientNorm: gradientNorm() });
      } else if (step.value.kind === 'iteration') {
        iterations++;
        evaluations += step.value.evaluations ?? 0;
        evaluationsOfState = evaluations;
        const norm = projectedGradientNorm(run.iterate, box);
        if (isPartial || (!solver.stochastic && isBetter(run.iterate, norm, step.value.comparable))) {
          keep(run.iterate, norm);
        }
        if (!isPartial) end = testGradient(norm, settings);
        if (end !== undefined) keepStationary(norm);
        if (step.value.comparable) {
          decreases.set([relativeDecrease(run.iterate.value, previous, settings.size), decreases[0]!]);
          end ??= testDecreases(decreases, settings, { value: run.iterate.value, gradientNorm: norm });
        }
        const declined = reportTo(settings, progress());
        end ??= declined ?? limitOf(iterations, settings, unit);
      } else {
        request = step.value;
      }
    }
    end ??= interruptionOf(evaluations, began, settings);
    yield progress(end === undefined && request?.kind === 'evaluate');
    // The caller may have stopped it during the wait.
    end ??= interruptionOf(evaluations, began, settings);
    if (request === undefined || end !== undefined) return solutionAt(end!);
    if (request.kind === 'evaluate') {
      answer = objective.evaluate(request.point, { iteration: evaluations });
      evaluations++;
      if (answer.value < best.value || (solver.stochastic && !Number.isNaN(answer.value))) {
        if (!isPartial) keep({ ...answer, x: request.point });
      }
    } else if (request.kind === 'curvature') {
      answer = { ...run.iterate, curvature: objective.curvature(run.iterate) };
    }
  }
}

/** Iterate of a state, with the indices of the variables in its evaluation, for mini-batches. */
function resumedIterate({ placesOf }: ScaledObjective, { iterate, evaluations }: SolverState): Iterate {
  const copy = copyIterate(iterate);
  return placesOf === undefined ? copy : { ...copy, places: placesOf(evaluations - 1) };
}

/** True if a value is no worse than the best, up to rounding. */
function isLevel(value: number, best: number): boolean {
  return value - best <= 1e-11 * Math.max(1, Math.abs(best));
}

function setIterate(target: Iterate, { x, value, gradient }: Readonly<Iterate>): void {
  target.x.set(x);
  target.gradient.set(gradient);
  target.value = value;
}
