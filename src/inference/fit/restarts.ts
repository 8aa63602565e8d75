import { quotients } from '../../engine/vectors.ts';
import type { FitDiagnostics, TraceEntry } from '../../model/fit.ts';
import type { StartKind } from '../../model/model.ts';
import type { AnyPosterior } from '../../model/posterior.ts';
import type { Box } from '../../model/solver.ts';
import type { Resumed } from '../checkpoint/checkpoint.ts';
import { projectedGradientNorm } from '../minimize/scaledObjective.ts';
import { type SolverState, type Stopping, stoppedBy } from '../minimize/solution.ts';
import type { FitState } from './createFit.ts';
import type { FitSettings } from './fitOptions.ts';
import type { FitProblem } from './fitProblem.ts';
import type { Point, RunSolution, Start } from './run.ts';

/** Completed run from one start. */
export interface EndedRun {
  readonly start: { readonly number: number };
  readonly trace: readonly TraceEntry[];
  readonly solution: RunSolution;
}

/** Point and its provenance. */
interface Outcome extends Omit<FitState, 'diagnostics'> {
  /** Start that led to it. */
  readonly start: number;
  readonly point: Point;
  /** Evaluations from other starts. */
  readonly elsewhere: number;
  /** Diagnostics of its start. */
  readonly diagnostics: Omit<FitDiagnostics, 'engine' | 'jitter' | 'seconds'>;
}

/**
 * Run with the greatest log density (the first if tied), with diagnostics of all runs.
 *
 * @param ended - at least one
 * @param count - planned number of starts
 * @param limits - limits of the solver's variables
 * @param stop - signal that may have ended the fit before all starts ran
 */
export function bestSolution(
  ended: readonly EndedRun[],
  count: number,
  limits: FitProblem['limits'],
  stop: Pick<Stopping, 'signal' | 'isExpired'>,
): Outcome {
  const best = ended.reduce((kept, run) => (run.solution.value < kept.solution.value ? run : kept));
  const { x, embedding, iterations, evaluations, state } = best.solution;
  return {
    start: best.start.number,
    point: { x, embedding },
    elsewhere: ended.reduce((sum, { solution }) => sum + solution.evaluations, 0) - evaluations,
    trace: best.trace,
    ...statusOf(ended, best, count, stop.signal),
    diagnostics: {
      evaluations,
      iterations,
      ...endingOf(best.solution, stop),
      gradientNorm: projectedGradientNorm(state.best, boxOf(limits, x.length)),
      ...(count === 1 ? {} : { restarts: ended.map(({ solution }) => -solution.value) }),
    },
  };
}

/** Bounds of z = x / scale, the variables of the solver. */
export function boxOf(limits: FitProblem['limits'], size: number): Box {
  if (limits === undefined) {
    return {
      lower: new Float64Array(size).fill(Number.NEGATIVE_INFINITY),
      upper: new Float64Array(size).fill(Number.POSITIVE_INFINITY),
    };
  }
  const { bounds, scale } = limits;
  return { lower: quotients(bounds.lower, scale), upper: quotients(bounds.upper, scale) };
}

/** Reason that the search ended; absent for a closed-form solution. */
function endingOf(
  { ending, criterion, embedding }: RunSolution,
  { isExpired }: Pick<Stopping, 'isExpired'>,
): Pick<FitDiagnostics, 'ending' | 'criterion'> {
  if (ending === 'optimality' && embedding !== undefined && embedding.optimality === undefined) return {};
  return {
    ending: ending === 'stopped' && isExpired ? 'maxSeconds' : ending,
    ...(criterion !== undefined && { criterion }),
  };
}

function statusOf(
  ended: readonly EndedRun[],
  best: EndedRun,
  count: number,
  signal: AbortSignal,
): Pick<Outcome, 'status' | 'message'> {
  const { status, message } = best.solution;
  if (count === 1) return { status, message };
  const from = `start ${best.start.number}`;
  const finished = ended.filter(({ solution }) => solution.status !== 'stopped').length;
  if (finished === count) return { status, message: `${message} It came from ${from}, the best of ${count}.` };
  return {
    status: 'stopped',
    message: `Stopped by ${stoppedBy(signal)} after ${finished} of ${count} starts. The best so far is ${from}: ${message}`,
  };
}

