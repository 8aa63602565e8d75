import type { Fit, TraceEntry } from '../../model/fit.ts';
import type { Model } from '../../model/model.ts';
import { checkpointOf, readCheckpoint, resumedRefinement } from '../checkpoint/checkpoint.ts';
import { checkResumed } from '../checkpoint/resumedOptions.ts';
import { saving } from '../checkpoint/saving.ts';
import { MOST_ITERATIONS } from '../minimize/solveOptions.ts';
import type { RefinementState } from '../minimize/solverState.ts';
import { stopping } from '../minimize/stopping.ts';
import { runInWorkers } from '../workers/runInWorkers.ts';
import { bestOf, type EndedRun } from './bestOf.ts';
import { embedded, embeddedStep } from './embedded.ts';
import { type FitOptions, type FitSettings, fitSettings } from './fitOptions.ts';
import { type FitProblem, openProblem } from './fitProblem.ts';
import { type FitStep, fitAt, fitStep } from './fitStep.ts';
import { type FitThreads, fitThreads } from './fitThreads.ts';
import { refined } from './refined.ts';
import { hasItsTurn, type RunEvent, type RunSettings, runFrom, type Start } from './run.ts';
import { type Run, runsOf } from './runsOf.ts';

/**
 * {@link fit} step by step: an iterator that pauses at the start and after every iteration, so that a page can draw while it
 * fits. Leaving the loop early ends the fit and gives everything back that it took. The last value, which a `for await` loop
 * does not see, is the fit itself.
 *
 * A model in closed form, or one that solves itself, gives one step: its result. With restarts, the steps of one start follow those of another; with workers they mix.
 *
 * @param model - such as `gplvm(Y, { latentDim: 2 })`
 * @param options - see {@link FitOptions}
 * @returns an async generator of {@link FitStep} that returns the {@link Fit}
 * @throws InvalidInputError at once for an unknown option or a value of the wrong kind; while it runs, what {@link fit} throws
 * @example
 * ```ts
 * for await (const step of fitSteps(gplvm(Y, { latentDim: 2 }))) {
 *   if (step.iteration % 10 === 0) draw(step.latents, step.objective);
 * }
 * ```
 */
export function fitSteps(model: Model, options: FitOptions = {}): AsyncGenerator<FitStep, Fit, void> {
  return steps(model, fitSettings(model, options), options.tolerance);
}

async function* steps(
  model: Model,
  settings: FitSettings,
  givenTolerance: number | undefined,
): AsyncGenerator<FitStep, Fit, void> {
  const threads = await fitThreads(settings.threads, settings.engine);
  try {
    return yield* stepsWith(threads, model, settings, givenTolerance);
  } finally {
    await threads.release();
  }
}

async function* stepsWith(
  threads: FitThreads,
  model: Model,
  settings: FitSettings,
  givenTolerance: number | undefined,
): AsyncGenerator<FitStep, Fit, void> {
  if (model.embed !== undefined) {
    const result = await embedded(model, settings, threads);
    const step = embeddedStep(result);
    settings.onProgress?.(step);
    yield step;
    return result;
  }
  const began = performance.now();
  const saved = settings.resume === undefined ? undefined : await readCheckpoint(settings.resume);
  if (saved !== undefined) checkResumed(saved, settings);
  const seed = saved?.seed ?? settings.seed ?? 0;
  const problem = openProblem(model, seed, settings.engine, threads);
  const seconds = () => (saved?.seconds ?? 0) + (performance.now() - began) / 1000;
  const stop = stopping(settings.signal, settings.maxSeconds);
  try {
    const runs = runsOf(problem, settings, seed, saved);
    const saves = saving(settings.checkpoint);
    const isSaved = saves !== undefined;
    let refinement = saved === undefined ? undefined : resumedRefinement(saved, problem);
    const forgetRefinement = ({ start, iterations }: RefinementState) => {
      cutBack(runs[start]!.trace, iterations);
      refinement = undefined;
    };
    async function* told<Result>(events: AsyncGenerator<RunEvent, Result, void>, isOfSolver: boolean) {
      try {
        for (;;) {
          const next = await events.next();
          if (next.done) return next.value;
          const event = next.value;
          if (event.kind === 'iteration') {
            const { entry, x } = event;
            const { trace } = runs[event.start]!;
            if (isOfSolver && refinement?.start === event.start && entry.iteration > refinement.iterations) {
              forgetRefinement(refinement);
            }
            if (entry.iteration <= (trace.at(-1)?.iteration ?? -1)) continue;
            trace.push(entry);
            const step = fitStep(problem, event.start, entry, x, trace, seconds());
            if (settings.onProgress?.(step) === false) stop.by('onProgress, which returned false');
            yield step;
            continue;
          }
          if (event.kind === 'refinement') refinement = event.state;
          else {
            const run = runs[event.start]!;
            run.state = event.kind === 'end' ? event.solution.state : event.state;
            if (event.kind === 'end') run.solution = event.solution;
          }
          await saves?.save(checkpointOf(problem, runs, seed, seconds(), refinement));
        }
      } finally {
        await events.return(undefined as never);
      }
    }
    yield* told(eventsOf(problem, runs, settings, stop.signal, isSaved), true);
    const best = bestOf(runs.filter(isEnded), runs.length, problem.limits, stop.signal);
    const isOfBest = refinement?.start === best.start && refinement.iterations === best.diagnostics.iterations;
    if (refinement !== undefined && !isOfBest) forgetRefinement(refinement);
    const refinedSettings = {
      maxIterations: settings.maxIterations ?? MOST_ITERATIONS,
      maxEvaluations: settings.maxEvaluations ?? Number.POSITIVE_INFINITY,
      tolerance: givenTolerance,
      stateInterval: isSaved ? settings.checkpointInterval : undefined,
      state: refinement,
    };
    const { x, status, trace, ...end } = yield* told(refined(problem, best, refinedSettings, stop.signal), false);
    const message = end.message + (saves?.complaint() ?? '');
    const evaluations = end.diagnostics.evaluations + end.elsewhere;
    const diagnostics = { ...end.diagnostics, evaluations, seconds: seconds() };
    return fitAt(problem, x, { status, trace, message, diagnostics });
  } finally {
    stop.release();
    problem.dispose();
  }
}

/** Takes the entries after an iteration off a trace. */
function cutBack(trace: TraceEntry[], iteration: number): void {
  while ((trace.at(-1)?.iteration ?? iteration) > iteration) trace.pop();
}

const isEnded = (run: Run): run is Run & EndedRun => run.solution !== undefined;

function eventsOf(
  problem: FitProblem,
  runs: readonly Run[],
  { workers, checkpointInterval, solver, relativeDecrease, maxIterations, maxEvaluations, tolerance }: FitSettings,
  signal: AbortSignal,
  isSaved: boolean,
): AsyncGenerator<RunEvent, void, void> {
  const starts = runs.map(({ start }) => start);
  const stateInterval = isSaved ? checkpointInterval : undefined;
  const settings = { solver, relativeDecrease, maxIterations, maxEvaluations, tolerance, stateInterval };
  return workers === undefined
    ? runHere(problem, starts, settings, signal)
    : runInWorkers(problem, starts, settings, signal, workers);
}

async function* runHere(
  problem: FitProblem,
  starts: readonly Start[],
  settings: RunSettings,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, void, void> {
  for (const start of starts) {
    if (hasItsTurn(start, signal)) yield* runFrom(problem, start, settings, signal);
  }
}
