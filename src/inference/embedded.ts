import type { Fit, FitOutcome } from '../core/fit.ts';
import { withFloat64 } from '../core/float64/scope.ts';
import { type EngineChoice, engineReport, withEngine } from '../core/linalg/index.ts';
import type { Embedding, EmbeddingSteps, Model } from '../core/model.ts';
import { createFit } from './createFit.ts';
import type { FitThreads } from './fitThreads.ts';

/** The thread is left for other work after this many milliseconds. */
const SLICE = 40;

/** The fit of a model in closed form, or of one that solves itself. */
export async function embedded(
  model: Model,
  engine: EngineChoice | undefined,
  signal: AbortSignal | undefined,
  threads: FitThreads,
): Promise<Fit> {
  const began = performance.now();
  const compute = <T>(work: () => T): T =>
    withFloat64(({ memory64 }) => withEngine(memory64, engine, () => threads.run(work)));
  const begun = compute(() => model.embed!());
  const embedding = 'next' in begun ? await inSlices(begun, compute, signal) : begun;
  const { latents, eigenvalues, parameters, objective, terms, message, search } = embedding;
  const { converged = true, ...diagnostics } = search ?? { evaluations: 0, iterations: 0, gradientNorm: 0 };
  const stopped = !converged && signal?.aborted === true;
  return compute(() => {
    const outcome: FitOutcome = {
      values: { latents, eigenvalues: Array.from(eigenvalues), ...parameters },
      objective,
      terms,
      trace: [],
      status: converged ? 'converged' : stopped ? 'stopped' : 'failed',
      message: stopped ? `Stopped by the abort signal. ${message}` : message,
      diagnostics: {
        ...withFloat64(({ memory64 }) => engineReport(memory64)),
        ...threads.diagnostics(),
        seconds: (performance.now() - began) / 1000,
        jitter: 0,
        ...diagnostics,
      },
    };
    return createFit(model, outcome, engine);
  });
}

async function inSlices(
  steps: EmbeddingSteps,
  compute: <T>(work: () => T) => T,
  signal: AbortSignal | undefined,
): Promise<Embedding> {
  for (;;) {
    const sliceEnds = performance.now() + SLICE;
    const step = compute(() => {
      let latest = steps.next(signal?.aborted === true);
      while (!latest.done && performance.now() < sliceEnds) latest = steps.next(false);
      return latest;
    });
    if (step.done) return step.value;
    await new Promise((resume) => setTimeout(resume));
  }
}
