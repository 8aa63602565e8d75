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

/** The run from one start that came to an end. */
export interface EndedRun {
  readonly start: { readonly number: number };
  readonly trace: readonly TraceEntry[];
  readonly solution: RunSolution;
}

/** A point and how it was found. */
interface Outcome extends Omit<FitState, 'diagnostics'> {
  /** The start that it came from. */
  readonly start: number;
  readonly point: Point;
  /** Evaluations from the other starts. */
  readonly elsewhere: number;
  /** Diagnostics of the start that it came from. */
  readonly diagnostics: Omit<FitDiagnostics, 'engine' | 'jitter' | 'seconds'>;
}

/**
 * The run of the greatest log density, the first of equals, and what there is to say of all of them.
 *
 * @param ended - at least one
 * @param count - number of starts there were to be
 * @param limits - of the solver's variables
 * @param stop - what may have ended the fit before all starts had their turn
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

/** The bounds of z = x / scale, in which the solver works. */
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

/** The ending of the search; absent for a solution in closed form. */
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
 * The outcome with the findings of its model: how far its optimality conditions are from being met, and whether it is an
 * optimum that means nothing, which is 'degenerate' then and not 'converged'.
 */
export function withFindings({ model, compute, valuesAt, findingsAt }: FitProblem, outcome: Outcome): Outcome {
  if (model.solve !== undefined) return outcome;
  const { x } = outcome.point;
  const findings = findingsAt(x);
  const kktResidual =
    findings === undefined ? compute(() => violationOf(model.posterior(valuesAt(x)))) : findings.kktResidual;
  const isDegenerate = findings?.isDegenerate === true && outcome.status === 'converged';
  return {
    ...outcome,
    ...(isDegenerate && { status: 'degenerate' }),
    message: findings === undefined ? outcome.message : `${outcome.message} ${findings.message}`,
    diagnostics: { ...outcome.diagnostics, ...(kktResidual !== undefined && { kktResidual }) },
  };
}

const violationOf = ({ kktResidual }: AnyPosterior) => kktResidual?.();

/** Further starts of a fit, beside the model's own. */
export interface Restarts {
  /** Number of further starts. */
  readonly count: number;
  /**
   * Where they begin, taken in turn: 'model', the model's own start (unless given); for models with latents 'pca', principal
   * components; 'isomap' and 'eigenmaps', the spectral embeddings by as many neighbors as connect all points, from 10; 'random',
   * standard normal latents. All but the last are scaled to unit variance a column, and those of PCA and spectral kind are taken as they
   * are the first time.
   */
  readonly inits?: readonly StartKind[];
  /** How far they are moved at random, in the units that `restarts` as a number moves by; default 1. */
  readonly width?: number;
  /** Iterations of each start before the best one goes on alone; all of them run to their end unless given. Not with batches. */
  readonly trialIterations?: number;
}

/** Origin of one start of a fit. */
export interface Origin {
  readonly init: StartKind;
  /** Width of the random move from there; 0 for none. */
  readonly width: number;
}

/** The origins of all starts, the model's own first. */
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

/** One start of a fit and what became of it so far. */
export interface Run {
  readonly start: Start;
  readonly trace: TraceEntry[];
  state: SolverState | undefined;
  solution: RunSolution | undefined;
}

/** The runs of a fit, which have not begun or go on from what was saved of them. */
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
