import type { Matrix } from '../../core/matrix.ts';
import type { TraceEntry } from '../../model/fit.ts';
import { computedFit, embeddingAt, NO_LATENTS } from './computedFit.ts';
import { type FitState, type FitStep, fitFrom, isOnItsWay } from './createFit.ts';
import type { FitProblem } from './fitProblem.ts';
import type { Point, RunEvent } from './run.ts';

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
