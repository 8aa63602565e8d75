import { OptimizationError } from '../../core/errors.ts';
import type { Embedding } from '../../model/computation.ts';
import type { TraceEntry } from '../../model/fit.ts';
import type { Solver } from '../../model/solver.ts';
import { solve, solveIn } from '../minimize/minimize.ts';
import { slices } from '../minimize/slices.ts';
import type { Progress, Solution, SolverState } from '../minimize/solution.ts';
import type { ComputedProgress } from './computedRun.ts';
import type { FitProblem } from './fitProblem.ts';
import type { Origin } from './restarts.ts';

/** One start of a fit as plain data that can be sent to a worker. */
export interface Start {
  /** Number of the start; 0 is the model's default. */
  readonly number: number;
  readonly origin: Origin;
  /** Initial point in the solver's variables. */
  readonly x: Float64Array;
  /** State of an earlier run from this start, to resume from. */
  readonly state?: SolverState;
}

/**
 * True if a start is still to be run. Once the fit is being stopped, this is true for the model's default start, so that there is a result, and for
 * starts with a saved state, which cost no evaluation.
 */
export function isStillToRun({ number, state }: Start, { aborted }: AbortSignal): boolean {
  return !aborted || number === 0 || state !== undefined;
}

/** Settings shared by the runs from all starts. */
export interface RunSettings {
  /** Solver; default the one that suits the problem. */
  readonly solver?: Solver | undefined;
  readonly relativeDecrease: number;
  readonly maxIterations?: number | undefined;
  readonly maxEvaluations?: number | undefined;
  readonly tolerance?: number | undefined;
  /** Seconds between saved states; default none. */
  readonly stateInterval?: number | undefined;
  /** Iterations after which a run pauses, to resume from its state; `maxIterations` limits the total. */
  readonly pauseAt?: number | undefined;
}

/** Point of the solver's variables, or the computed solution of a model without variables. */
export interface Point {
  readonly x: Float64Array;
  /** Embedding; undefined until there is one. A function computes it lazily; workers never send functions. */
  readonly embedding?: Embedding | (() => Embedding) | undefined;
}

/** Result of a run, with the embedding of a model without variables. */
export type RunSolution = Solution & { readonly embedding?: Embedding | undefined };

/** Stage of a computation and its completed fraction. */
export interface Stage {
  readonly name: string;
  /** Completed fraction, from 0 to 1. */
  readonly part: number;
}

/** Event of a run as plain data that can be sent by a worker. */
export type RunEvent =
  | { readonly kind: 'iteration'; readonly start: number; readonly entry: TraceEntry; readonly point: Point }
  | { readonly kind: 'stage'; readonly start: number; readonly entry: TraceEntry; readonly stage: Stage }
  | { readonly kind: 'state'; readonly start: number; readonly state: SolverState }
  | { readonly kind: 'end'; readonly start: number; readonly solution: RunSolution }
  /** The worker of this start was lost; the start begins again, with the same result. */
  | { readonly kind: 'again'; readonly start: number; readonly why: string };

/** Default limit of iterations. */
export const MOST_ITERATIONS = 1000;

/** Maximum number of halvings of the distance between a start with non-finite log density and the model's default start. */
const MOST_HALVINGS = 10;

/** Trace entry of an iteration. */
function traceEntry({
  iterations,
  evaluations,
  value,
  gradientNorm,
}: Pick<Progress, 'iterations' | 'evaluations' | 'value' | 'gradientNorm'>): TraceEntry {
  return { iteration: iterations, evaluations, objective: -value, gradientNorm };
}

/** Cost of reading the result of a search, in evaluations of the full log density or in steps of a computation. */
const READ_OFF = 2;

/** Maximum fraction of the iterations during which some variables are frozen. */
const HELD_PART = 0.2;

/**
 * Runs the search from one start, or the computation of a model that computes its solution, in slices on the float64 backend; the caller's code runs
 * outside the slices, while the generator pauses.
 *
 * @param signal - ends the run before its next evaluation; a string as its reason names who stopped it
 * @param reserve - called with the estimated milliseconds of the next evaluation and the end of the fit; it may abort the signal
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
  // Seconds of the last evaluation, and of the last step of another kind, such as a curvature or a search that evaluates internally.
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

/** Point of a search, copied on first access, which must happen before the run continues. */
const pointOf = (progress: Progress): Point => ({
  get x() {
    return progress.x;
  },
});

/** Iterator of a search or a computation after its first step. */
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
 * Evaluates the start. If the log density is not finite at a perturbed start, the start is repeatedly moved halfway to the model's default.
 *
 * @throws OptimizationError if it is not finite at the model's default start
 */
async function searchSteps(
  problem: FitProblem,
  { number, x, state }: Start,
  given: Solver | undefined,
  settings: RunSettings,
  signal: AbortSignal,
): Promise<Begun> {
  const { compute, objective, start: origin, limits, layout, inBatches, size } = problem;
  const { relativeDecrease, maxIterations, maxEvaluations, tolerance, pauseAt } = settings;
  const solver = await solverFor(
    given ?? (await (await import('./standardSolver.ts')).standardSolver(problem)),
    problem,
    settings,
  );
  if (!solver.bounded && limits !== undefined) {
    (await import('../../later.ts')).checkUnbounded(layout, limits, solver.name);
  }
  const most = pauseAt ?? maxIterations;
  const options = {
    ...{ signal, relativeDecrease, size, ...limits },
    ...(most !== undefined && { maxIterations: most }),
    ...(maxEvaluations !== undefined && { maxEvaluations }),
    ...(tolerance !== undefined && { tolerance }),
    ...(state !== undefined && { state }),
  };
  const batched = inBatches !== undefined && solver.takesPlaces === true ? inBatches : undefined;
  const batching = batched === undefined ? undefined : await import('../../later.ts');
  const driven = batching?.batchObjective(batched!, x.length);
  for (let halvings = 0; ; halvings++) {
    const from = halvings === 0 ? x : x.map((entry, i) => origin[i]! + (entry - origin[i]!) / 2 ** halvings);
    const run =
      driven === undefined
        ? solve(objective, from, solver, options)
        : solveIn(driven, from, solver, options, batching!.epochsOf(inBatches!, most ?? MOST_ITERATIONS));
    if (state === undefined) await inBatches?.ready?.(0);
    try {
      return { run, first: compute(() => run.next()) };
    } catch (error) {
      if (number === 0 || halvings === MOST_HALVINGS || !(error instanceof OptimizationError)) {
        throw (await import('../../later.ts')).startError(error, problem, from);
      }
    }
  }
}

/** Adapts the solver to the problem: wraps it for epochs, or to freeze some variables at first. Modules that few problems need are loaded on demand. */
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
