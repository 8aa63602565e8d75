import { OptimizationError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { AnyAbilities } from '../../model/abilities.ts';
import type { Fit, FitOutcome } from '../../model/fit.ts';

/** Of a computation that has come to none. */
export const NO_LATENTS: Matrix = Matrix.zeros(0, 0);

/** What some fit can do, by name. */
const ABILITIES: Readonly<Record<keyof AnyAbilities | 'toJSON', true>> = {
  project: true,
  reconstruct: true,
  predict: true,
  interpolate: true,
  sample: true,
  impute: true,
  forecast: true,
  graph: true,
  precision: true,
  covariance: true,
  eigenvalues: true,
  latentVariances: true,
  relevance: true,
  evidence: true,
  missingLogDensity: true,
  toJSON: true,
};

/**
 * The fit of a model that was stopped before it had computed a solution: its latents have no rows, and its objective is NaN. What rests on a
 * solution throws an OptimizationError that says so.
 */
export function unsolvedFit(model: string, { values: _, ...outcome }: FitOutcome): Fit {
  const fitted = { model, latents: NO_LATENTS, parameters: Object.freeze({}), ...outcome };
  for (const name of Object.keys(ABILITIES)) {
    Object.defineProperty(fitted, name, {
      get: () => {
        throw new OptimizationError(
          `This fit of '${model}' has no '${name}', since it was stopped before there was an embedding. Fit again, with more time.`,
        );
      },
    });
  }
  return Object.freeze(fitted) as unknown as Fit;
}
