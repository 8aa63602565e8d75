import type { Fit } from '../core/fit.ts';
import { withFloat64 } from '../core/float64/scope.ts';
import { type EngineChoice, linearAlgebra, withEngine } from '../core/linalg/index.ts';
import type { Model } from '../core/model.ts';
import { createFit } from './createFit.ts';

/** The fit of a model in closed form: there is nothing to search. */
export function embedded(model: Model, engine: EngineChoice | undefined): Fit {
  const began = performance.now();
  return withFloat64(({ memory64 }) =>
    withEngine(memory64, engine, () => {
      const { latents, eigenvalues, parameters, objective, terms, message } = model.embed!();
      return createFit(model, {
        values: { latents, eigenvalues: Array.from(eigenvalues), ...parameters },
        objective,
        terms,
        trace: [],
        status: 'converged',
        message,
        diagnostics: {
          engine: linearAlgebra(memory64).name,
          evaluations: 0,
          iterations: 0,
          seconds: (performance.now() - began) / 1000,
          jitter: 0,
          gradientNorm: 0,
        },
      });
    }),
  );
}
