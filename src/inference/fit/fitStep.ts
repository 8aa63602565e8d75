import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import type { EngineReport } from '../../engine/dense/index.ts';
import type { Embedding } from '../../model/computation.ts';
import { valuesOfEmbedding } from '../../model/computedModel.ts';
import type { Fit, FitDiagnostics, FitOutcome, FitStatus, TraceEntry } from '../../model/fit.ts';
import { outsideSupport } from '../../model/parameter.ts';
import type { Gathered } from './batches.ts';
import { createFit, NO_LATENTS, unsolvedFit } from './createFit.ts';
import type { FitProblem } from './fitProblem.ts';
import type { Point, RunEvent, Stage } from './run.ts';

/** Where a fit stands after an iteration; what costs something is computed when it is asked for. */
export interface FitStep<F = Fit> extends TraceEntry {
  /** The start that it belongs to: 0 is the model's own, the others are those of `restarts`. */
  readonly start: number;
  /** Number of passes through all rows, of a fit in batches. */
  readonly epoch?: number;
  /** Current stage of a model that computes its solution, where the step is not that of an iteration. */
  readonly stage?: Stage;
  /** N×q, at the best point of this start so far; without rows as long as a computation has come to none. */
  readonly latents: Matrix;
  /** The fit at that point, with predictions and all; `structuredClone` leaves it out, and takes the rest. */
  result(): F;
}

/** Course of a fit up to a point. */
export interface FitState {
  readonly trace: readonly TraceEntry[];
  readonly status: FitStatus;
  readonly message: string;
  readonly diagnostics: Omit<
    FitDiagnostics,
    keyof EngineReport | 'threads' | 'threadsReason' | 'seed' | 'batchSize' | 'jitter' | 'covarianceRank'
  >;
}

/** The fit at a point of the solver's variables, or of what was computed. */
export function fitFrom(
  problem: FitProblem,
  point: Point,
  { diagnostics, ...course }: FitState,
  gathered?: Gathered,
): Fit {
  if (problem.gather !== undefined && gathered === undefined) throw isOnItsWay('result');
  const { engine, chosenEngine, threads } = problem;
  const model = gathered?.model ?? problem.model;
  const found = foundAt(problem, point, gathered, course.status);
  const { values, objective, terms, jitter, drowned, rank, note, optimality } = found;
  const outcome = {
    ...{ values, objective, terms },
    ...course,
    message: course.message + note,
    diagnostics: {
      ...chosenEngine,
      ...threads.diagnostics(),
      seed: problem.seed,
      ...(problem.inBatches !== undefined && { batchSize: problem.inBatches.size }),
      jitter,
      ...(rank !== undefined && { covarianceRank: rank }),
      ...diagnostics,
      ...optimality,
    },
  };
  if (model.solve !== undefined && point.embedding === undefined) return unsolvedFit(model.name, outcome);
  if (point.embedding !== undefined) return createFit(model, outcome, engine);
  return createFit(model, notDrowned(drowned, withinSupports(problem, outcome)), engine);
}

/** An optimum at which jitter is more than the observations has failed: it is the jitter that explains them. */
function notDrowned(meanSquare: number | undefined, outcome: FitOutcome): FitOutcome {
  if (meanSquare === undefined || outcome.status !== 'converged') return outcome;
  const message =
    `Failed: the covariance has a factor only once ${outcome.diagnostics.jitter.toPrecision(3)} is added to its diagonal, more than the mean square of the observations, ` +
    `${meanSquare.toPrecision(3)}. Divide the observations by their size, or start variances and noise near their mean square. ${outcome.message}`;
  return { ...outcome, status: 'failed', message };
}

/** An outcome in which a transform has rounded a value to the border of its support, such as a variance to 0, has failed. */
function withinSupports({ layout }: FitProblem, outcome: FitOutcome): FitOutcome {
  if (outcome.status === 'failed') return outcome;
  for (const { path, parameter } of layout.variables) {
    const wrong = outsideSupport(parameter, outcome.values[path]!);
    if (wrong === undefined) continue;
    const came = wrong.entry === undefined ? '' : `, but the search came to ${wrong.entry}`;
    const message =
      `Failed: '${path}'${wrong.place} must be ${wrong.range}${came}. ` +
      `Divide the observations by their size, or hold the parameter with fixed(…). ${outcome.message}`;
    return { ...outcome, status: 'failed', message };
  }
  return outcome;
}

