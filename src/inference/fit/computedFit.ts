import { OptimizationError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { AnyAbilities } from '../../model/abilities.ts';
import type { Embedding } from '../../model/computation.ts';
import { valuesOfEmbedding } from '../../model/computedModel.ts';
import type { Fit, FitOutcome } from '../../model/fit.ts';
import { createFit, type FitState, outcomeFrom } from './createFit.ts';
import type { FitProblem } from './fitProblem.ts';
import type { Point } from './run.ts';

/** Builds the fit of a model that computes its solution, also if it was stopped before there was one. */
export function computedFit(problem: FitProblem, { x, embedding: given }: Point, course: FitState): Fit {
  const { model, engine } = problem;
  if (given === undefined) {
    const { value: objective, terms } = problem.densityAt(x, true);
    const found = { values: problem.valuesAt(x), objective, terms, jitter: 0, approximations: [], note: '' };
    return unsolvedFit(model.name, outcomeFrom(problem, found, course));
  }
  const embedding = embeddingAt(problem, given);
  const { objective, terms, optimality } = embedding;
  const found = { values: valuesOfEmbedding(embedding), objective, terms, jitter: 0, approximations: [], note: '' };
  const outcome = outcomeFrom(problem, found, course);
  if (optimality?.gradientNorm === undefined) return createFit(model, outcome, engine);
  const { kktResidual, gradientNorm } = optimality;
  return createFit(model, { ...outcome, diagnostics: { ...outcome.diagnostics, gradientNorm, kktResidual } }, engine);
}

export const embeddingAt = ({ compute }: FitProblem, given: NonNullable<Point['embedding']>): Embedding =>
  typeof given === 'function' ? compute(given) : given;

/** Latents before there is an embedding. */
export const NO_LATENTS: Matrix = Matrix.zeros(0, 0);

/** Names of the abilities of fits. */
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
 * Fit of a model that was stopped before it had computed a solution: its latents have no rows, and its objective is NaN. Members that need a solution
 * throw an OptimizationError.
 */
function unsolvedFit(model: string, { values: _, ...outcome }: FitOutcome): Fit {
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
