import type { MatrixLike } from '../core/matrix.ts';
import type { Model } from '../core/model.ts';
import { observationsFrom, standardizationOf, standardized } from '../core/observations.ts';
import { fixed } from '../core/parameter.ts';
import { add } from '../kernels/algebra.ts';
import { bias } from '../kernels/bias.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { rbf } from '../kernels/rbf.ts';
import { standardNormal } from '../priors/standardNormal.ts';
import { type LatentVariableModelOptions, meanVariance, namedModel } from './latentVariableModel.ts';

/** The parts of a GPLVM that may be chosen; everything has a default but the number of latent dimensions. */
export type GplvmOptions = Omit<LatentVariableModelOptions, 'observations' | 'kernel'> & { readonly kernel?: Kernel };

/**
 * The Gaussian-process latent variable model: free latents started at the principal components, a standard normal prior on them,
 * and rbf + bias with noise as the mapping.
 *
 * With an rbf and a prior that shrinks X, X → c·X with lengthscale → c·lengthscale leaves the likelihood as it is, so the prior
 * would drive both to 0. The default kernel therefore holds the lengthscale at 1 and the rbf's variance at the observations' mean
 * variance; without a prior (`priors: []`) both are free. A kernel that is given is taken as it is.
 *
 * @param Y - N×D observations
 * @param options - `latentDim`, and any of `kernel noise priors latents centre scale` of {@link latentVariableModel}
 * @returns a model for `fit` and `evaluate`
 * @throws InvalidInputError for an unknown option, or observations that are not a matrix of finite numbers with ≥ 2 rows
 * @see Lawrence 2005
 * @example
 * ```ts
 * const result = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 200 });
 * result.latents.toArrays();
 * ```
 */
export function gplvm(Y: MatrixLike, options: GplvmOptions): Model {
  const priors = options?.priors ?? [standardNormal()];
  return namedModel('gplvm', {
    kernel: defaultKernel(Y, options, priors.length > 0),
    ...options,
    priors,
    observations: Y,
  });
}

function defaultKernel(
  Y: MatrixLike,
  { centre = true, scale = false, missing }: GplvmOptions,
  withPrior: boolean,
): Kernel {
  const observations = observationsFrom(Y, missing === 'ignore');
  const variance = meanVariance(standardized(observations, standardizationOf(observations, centre, scale)));
  const smooth = withPrior
    ? rbf({ variance: fixed(variance), lengthscale: fixed(1) })
    : rbf({ variance, lengthscale: 1 });
  return add(smooth, bias({ variance: 0.1 * variance }));
}
