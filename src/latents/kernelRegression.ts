import * as v from 'valibot';
import { square } from '../core/elementary/index.ts';
import type { Matrix } from '../core/matrix.ts';
import { standardizationOf } from '../core/observations.ts';
import { checkOptions } from '../core/options.ts';
import { real } from '../model/parameter.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import { matrixTensor, tensorMatrix } from '../tensors/matrixTensor.ts';
import * as op from '../tensors/ops.ts';
import type { Tensor2D } from '../tensors/tensorflow.ts';
import { defineMap, type LatentMap } from './defineMap.ts';
import { regressed, spectrumOf, whitened } from './whitening.ts';

/** Added to the eigenvalues of K_b, whose diagonal is 1, where the coefficients are fitted to the start of the latents. */
const RIDGE = 1e-6;

interface KernelRegressionOptions {
  readonly gamma?: number;
}

/** 1/⟨‖y − y'‖²⟩, the mean over pairs of observations: twice the sum of the variances. */
function defaultGamma(training: Matrix): number {
  const { mean } = standardizationOf(training, true, false);
  const spread = training.data.reduce((sum, entry, k) => sum + square(entry - mean[k % training.columns]!), 0);
  return spread > 0 ? training.rows / (2 * spread) : 1;
}

export const kernelRegressionFactory = defineMap({
  name: 'kernelRegression',
  // The coefficients are badly scaled: eigenvalues of K_b span ten orders. The solver sees them whitened.
  parameters: ({ features, latents }, _: KernelRegressionOptions) => {
    const spectrum = spectrumOf(features);
    const weights = real(regressed(spectrum, latents, RIDGE));
    return { weights: { ...weights, transform: whitened(spectrum, latents.columns) } };
  },
  features: (Y, training, options) => {
    const gamma = options?.gamma ?? defaultGamma(training);
    return withFloat64(() => {
      const points = matrixTensor(Y);
      const centres = Y === training ? points : matrixTensor(training);
      return tensorMatrix(op.exp(op.mul<Tensor2D>(-gamma / 2, op.squaredDistances(points, centres))));
    });
  },
  apply: (p, covariance) => op.matMul(covariance, p.weights),
});

const schema = v.strictObject({
  gamma: v.optional(
    v.pipe(v.number('a number above 0'), v.finite('a number above 0'), v.gtValue(0, 'a number above 0')),
  ),
});

/**
 * Back-constraint by kernel regression on the observations: X = K_b·B, K_b = exp(−γ/2·‖y − y'‖²) between observations and training
 * observations. Its path is `latents.weights`, B, N×q; the optimizer moves Z with B = Q·Λ^{−½}·Z where K_b = QΛQᵀ, which takes a
 * tenth of the iterations.
 *
 * @param options - `gamma` γ > 0, the inverse square of a length in the space of the observations; one over their mean squared distance
 * unless given
 * @throws InvalidInputError when gamma is not above 0
 * @see Lawrence & Quiñonero-Candela 2006; Zhong et al. 2010
 * @example
 * ```ts
 * backConstrained(kernelRegression({ gamma: 0.01 }));
 * ```
 */
export function kernelRegression(options: { gamma?: number } = {}): LatentMap {
  const { gamma } = checkOptions(schema, options, 'kernelRegression');
  return kernelRegressionFactory({}, Object.freeze(gamma === undefined ? {} : { gamma }));
}
