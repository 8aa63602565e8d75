import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { createFit, type Fit, type TraceEntry } from '../core/fit.ts';
import { withFloat64 } from '../core/float64/scope.ts';
import { linearAlgebra } from '../core/linalg/index.ts';
import { describe } from '../core/matrix.ts';
import type { Model } from '../core/model.ts';
import { logDensity, objectiveOf } from '../core/objective.ts';
import { checkOptions } from '../core/options.ts';
import { layOut, naturalEntries, toNatural, toUnconstrained, valuesByPath } from '../core/variables.ts';
import type { Progress, Solution } from './solution.ts';
import { solve } from './solve.ts';
import { lbfgs } from './solvers/lbfgs.ts';
import type { Solver } from './solvers/solver.ts';

export interface FitOptions {
  /** `lbfgs()` unless given. */
  readonly solver?: Solver;
  /** 1000 unless given; 0 returns the initial point. */
  readonly maxIterations?: number;
  /** Largest entry of the gradient in the solver's variables at which the fit has converged; 1e-5 unless given. */
  readonly tolerance?: number;
  /** Part of the objective that an iteration must gain for the fit to go on; 1e-11 unless given. */
  readonly relativeDecrease?: number;
  /** Seed of everything random; 0 unless given. */
  readonly seed?: number;
  /** Called at the start and after every iteration; returning false stops the fit. */
  readonly onProgress?: (progress: TraceEntry) => unknown;
  /** Aborting it stops the fit, which returns its best point so far. */
  readonly signal?: AbortSignal;
  /** Which linear algebra to use. */
  readonly engine?: 'auto' | 'typescript';
}

const wholeNumber = v.pipe(v.number('a whole number'), v.integer('a whole number'));
const schema = v.strictObject({
  solver: v.optional(v.any()),
  maxIterations: v.optional(v.pipe(wholeNumber, v.minValue(0, 'a whole number from 0'))),
  tolerance: v.optional(v.pipe(v.number('a number'), v.minValue(0, 'a number from 0'))),
  relativeDecrease: v.optional(v.pipe(v.number('a number'), v.minValue(0, 'a number from 0'))),
  seed: v.optional(wholeNumber),
  onProgress: v.optional(v.function('a function')),
  signal: v.optional(v.custom<AbortSignal>((value) => value instanceof AbortSignal, 'an AbortSignal')),
  engine: v.optional(v.picklist(['auto', 'typescript'], "'auto' or 'typescript'")),
});

/** The thread is left for other work after this many milliseconds. */
const SLICE = 40;

/**
 * Fits any model: maximises its log density over its free parameters with gradients from automatic differentiation, in double
 * precision. The thread is left every 40 ms, so that an abort, a timer or a page gets its turn.
 *
 * @param model - such as `gplvm(Y, { latentDim: 2 })`
 * @param options - see {@link FitOptions}
 * @returns the fit at the best point found, whether it converged, ran out of iterations or was stopped
 * @throws InvalidInputError for an unknown option or a value of the wrong kind
 * @throws OptimizationError when the log density is not finite at the start, or a free parameter receives no gradient
 * @example
 * ```ts
 * const result = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 200, seed: 1 });
 * result.status; // 'converged' or 'maxIterations'
 * result.predict([[0, 0]]).mean; // Matrix 1×D
 * ```
 */
export async function fit(model: Model, options: FitOptions = {}): Promise<Fit> {
  if (typeof model !== 'object' || model === null || typeof model.assemble !== 'function') {
    throw new InvalidInputError(
      `fit takes a model, such as gplvm(Y, { latentDim: 2 }), but ${describe(model)} was given.`,
    );
  }
  checkOptions(schema, options, 'fit');
  const began = performance.now();
  const { assembly, layout, start } = withFloat64(() => {
    const made = model.assemble(options.seed ?? 0);
    const placed = layOut(made.parameters);
    return { assembly: made, layout: placed, start: toUnconstrained(placed, naturalEntries(placed, {})) };
  });
  try {
    const trace: TraceEntry[] = [];
    const objective = objectiveOf(assembly, layout);
    const solution = await driven(objective, start, options, trace);
    const natural = toNatural(layout, solution.x);
    const density = logDensity(assembly, layout, natural);
    const { iterations, evaluations, status, message } = solution;
    return createFit(model, {
      values: valuesByPath(layout, natural),
      objective: density.value,
      terms: density.terms,
      trace,
      status,
      message,
      diagnostics: {
        engine: withFloat64((backend) => linearAlgebra(backend.memory64).name),
        evaluations,
        iterations,
        seconds: (performance.now() - began) / 1000,
        jitter: density.report.jitter,
        gradientNorm: trace.at(-1)?.gradientNorm ?? 0,
      },
    });
  } finally {
    assembly.dispose();
  }
}

/** Runs the solver in slices on the float64 backend, and everything of the caller's outside of it. */
async function driven(
  objective: Parameters<typeof solve>[0],
  start: Float64Array,
  options: FitOptions,
  trace: TraceEntry[],
): Promise<Solution> {
  const { signal, onProgress, maxIterations, tolerance, relativeDecrease = 1e-11 } = options;
  const stop = new AbortController();
  const abort = () => stop.abort();
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  try {
    const run = solve(objective, start, options.solver ?? lbfgs(), {
      signal: stop.signal,
      relativeDecrease,
      ...(maxIterations === undefined ? {} : { maxIterations }),
      ...(tolerance === undefined ? {} : { tolerance }),
    });
    let sliceBegan = performance.now();
    for (;;) {
      const step = withFloat64(() => run.next());
      if (step.done) return step.value;
      const entry = traceEntry(step.value, trace);
      if (entry !== undefined) {
        trace.push(entry);
        if (onProgress?.(entry) === false) stop.abort();
      }
      if (performance.now() - sliceBegan > SLICE) {
        await new Promise((resume) => setTimeout(resume));
        sliceBegan = performance.now();
      }
    }
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** The entry of an iteration that is not in the trace yet. */
function traceEntry(progress: Progress, trace: readonly TraceEntry[]): TraceEntry | undefined {
  if (progress.iterations === trace.at(-1)?.iteration) return undefined;
  return {
    iteration: progress.iterations,
    evaluations: progress.evaluations,
    objective: -progress.value,
    gradientNorm: progress.gradientNorm,
  };
}
