import * as v from 'valibot';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { observationsFrom, standardizationOf, standardized, unitsAdvice } from '../../core/observations.ts';
import { checkOptions, type OptionsIn } from '../../core/options.ts';
import type { Predicting, Reconstructing } from '../../model/abilities.ts';
import { defineComputedModel } from '../../model/computedModel.ts';
import type { ParameterValues } from '../../model/model.ts';
import { type LinearGaussian, linearPosterior, principalAxes } from './embedding/linearGaussian.ts';
import {
  checkVaried,
  embeddingShapes,
  latentDimOption,
  type SpectralModel,
  savedSpectral,
  traceTerm,
} from './embedding/options.ts';

export interface PcaOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
});

/**
 * Principal component analysis: the scores (y − mean)ᵀv_c on the q directions of largest variance. `eigenvalues` are eigenvalues of the covariance
 * YcᵀYc/N, `parameters.components` the directions (D×q), and `parameters.noise` the mean of the remaining eigenvalues.
 *
 * `project` returns the scores of new observations, and `predict` maps scores back; the variance with `noise: true` is `parameters.noise`.
 *
 * @summary principal components
 * @param Y - N×D observations
 * @param options - `latentDim` q (2)
 * @returns a model in closed form for `fit`
 * @throws InvalidInputError for observations that are not finite numbers, or vary in fewer than q directions
 * @see Bishop 2006, §12.1
 * @example
 * ```ts
 * const { latents, eigenvalues } = await fit(pca(Y, { latentDim: 2 }));
 * ```
 */
export function pca(Y: MatrixLike, options: PcaOptions = {}): SpectralModel<Predicting & Reconstructing> {
  const { latentDim } = checkOptions(schema, options, 'pca');
  const points = observationsFrom(Y);
  checkVaried(points, 'pca');
  return defined({ points, latentDim });
}

interface PcaData {
  readonly points: Matrix;
  readonly latentDim: number;
}

const defined = defineComputedModel({
  name: 'pca',
  solve: ({ points, latentDim }: PcaData) => {
    const standardization = standardizationOf(points, true, false);
    const { eigenvalues, scores, axes, total } = principalAxes(standardized(points, standardization), latentDim, 'pca');
    const kept = eigenvalues.reduce((sum, value) => sum + value, 0);
    const others = points.columns - latentDim;
    return {
      latents: scores,
      eigenvalues,
      parameters: {
        components: axes,
        mean: Array.from(standardization.mean),
        noise: others > 0 ? Math.max(0, total - kept) / others : 0,
      },
      ...traceTerm(eigenvalues, 1),
      message: `Closed form: ${((100 * kept) / total).toFixed(1)} % of the variance is in ${latentDim} of ${points.columns} dimensions.${unitsAdvice(points)}`,
    };
  },
  shapes: ({ points }, found) =>
    embeddingShapes(points.rows, found, (q) => ({
      components: [points.columns, q],
      mean: [points.columns],
      noise: [],
    })),
  posterior: ({ parameters }, { points }) => linearPosterior(linearMapOf(parameters), points.columns),
  toJSON: ({ points, latentDim }) => savedSpectral('pca', points, { latentDim }),
});

function linearMapOf({ components, mean, noise }: ParameterValues): LinearGaussian {
  const W = components as Matrix;
  return { W, mean: mean as readonly number[], noise: new Float64Array(W.rows).fill(noise as number), prior: 0 };
}
