import type { Outcome } from './bestOf.ts';
import type { FitProblem } from './fitProblem.ts';

/** Most steps of a model's own: Newton's method takes a few, or something is wrong. */
const MOST_STEPS = 100;

/**
 * The outcome after the model's own last steps, for models that know some. A fit that was stopped or ran out of iterations stays
 * where it is, and is only measured.
 */
export async function refined(problem: FitProblem, outcome: Outcome, signal: AbortSignal): Promise<Outcome> {
  const { model, compute } = problem;
  if (model.refine === undefined) return outcome;
  const goesOn = outcome.status === 'converged' || outcome.status === 'failed';
  const steps = model.refine(problem.valuesAt(outcome.x), { steps: goesOn ? MOST_STEPS : 0 });
  let step = compute(() => steps.next(false));
  while (!step.done && !signal.aborted) {
    await new Promise((resume) => setTimeout(resume));
    step = compute(() => steps.next(signal.aborted));
  }
  if (!step.done) {
    steps.return(undefined as never);
    return {
      ...outcome,
      status: 'stopped',
      message: `Stopped before the last steps of the model's own. ${outcome.message}`,
    };
  }
  const { values, kktResidual, converged, evaluations, iterations, message } = step.value;
  const { diagnostics } = outcome;
  return {
    ...outcome,
    x: problem.variablesAt(values),
    ...(goesOn && { status: endOf(converged, signal) }),
    message: sentences(outcome, message, goesOn ? endOf(converged, signal) : undefined),
    diagnostics: {
      ...diagnostics,
      evaluations: diagnostics.evaluations + evaluations,
      iterations: diagnostics.iterations + iterations,
      kktResidual,
    },
  };
}

function sentences(before: Outcome, message: string, end: Outcome['status'] | undefined): string {
  if (end === 'stopped') return `Stopped during the last steps of the model's own. ${message}`;
  if (end === 'converged' && before.status === 'failed') {
    return `${message} Before that the solver could go no further: ${before.message}`;
  }
  return `${before.message} ${message}`;
}

function endOf(converged: boolean, signal: AbortSignal): Outcome['status'] {
  if (converged) return 'converged';
  return signal.aborted ? 'stopped' : 'failed';
}