function foundAt(
  problem: FitProblem,
  { x, embedding: given }: Point,
  gathered: Gathered | undefined,
  status: FitStatus,
) {
  if (given === undefined) {
    const { value: objective, terms, jitter, drowned, rank } = gathered ?? problem.densityAt(x);
    const note = vanishing(problem, x, status);
    return { values: problem.valuesAt(x), objective, terms, jitter, drowned, rank, note, optimality: undefined };
  }
  const embedding = embeddingAt(problem, given);
  const { objective, terms } = embedding;
  const { kktResidual, gradientNorm } = embedding.optimality ?? {};
  return {
    values: valuesOfEmbedding(embedding),
    ...{ objective, terms, jitter: 0, drowned: undefined, rank: undefined, note: '' },
    ...(gradientNorm !== undefined && { optimality: { gradientNorm, kktResidual: kktResidual! } }),
  };
}

const embeddingAt = ({ compute }: FitProblem, given: NonNullable<Point['embedding']>): Embedding =>
  typeof given === 'function' ? compute(given) : given;

/** A positive parameter that has fallen by this factor since the start is on its way to 0. */
const VANISHED = 1e-8;

/** A covariance whose variance is 0 is not there. */
const VARIANCE_OF_KERNEL = /(^|\.)kernel\.(.*\.)?variance$/;

/**
 * Says which positive parameters vanish: a density without a bound there is why a fit goes on and on, or fails. A fit that converges may have switched
 * off a covariance that it did not need.
 */
function vanishing({ layout, start }: FitProblem, x: Float64Array, status: FitStatus): string {
  const paths = layout.variables.flatMap(({ path, parameter, start: at, width, transform }) => {
    if (at < 0 || parameter.support !== 'positive') return [];
    if (status === 'converged' && VARIANCE_OF_KERNEL.test(path)) return [];
    const now = transform.toNatural(x.subarray(at, at + width));
    const first = transform.toNatural(start.subarray(at, at + width));
    return now.some((value, i) => value < VANISHED * first[i]!) ? [`'${path}'`] : [];
  });
  if (paths.length === 0) return '';
  return (
    ` ${paths.join(' and ')} went to 0, where the density may have no bound. ` +
    'Repeated or noise-free observations do this to the noise. Hold it with fixed(…), or give it a prior.'
  );
}

/**
 * A step at a point of the solver's variables, or of what was computed.
 *
 * @param point - kept
 * @param trace - of its start up to this entry; may grow later
 */
export function fitStep(
  problem: FitProblem,
  start: number,
  entry: TraceEntry,
  point: Point,
  trace: readonly TraceEntry[],
  seconds: number,
): FitStep {
  const { length } = trace;
  let latents: Matrix | undefined;
  const step = {
    ...entry,
    start,
    ...(problem.inBatches !== undefined && { epoch: entry.iteration / problem.inBatches.perEpoch }),
    get latents() {
      latents ??= latentsAt(problem, point);
      return latents;
    },
  };
  const value = () =>
    fitFrom(problem, point, {
      trace: trace.slice(0, length),
      ...endingAt(entry, point),
      diagnostics: {
        evaluations: entry.evaluations,
        iterations: entry.iteration,
        seconds,
        gradientNorm: entry.gradientNorm,
      },
    });
  return Object.defineProperty(step, 'result', { value }) as FitStep;
}

/** A solution in closed form is the end; any other step is on the way. */
function endingAt({ iteration }: TraceEntry, { embedding }: Point): Pick<FitState, 'status' | 'message'> {
  return typeof embedding === 'object'
    ? { status: embedding.optimality?.converged === false ? 'failed' : 'converged', message: embedding.message }
    : { status: 'stopped', message: `Taken from a fit on its way, after iteration ${iteration}.` };
}

function isOnItsWay(what: string): InvalidInputError {
  return new InvalidInputError(
    `The ${what} of a fit whose observations are read some rows at a time takes a pass through all of them, and is there at its end only.`,
  );
}

function latentsAt(problem: FitProblem, { x, embedding }: Point): Matrix {
  if (problem.gather !== undefined) throw isOnItsWay('latents');
  if (embedding !== undefined) return embeddingAt(problem, embedding).latents;
  const { model, compute, valuesAt } = problem;
  return model.solve === undefined ? compute(() => model.posterior(valuesAt(x)).latents) : NO_LATENTS;
}

/** A step in the middle of a computation. */
export function stageStep(
  problem: FitProblem,
  { start, entry, stage }: Extract<RunEvent, { kind: 'stage' }>,
  trace: readonly TraceEntry[],
  seconds: number,
): FitStep {
  const nowhere = { x: new Float64Array(0) };
  // Not spread: that would ask for the latents.
  return Object.assign(fitStep(problem, start, entry, nowhere, trace, seconds), { stage });
}
