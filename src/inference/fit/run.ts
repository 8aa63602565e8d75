import { InvalidInputError, OptimizationError } from '../../core/errors.ts';
import { counted } from '../../core/wording.ts';
import type { Embedding } from '../../model/computation.ts';
import type { TraceEntry } from '../../model/fit.ts';
import { brokenTerms } from '../../model/objective.ts';
import type { Solver } from '../../model/solver.ts';
import { solve, solveIn } from '../minimize/minimize.ts';
import { slices } from '../minimize/slices.ts';
import type { Progress, Solution, SolverState } from '../minimize/solution.ts';
import type { ComputedProgress } from './computedRun.ts';
import type { BatchedObjective, FitProblem } from './fitProblem.ts';
import type { Origin } from './restarts.ts';

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

/** Settings of the runs from all starts. */
export interface RunSettings {
  /** The one that suits the problem, unless given. */
  readonly solver?: Solver | undefined;
  readonly relativeDecrease: number;
  readonly maxIterations?: number | undefined;
  readonly maxEvaluations?: number | undefined;
  readonly tolerance?: number | undefined;
  /** Seconds between two states; default none. */
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

/** Result of a run, with the embedding of a model without variables. */
export type RunSolution = Solution & { readonly embedding?: Embedding | undefined };

/** Stage of a computation and the part of it that is done. */
export interface Stage {
  readonly name: string;
  /** From 0 to 1. */
  readonly part: number;
}

/** Event of a run; plain data, which may come from a worker. */
export type RunEvent =
  | { readonly kind: 'iteration'; readonly start: number; readonly entry: TraceEntry; readonly point: Point }
  | { readonly kind: 'stage'; readonly start: number; readonly entry: TraceEntry; readonly stage: Stage }
  | { readonly kind: 'state'; readonly start: number; readonly state: SolverState }
  | { readonly kind: 'end'; readonly start: number; readonly solution: RunSolution }
  /** The worker that had it was lost; it begins anew, and what it comes to is the same. */
  | { readonly kind: 'again'; readonly start: number; readonly why: string };

/** Iterations where none are given. */
export const MOST_ITERATIONS = 1000;

/** Halvings of the way between a start where the log density is not finite and the model's own start. */
const MOST_HALVINGS = 10;

/** Entry of the trace at an iteration. */
function traceEntry({
  iterations,
  evaluations,
  value,
  gradientNorm,
}: Pick<Progress, 'iterations' | 'evaluations' | 'value' | 'gradientNorm'>): TraceEntry {
  return { iteration: iterations, evaluations, objective: -value, gradientNorm };
}

/** @throws InvalidInputError that names the parameter whose bounds a solver cannot keep to */
function checkUnbounded({ variables }: FitProblem['layout'], limits: FitProblem['limits'], solver: string): void {
  for (const { path, start, size } of variables) {
    for (let i = start; limits !== undefined && start >= 0 && i < start + size; i++) {
      const [lower, upper] = [limits.bounds.lower[i]!, limits.bounds.upper[i]!];
      if (lower === Number.NEGATIVE_INFINITY && upper === Number.POSITIVE_INFINITY) continue;
      throw new InvalidInputError(
        `${solver} cannot keep to bounds, but '${path}' is bounded to [${lower}, ${upper}]. Use lbfgsb(), or leave the solver out.`,
      );
    }
  }
}

/** Cost of reading the result off a search that evaluates by itself, in evaluations of the whole log density, or in steps of a computation. */
const READ_OFF = 2;

/** At most this part of the iterations leaves some variables where they are. */
const HELD_PART = 0.2;

/**
 * Runs the search from one start, or the computation of a model that computes its solution, in slices on the float64 backend; everything of the
 * caller's happens outside of it, while the generator pauses.
 *
 * @param signal - ends the run before its next evaluation; a reason that is a string says who stopped it
 * @param reserve - called with the milliseconds that the next evaluation and the end of the fit will take, as far as that is known; it may set the signal off
 */
export async function* runFrom(
  problem: FitProblem,
  start: Start,
  { solver: given, stateInterval = Number.POSITIVE_INFINITY, ...settings }: RunSettings,
  signal: AbortSignal,
  reserve?: (milliseconds: number) => void,
): AsyncGenerator<RunEvent, void, void> {
  const { model, inBatches, compute } = problem;
  const { number, state } = start;
  const isComputed = model.solve !== undefined;
  if (!isComputed && start.x.length === 0) {
    const { onlyPoint } = await import('../../later.ts');
    const solution = onlyPoint(problem, given ?? (await (await import('./standardSolver.ts')).standardSolver(problem)));
    const entry = { iteration: 0, evaluations: 1, objective: -solution.value, gradientNorm: 0 };
    yield { kind: 'iteration', start: number, entry, point: { x: solution.x } };
    yield { kind: 'end', start: number, solution };
    return;
  }
  // An evaluation costs what the last one did; the density at the end of a fit takes about half of that, and up to three quarters for each batch.
  const evaluationsAtEnd = inBatches === undefined ? 1 / 2 : (3 / 4) * inBatches.perEpoch;
  let began = performance.now();
  const { run, first } = isComputed
    ? await computedSteps(problem, state, settings, signal)
    : await searchSteps(problem, start, given, settings, signal);
  // Seconds of the last evaluation, and of the last step of another kind, such as a curvature or a part of a search that evaluates by itself.
  let evaluation = performance.now() - began;
  let other = 0;
  let step = first;
  let iteration = isComputed ? (state?.iterations ?? 0) : -1;
  const begun = iteration;
  let stage: string | undefined;
  const slice = slices();
  let saved = Number.NEGATIVE_INFINITY;
  try {
    while (!step.done) {
      const progress: ComputedProgress = step.value;
      if (progress.stage !== undefined) {
        if (progress.stage.name !== stage || slice.isOver()) {
          stage = progress.stage.name;
          yield { kind: 'stage', start: number, entry: traceEntry(progress), stage: progress.stage };
        }
      } else if (progress.iterations !== iteration) {
        iteration = progress.iterations;
        const { embedding } = progress;
        const point = isComputed ? { x: progress.x, embedding } : pointOf(progress);
        yield { kind: 'iteration', start: number, entry: traceEntry(progress), point };
      }
      if (performance.now() - saved >= 1000 * stateInterval) {
        yield { kind: 'state', start: number, state: progress.state };
        saved = performance.now();
      }
      if (slice.isOver()) {
        await slice.leave();
        await problem.threads.join();
      }
      if (progress.isEvaluated) {
        // The first batch includes compilation and set-up, so its time does not predict the next ones.
        if (inBatches === undefined || progress.evaluations > 1) reserve?.((1 + evaluationsAtEnd) * evaluation);
        await inBatches?.ready?.(progress.evaluations);
      } else if (inBatches === undefined && progress.evaluations > 0) {
        reserve?.(other + READ_OFF * (isComputed ? other : evaluation));
      }
      began = performance.now();
      step = compute(() => run.next());
      const taken = performance.now() - began;
      if (progress.isEvaluated) evaluation = taken;
      else other = taken;
    }
  } finally {
    run.return(undefined as never);
  }
  const solution = step.value;
  // A solution in closed form is an iteration too.
  if (solution.embedding !== undefined && iteration === begun) {
    const { embedding, iterations, evaluations, value } = solution;
    const gradientNorm = embedding.optimality?.gradientNorm ?? 0;
    const entry = traceEntry({ iterations, evaluations, value, gradientNorm });
    yield { kind: 'iteration', start: number, entry, point: { x: solution.x, embedding } };
  }
  yield { kind: 'end', start: number, solution };
}

/** The point of a search, copied when it is read, which can be done until the run goes on. */
const pointOf = (progress: Progress): Point => ({
  get x() {
    return progress.x;
  },
});

/** The steps of a search or a computation, of which the first was taken. */
interface Begun {
  readonly run: Generator<ComputedProgress, RunSolution, void>;
  readonly first: IteratorResult<ComputedProgress, RunSolution>;
}

async function computedSteps(
  problem: FitProblem,
  state: SolverState | undefined,
  settings: RunSettings,
  signal: AbortSignal,
): Promise<Begun> {
  // Loaded by a model that needs it: most have terms to evaluate.
  const { computation } = await import('../../later.ts');
  const run = computation(problem, state, settings, signal);
  return { run, first: problem.compute(() => run.next()) };
}

/**
 * Evaluates the start. A perturbed one where the log density is not finite is moved halfway to the model's own, until it is.
 *
 * @throws OptimizationError when it is not finite at the model's own
 */
async function searchSteps(
  problem: FitProblem,
  { number, x, state }: Start,
  given: Solver | undefined,
  settings: RunSettings,
  signal: AbortSignal,
): Promise<Begun> {
  const { compute, objective, start: origin, limits, layout, inBatches } = problem;
  const { relativeDecrease, maxIterations, maxEvaluations, tolerance, pauseAt } = settings;
  const solver = await solverFor(
    given ?? (await (await import('./standardSolver.ts')).standardSolver(problem)),
    problem,
    settings,
  );
  if (!solver.bounded) checkUnbounded(layout, limits, solver.name);
  const most = pauseAt ?? maxIterations;
  const options = {
    ...{ signal, relativeDecrease, ...limits },
    ...(most !== undefined && { maxIterations: most }),
    ...(maxEvaluations !== undefined && { maxEvaluations }),
    ...(tolerance !== undefined && { tolerance }),
    ...(state !== undefined && { state }),
  };
  const batched = inBatches !== undefined && solver.takesPlaces === true ? inBatches : undefined;
  const driven = batched === undefined ? undefined : (await import('../../later.ts')).batchObjective(batched, x.length);
  for (let halvings = 0; ; halvings++) {
    const from = halvings === 0 ? x : x.map((entry, i) => origin[i]! + (entry - origin[i]!) / 2 ** halvings);
    const run =
      driven === undefined
        ? solve(objective, from, solver, options)
        : solveIn(driven, from, solver, options, epochsOf(inBatches!, most));
    if (state === undefined) await inBatches?.ready?.(0);
    try {
      return { run, first: compute(() => run.next()) };
    } catch (error) {
      if (number === 0 || halvings === MOST_HALVINGS || !(error instanceof OptimizationError)) {
        throw startError(error, problem, from);
      }
    }
  }
}

/** The error at a start, naming the terms of the log density that are not finite there. */
function startError(error: unknown, { densityAt, inBatches }: FitProblem, x: Float64Array): unknown {
  if (!(error instanceof OptimizationError) || inBatches !== undefined) return error;
  try {
    const { value, terms } = densityAt(x);
    if (Number.isFinite(value)) return error;
    return new OptimizationError(
      `The objective is not finite at the start: ${brokenTerms(terms)}. Start from a point where it is.`,
      { cause: error },
    );
  } catch {
    // The density cannot be evaluated there, which the error says.
    return error;
  }
}

/** The limit as `maxEpochs` counts it, which the iterations were made of unless they were given. */
function epochsOf({ perEpoch }: BatchedObjective, maxIterations = MOST_ITERATIONS): string | undefined {
  const epochs = maxIterations / perEpoch;
  return Number.isInteger(epochs) ? counted(epochs, 'epoch') : undefined;
}

/** The solver as the problem needs it: one that sees epochs, or holds some variables at first. What few problems need is loaded by those. */
async function solverFor(
  solver: Solver,
  { held, inBatches }: Pick<FitProblem, 'held' | 'inBatches'>,
  { maxIterations = MOST_ITERATIONS }: RunSettings,
): Promise<Solver> {
  if (inBatches !== undefined) {
    const { epochwise } = await import('../../later.ts');
    return epochwise(solver, inBatches.perEpoch);
  }
  if (held === undefined || solver.stochastic) return solver;
  const { withFrozenVariables } = await import('../../later.ts');
  return withFrozenVariables(solver, {
    ...held,
    iterations: Math.min(held.iterations, Math.floor(HELD_PART * maxIterations)),
  });
}
