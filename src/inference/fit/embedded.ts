import type { Fit, FitOutcome } from '../../model/fit.ts';
import type { Embedding, EmbeddingProgress, EmbeddingSteps, Model } from '../../model/model.ts';
import { slices } from '../minimize/slices.ts';
import { stopping } from '../minimize/stopping.ts';
import { type End, interruptionOf, limitOf } from '../minimize/termination.ts';
import { chosenEngine, computeWith } from './chosenEngine.ts';
import { createFit } from './createFit.ts';
import type { FitSettings } from './fitOptions.ts';
import type { FitStep } from './fitStep.ts';
import type { FitThreads } from './fitThreads.ts';

/** The fit of a model in closed form, or of one that solves itself, within the limits of the fit. */
export async function embedded(model: Model, settings: FitSettings, threads: FitThreads): Promise<Fit> {
  const { engine } = settings;
  const began = performance.now();
  const compute = computeWith(engine, threads);
  const stop = stopping(settings.signal, settings.maxSeconds);
  try {
    const begun = compute(() => model.embed!());
    const { embedding, end } =
      'next' in begun ? await inSlices(begun, compute, settings, stop.signal) : { embedding: begun };
    const { latents, eigenvalues, parameters, objective, terms, message, search } = embedding;
    const { converged = true, ...diagnostics } = search ?? { evaluations: 0, iterations: 0, gradientNorm: 0 };
    const early = converged ? undefined : end;
    const report = chosenEngine(engine);
    return compute(() => {
      const outcome: FitOutcome = {
        values: { latents, eigenvalues: Array.from(eigenvalues), ...parameters },
        objective,
        terms,
        trace: [],
        status: converged ? 'converged' : (early?.status ?? 'failed'),
        message: early === undefined ? message : `${early.how}. ${message}`,
        diagnostics: {
          ...report,
          ...threads.diagnostics(),
          seconds: (performance.now() - began) / 1000,
          jitter: 0,
          ...diagnostics,
        },
      };
      return createFit(model, outcome, engine);
    });
  } finally {
    stop.release();
  }
}

/** The only step that such a fit shows: its last. */
export function embeddedStep(result: Fit): FitStep {
  const { objective, latents, diagnostics } = result;
  const { iterations, evaluations, gradientNorm } = diagnostics;
  return { iteration: iterations, evaluations, objective, gradientNorm, start: 0, latents, result: () => result };
}

/** Takes the steps of a search until it ends by itself, or by a limit of the fit. */
async function inSlices(
  steps: EmbeddingSteps,
  compute: <T>(work: () => T) => T,
  { maxIterations = Number.POSITIVE_INFINITY, maxEvaluations = Number.POSITIVE_INFINITY }: FitSettings,
  signal: AbortSignal,
): Promise<{ embedding: Embedding; end: End | undefined }> {
  const limits = { maxIterations, maxEvaluations, maxSeconds: Number.POSITIVE_INFINITY, signal };
  const endAt = (progress: EmbeddingProgress | undefined): End | undefined =>
    limitOf(progress?.iterations ?? 0, limits) ?? interruptionOf(progress?.evaluations ?? 0, 0, limits);
  let end: End | undefined;
  let step = compute(() => steps.next(false));
  const slice = slices();
  while (!step.done) {
    if (slice.isOver()) await slice.leave();
    end = endAt(step.value);
    step = compute(() => steps.next(end !== undefined));
  }
  return { embedding: step.value, end };
}
