import type { FitOf } from '../../model/fit.ts';
import type { AnyModel } from '../../model/model.ts';
import type { OptionsOf } from './fitOptions.ts';
import { fitSteps } from './fitSteps.ts';

/**
 * Fits any model: maximises its log density over its free parameters with gradients from automatic differentiation, in double
 * precision. The thread is left every 40 ms, so that an abort, a timer or a page gets its turn.
 *
 * @param model - such as `gplvm(Y, { latentDim: 2 })`
 * @param options - see {@link FitOptions}; a model that computes its solution takes no `solver`, batches or `restarts`
 * @returns the fit at the best point found, whether it converged, ran out of iterations or was stopped; a model whose parameters
 * are all held is returned at their values
 * @throws InvalidInputError for an unknown option or a value of the wrong kind; for a checkpoint that does not belong to the
 * model; for workers that cannot rebuild the model
 * @throws OptimizationError when the log density is not finite at the start, or a free parameter receives no gradient
 * @example
 * ```ts
 * const result = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 200, seed: 1 });
 * result.status; // 'converged' or 'maxIterations'
 * result.predict([[0, 0]]).mean; // Matrix 1×D
 * ```
 */
export async function fit<M extends AnyModel>(model: M, options?: NoInfer<OptionsOf<M>>): Promise<FitOf<M>> {
  const steps = fitSteps(model, options);
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
  }
}
