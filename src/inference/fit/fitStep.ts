import type { Matrix } from '../../core/matrix.ts';
import type { Fit, FitDiagnostics, FitStatus, TraceEntry } from '../../model/fit.ts';
import type { EngineReport } from '../../numerics/dense/index.ts';
import { createFit } from './createFit.ts';
import type { FitProblem } from './fitProblem.ts';

/** Where a fit stands after an iteration; what costs something is computed when it is asked for. */
export interface FitStep<F = Fit> extends TraceEntry {
  /** The start that it belongs to: 0 is the model's own, the others are those of `restarts`. */
  readonly start: number;
  /** How many times all rows were gone through, of a fit in batches. */
  readonly epoch?: number;
  /** N×q, at the best point of this start so far. */
  readonly latents: Matrix;
  /** The fit at that point, with predictions and all. */
  result(): F;
}

/** How a fit got to a point. */
export interface FitState {
  readonly trace: readonly TraceEntry[];
  readonly status: FitStatus;
  readonly message: string;
  readonly diagnostics: Omit<FitDiagnostics, keyof EngineReport | 'threads' | 'threadsReason' | 'jitter'>;
}

/** The fit at a point of the solver's variables. */
export function fitAt(problem: FitProblem, x: Float64Array, { diagnostics, ...course }: FitState): Fit {
  const { value, terms, jitter } = problem.densityAt(x);
  const outcome = {
    values: problem.valuesAt(x),
    objective: value,
    terms,
    ...course,
    message: course.message + vanishing(problem, x),
    diagnostics: { ...problem.chosenEngine, ...problem.threads.diagnostics(), jitter, ...diagnostics },
  };
  return createFit(problem.model, outcome, problem.engine);
}

/** A positive parameter that has fallen by this factor since the start is on its way to 0. */
const VANISHED = 1e-8;

/** Says which positive parameters vanish: a density without a bound there is why a fit goes on and on, or fails. */
function vanishing({ layout, start }: FitProblem, x: Float64Array): string {
  const paths = layout.variables.flatMap(({ path, parameter, start: at, size, transform }) => {
    if (at < 0 || parameter.support !== 'positive') return [];
    const now = transform.toNatural(x.subarray(at, at + size));
    const first = transform.toNatural(start.subarray(at, at + size));
    return now.some((value, i) => value < VANISHED * first[i]!) ? [`'${path}'`] : [];
  });
  if (paths.length === 0) return '';
  return (
    ` ${paths.join(' and ')} went to 0, where the density may have no bound. ` +
    'Repeated or noise-free observations do this to the noise. Hold it with fixed(…), or give it a prior.'
  );
}

/**
 * A step at a point of the solver's variables.
 *
 * @param x - kept
 * @param trace - of its start up to this entry; may grow later
 */
export function fitStep(
  problem: FitProblem,
  start: number,
  entry: TraceEntry,
  x: Float64Array,
  trace: readonly TraceEntry[],
  seconds: number,
): FitStep {
  const { length } = trace;
  let latents: Matrix | undefined;
  return {
    ...entry,
    start,
    ...(problem.perEpoch !== undefined && { epoch: entry.iteration / problem.perEpoch }),
    get latents() {
      latents ??= problem.compute(() => problem.model.posterior(problem.valuesAt(x)).latents);
      return latents;
    },
    result: () =>
      fitAt(problem, x, {
        trace: trace.slice(0, length),
        status: 'stopped',
        message: `Taken from a fit on its way, after iteration ${entry.iteration}.`,
        diagnostics: {
          evaluations: entry.evaluations,
          iterations: entry.iteration,
          seconds,
          gradientNorm: entry.gradientNorm,
        },
      }),
  };
}
