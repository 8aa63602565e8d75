import { OptimizationError } from '../../core/errors.ts';
import type { Embedding } from '../../model/computation.ts';
import type { TraceEntry } from '../../model/fit.ts';
import type { Solver } from '../../model/solver.ts';
import { solve } from '../minimize/minimize.ts';
import { evaluateStart, type ScaledObjective, scaledObjective } from '../minimize/scaledObjective.ts';
import { slices } from '../minimize/slices.ts';
import { copyIterate, type Progress, type Solution, type SolverState } from '../minimize/solution.ts';
import type { FitProblem } from './fitProblem.ts';
import type { Origin } from './restarts.ts';
import { checkUnbounded, MOST_HALVINGS, MOST_ITERATIONS, traceEntry } from './runLimits.ts';

/** One of the starts of a fit; plain data, which may go to a worker. */
export interface Start {
  /** 0 is the model's own. */
  readonly number: number;
  readonly origin: Origin;
  /** In the solver's variables. */
  readonly x: Float64Array;
  /** Where an earlier run from this start was, to go on from there. */
  readonly state?: SolverState;
}

/**
 * Whether a start is still to be run. Once the fit is being stopped, only the model's own, so that there is a result, and those that go on
 * from a state: what they had come to costs no evaluation.
 */
export function isStillToRun({ number, state }: Start, { aborted }: AbortSignal): boolean {
  return !aborted || number === 0 || state !== undefined;
}

/** What holds for the runs from all starts. */
export interface RunSettings {
  /** The one that suits the problem, unless given. */
  readonly solver?: Solver | undefined;
  readonly relativeDecrease: number;
  readonly maxIterations?: number | undefined;
  readonly maxEvaluations?: number | undefined;
  readonly tolerance?: number | undefined;
  /** Seconds between two states; none unless given. */
  readonly stateInterval?: number | undefined;
  /** Iterations after which a run pauses, to go on from its state: `maxIterations` is how long it runs then in all. */
  readonly pauseAt?: number | undefined;
}

/** A point of the solver's variables, or what was computed where a model has none. */
export interface Point {
  readonly x: Float64Array;
  /** None before there is one. A function is one that was not asked for yet; it never comes from a worker. */
  readonly embedding?: Embedding | (() => Embedding) | undefined;
}

/** How a run ended, and what was computed for a model without variables. */
export type RunSolution = Solution & { readonly embedding?: Embedding | undefined };

/** What a model that is computed is in the middle of, and the part of it that is done. */
export interface Stage {
  readonly name: string;
  /** From 0 to 1. */
  readonly part: number;
}

/** What happens on the way; plain data, which may come from a worker. */
export type RunEvent =
  | { readonly kind: 'iteration'; readonly start: number; readonly entry: TraceEntry; readonly point: Point }
  | { readonly kind: 'stage'; readonly start: number; readonly entry: TraceEntry; readonly stage: Stage }
  | { readonly kind: 'state'; readonly start: number; readonly state: SolverState }
  | { readonly kind: 'end'; readonly start: number; readonly solution: RunSolution }
  /** The worker that had it was lost; it begins anew, and what it comes to is the same. */
  | { readonly kind: 'again'; readonly start: number; readonly why: string };

/** At most this part of the iterations leaves some variables where they are. */
const HELD_PART = 0.2;

/**
 * Runs the solver from one start, in slices on the float64 backend; everything of the caller's happens outside of it,
 * while the generator pauses.
 *
 * @param signal - ends the run before its next evaluation; a reason that is a string says who stopped it
 */
