import { OptimizationError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { AnyAbilities } from '../../model/abilities.ts';
import type { Embedding } from '../../model/computation.ts';
import { valuesOfEmbedding } from '../../model/computedModel.ts';
import type { Fit, FitOutcome, TraceEntry } from '../../model/fit.ts';
import { createFit, type FitState, type FitStep, fitFrom, isOnItsWay, outcomeFrom } from './createFit.ts';
import type { FitProblem } from './fitProblem.ts';
import type { Point, RunEvent } from './run.ts';

/** Builds the fit of a model that computes its solution, also if it was stopped before there was one. */
export function computedFit(problem: FitProblem, { x, embedding: given }: Point, course: FitState): Fit {
  const { model, engine } = problem;
  if (given === undefined) {
    const { value: objective, terms } = problem.densityAt(x, true);
    const found = { values: problem.valuesAt(x), objective, terms, jitter: 0, approximations: [], note: '' };
    return unsolvedFit(model.name, outcomeFrom(problem, found, course));
  }
  const embedding = embeddingAt(problem, given);
  const { objective, terms, optimality } = embedding;
  const found = { values: valuesOfEmbedding(embedding), objective, terms, jitter: 0, approximations: [], note: '' };
  const outcome = outcomeFrom(problem, found, course);
  if (optimality?.gradientNorm === undefined) return createFit(model, outcome, engine);
  const { kktResidual, gradientNorm } = optimality;
  return createFit(model, { ...outcome, diagnostics: { ...outcome.diagnostics, gradientNorm, kktResidual } }, engine);
}

export const embeddingAt = ({ compute }: FitProblem, given: NonNullable<Point['embedding']>): Embedding =>
  typeof given === 'function' ? compute(given) : given;

/** Latents before there is an embedding. */
export const NO_LATENTS: Matrix = Matrix.zeros(0, 0);

/** Names of the abilities of fits. */
const ABILITIES: Readonly<Record<keyof AnyAbilities | 'toJSON', true>> = {
  project: true,
  reconstruct: true,
  predict: true,
  interpolate: true,
  sample: true,
  impute: true,
  forecast: true,
  graph: true,
  precision: true,
  covariance: true,
  eigenvalues: true,
  latentVariances: true,
  relevance: true,
  evidence: true,
  missingLogDensity: true,
  toJSON: true,
};

/**
 * Fit of a model that was stopped before it had computed a solution: its latents have no rows, and its objective is NaN. Members that need a solution
 * throw an OptimizationError.
 */
function unsolvedFit(model: string, { values: _, ...outcome }: FitOutcome): Fit {
  const fitted = { model, latents: NO_LATENTS, parameters: Object.freeze({}), ...outcome };
  for (const name of Object.keys(ABILITIES)) {
    Object.defineProperty(fitted, name, {
      get: () => {
        throw new OptimizationError(
          `This fit of '${model}' has no '${name}', since it was stopped before there was an embedding. Fit again, with more time.`,
        );
      },
    });
  }
  return Object.freeze(fitted) as unknown as Fit;
}

/**
 * Step at a point of the solver's variables, or of a computed solution.
 *
 * @param point - kept
 * @param trace - trace of its start up to this entry; may grow later
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
    (problem.model.solve === undefined ? fitFrom : computedFit)(problem, point, {
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

/** Marks a closed-form solution as the end; all other steps are intermediate. */
function endingAt({ iteration }: TraceEntry, { embedding }: Point): Pick<FitState, 'status' | 'message'> {
  return typeof embedding === 'object'
    ? { status: embedding.optimality?.converged === false ? 'failed' : 'converged', message: embedding.message }
    : { status: 'stopped', message: `Taken from a fit on its way, after iteration ${iteration}.` };
}

function latentsAt(problem: FitProblem, { x, embedding }: Point): Matrix {
  if (problem.gather !== undefined) throw isOnItsWay('latents');
  if (embedding !== undefined) return embeddingAt(problem, embedding).latents;
  const { model, compute, valuesAt } = problem;
  return model.solve === undefined ? compute(() => model.posterior(valuesAt(x)).latents) : NO_LATENTS;
}

/** Step in the middle of a computation. */
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