/**
 * Adds the model's findings to an outcome: the residual of its optimality conditions, and whether the optimum is degenerate; the status is then
 * 'degenerate' instead of 'converged'.
 */
export async function withFindings(
  { model, seed, compute, inBatches, valuesAt, findingsAt }: FitProblem,
  outcome: Outcome,
): Promise<Outcome> {
  if (model.solve !== undefined) return outcome;
  const { x } = outcome.point;
  const values = valuesAt(x);
  const isSearched = inBatches === undefined && outcome.status !== 'stopped';
  const found = isSearched ? await model.findings?.(values, seed) : undefined;
  const ofModel = found && compute(found);
  const own = findingsAt(x);
  const findings = own ?? ofModel;
  const kktResidual = own === undefined ? compute(() => violationOf(model.posterior(values))) : own.kktResidual;
  const isDegenerate = findings?.isDegenerate === true && outcome.status === 'converged';
  return {
    ...outcome,
    ...(isDegenerate && { status: 'degenerate' }),
    message: findings === undefined ? outcome.message : `${outcome.message} ${findings.message}`,
    diagnostics: { ...outcome.diagnostics, ...(kktResidual !== undefined && { kktResidual }) },
  };
}

const violationOf = ({ kktResidual }: AnyPosterior) => kktResidual?.();

/** Starts of a fit in addition to the model's default. */
export interface Restarts {
  /** Number of additional starts. */
  readonly count: number;
  /**
   * Initializations, used in turn: 'model', the model's default start (default); for models with latents also 'pca', principal components; 'isomap'
   * and 'eigenmaps', spectral embeddings with at least 10 neighbors, increased until all points are connected; 'random', standard normal latents. All
   * except 'random' are scaled to unit variance per column, and PCA and spectral starts are used unperturbed the first time.
   */
  readonly inits?: readonly StartKind[];
  /** Width of the random perturbation, relative to the perturbations of numeric `restarts`; default 1. */
  readonly width?: number;
  /** Iterations of each start before only the best one continues; by default all starts run to their end. Not available with batches. */
  readonly trialIterations?: number;
}

/** Origin of one start of a fit. */
export interface Origin {
  readonly init: StartKind;
  /** Width of the random perturbation; 0 for none. */
  readonly width: number;
}

/** Origins of all starts, the model's default first. */
export function originsOf(restarts: number | Restarts): Origin[] {
  const { count, inits = ['model'], width = 1 } = typeof restarts === 'number' ? { count: restarts } : restarts;
  const origins: Origin[] = [{ init: 'model', width: 0 }];
  for (let k = 0; k < count; k++) {
    const init = inits[k % inits.length]!;
    const isAsItIs = init !== 'model' && init !== 'random' && k < inits.length && inits.indexOf(init) === k;
    origins.push({ init, width: isAsItIs ? 0 : width });
  }
  return origins;
}

/** One start of a fit and its current result. */
export interface Run {
  readonly start: Start;
  readonly trace: TraceEntry[];
  state: SolverState | undefined;
  solution: RunSolution | undefined;
}

/** Runs of a fit, either not yet begun or resumed from a saved state. */
export async function runsOf(
  problem: FitProblem,
  settings: FitSettings,
  seed: number,
  resumed: Resumed | undefined,
): Promise<Run[]> {
  const origins = resumed?.origins ?? settings.origins ?? originsOf(0);
  const states = origins.map((_, number) => resumed?.stateOf(number, problem));
  const own = origins.length === 1 && resumed === undefined ? [problem.start.slice()] : undefined;
  const starts =
    own ?? (await (await import('../../later.ts')).startsFrom(problem, origins, seed, (k) => states[k] !== undefined));
  return starts.map((x, number) => {
    const state = states[number];
    return {
      start: { number, origin: origins[number]!, x, ...(state === undefined ? {} : { state }) },
      trace: [...(resumed?.checkpoint.starts[number]?.trace ?? [])],
      state,
      solution: undefined,
    };
  });
}
