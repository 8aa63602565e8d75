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
  for (;;) {
    const step = compute(() => steps.next());
    if (step.done) {
      const { values, kktResidual, converged, evaluations, iterations, message } = step.value;
      const { diagnostics } = outcome;
      return {
        ...outcome,
        x: problem.variablesAt(values),
        ...(goesOn && { status: converged ? 'converged' : 'failed' }),
        message:
          goesOn && outcome.status === 'failed' && converged
            ? `${message} Before that the solver could go no further: ${outcome.message}`
            : `${outcome.message} ${message}`,
        diagnostics: {
          ...diagnostics,
          evaluations: diagnostics.evaluations + evaluations,
          iterations: diagnostics.iterations + iterations,
          kktResidual,
        },
      };
    }
    await new Promise((resume) => setTimeout(resume));
    if (signal.aborted) {
      steps.return(undefined as never);
      return {
        ...outcome,
        status: 'stopped',
        message: `Stopped before the last steps of the model's own. ${outcome.message}`,
      };
    }
  }
}