export async function* runFrom(
  problem: FitProblem,
  start: Start,
  { solver: given, stateInterval = Number.POSITIVE_INFINITY, ...settings }: RunSettings,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, void, void> {
  if (problem.model.solve !== undefined) {
    // Loaded by a model that needs it: most have terms to evaluate.
    const { computedFrom } = await import('./computedRun.ts');
    yield* computedFrom(problem, start, { stateInterval, ...settings }, signal);
    return;
  }
  const solver = given ?? (await standardSolver(problem));
  if (start.x.length === 0) {
    const solution = onlyPoint(problem, solver);
    const entry = { iteration: 0, evaluations: 1, objective: -solution.value, gradientNorm: 0 };
    yield { kind: 'iteration', start: start.number, entry, point: { x: solution.x } };
    yield { kind: 'end', start: start.number, solution };
    return;
  }
  if (problem.inBatches !== undefined && solver.takesPlaces === true) {
    const { batchedFrom } = await import('./batchedRun.ts');
    yield* batchedFrom(problem, problem.inBatches, start, { solver, stateInterval, ...settings }, signal);
    return;
  }
  const { run, first } = begin(problem, start, await solverFor(solver, problem, settings), settings, signal);
  let step = first;
  let iteration = -1;
  const slice = slices();
  let saved = Number.NEGATIVE_INFINITY;
  while (!step.done) {
    const progress = step.value;
    if (progress.iterations !== iteration) {
      iteration = progress.iterations;
      yield { kind: 'iteration', start: start.number, entry: traceEntry(progress), point: { x: progress.x } };
    }
    if (performance.now() - saved >= 1000 * stateInterval) {
      yield { kind: 'state', start: start.number, state: progress.state };
      saved = performance.now();
    }
    if (slice.isOver()) {
      await slice.leave();
      await problem.threads.join();
    }
    step = problem.compute(() => run.next());
  }
  yield { kind: 'end', start: start.number, solution: step.value };
}

/** Steps of adam in the first epoch, and the epochs after which they have halved. */
const STEP = 0.05;
const HALVING = 20;

/**
 * The model's own solver, or the usual one: one for noisy gradients of batches, or one that keeps to the model's bounds. It is loaded when it is
 * needed.
 */
export async function standardSolver({ model, limits, inBatches }: FitProblem): Promise<Solver> {
  if (inBatches !== undefined) {
    const { adam } = await import('../solvers/adam.ts');
    const learningRate = (iteration: number) => STEP / (1 + iteration / (HALVING * inBatches.perEpoch));
    return Object.freeze({ ...adam({ learningRate }), stochastic: true });
  }
  const solver = model.search?.solver;
  if (solver !== undefined) return typeof solver === 'function' ? solver() : solver;
  if (limits === undefined) return (await import('../solvers/lbfgs.ts')).lbfgs();
  return (await import('../solvers/lbfgsb.ts')).lbfgsb();
}

/**
 * Evaluates the start. A perturbed one where the log density is not finite is moved halfway to the model's own, until it is.
 *
 * @throws OptimizationError when it is not finite at the model's own
 */
function begin(
  { compute, objective, start: origin, limits, layout }: FitProblem,
  { number, x, state }: Start,
  solver: Solver,
  { relativeDecrease, maxIterations, maxEvaluations, tolerance, pauseAt }: RunSettings,
  signal: AbortSignal,
): { run: Generator<Progress, Solution, void>; first: IteratorResult<Progress, Solution> } {
  if (!solver.bounded) checkUnbounded(layout, limits, solver.name);
  for (let halvings = 0; ; halvings++) {
    const nearer = x.map((entry, i) => origin[i]! + (entry - origin[i]!) / 2 ** halvings);
    const run = solve(objective, halvings === 0 ? x : nearer, solver, {
      signal,
      relativeDecrease,
      ...limits,
      ...((pauseAt ?? maxIterations) === undefined ? {} : { maxIterations: pauseAt ?? maxIterations! }),
      ...(maxEvaluations === undefined ? {} : { maxEvaluations }),
      ...(tolerance === undefined ? {} : { tolerance }),
      ...(state === undefined ? {} : { state }),
    });
    try {
      return { run, first: compute(() => run.next()) };
    } catch (error) {
      if (number === 0 || halvings === MOST_HALVINGS || !(error instanceof OptimizationError)) throw error;
    }
  }
}

/** The solver as the problem needs it: one that sees epochs, or holds some variables at first. What few problems need is loaded by those. */
async function solverFor(
  solver: Solver,
  { held, inBatches }: Pick<FitProblem, 'held' | 'inBatches'>,
  { maxIterations = MOST_ITERATIONS }: RunSettings,
): Promise<Solver> {
  if (inBatches !== undefined) {
    const { epochwise } = await import('../solvers/epochwise.ts');
    return epochwise(solver, inBatches.perEpoch);
  }
  if (held === undefined || solver.stochastic) return solver;
  const { holding } = await import('../solvers/frozenVariables.ts');
  return holding(solver, { ...held, iterations: Math.min(held.iterations, Math.floor(HELD_PART * maxIterations)) });
}

/**
 * The solution of a problem without variables: there is one point, and nothing to search.
 *
 * @param solver - whose state it is
 * @throws OptimizationError when the log density is not finite there
 */
function onlyPoint({ compute, objective }: FitProblem, solver: Solver): Solution {
  const none = new Float64Array(0);
  const scaled: ScaledObjective = scaledObjective(objective, none, { lower: none, upper: none });
  const point = compute(() => evaluateStart(scaled, none));
  return {
    ...copyIterate(point),
    status: 'converged',
    message: 'Every parameter of the model is held, so there is nothing to fit. This is the model at those values.',
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
