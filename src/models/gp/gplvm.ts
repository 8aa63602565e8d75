import type { MatrixLike } from '../../core/matrix.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { latent } from '../../model/language/latent.ts';
import type { Observations } from '../../model/language/observations.ts';
import { observed } from '../../model/language/variable.ts';
import type { Prior } from '../../priors/definePrior.ts';
import type { DynamicsOptions } from '../../priors/dynamics.ts';
import { standardNormal } from '../../priors/standardNormal.ts';
import { type FamilyOptions, familyModel, type SmoothKernel, type SpelledOut, smoothKernel } from './family.ts';
import type { KernelOr, MappedModel } from './gpModel.ts';

/**
 * The Gaussian-process latent variable model: free latents started at the principal components, a standard normal prior on them,
 * and rbf + bias with noise as the mapping. With `backConstraint` it is the BC-GPLVM, with `dynamics` the GPLVM with dynamics
 * (GPDM), with both the BC-GPLVM-DM.
 *
 * With an rbf and a prior that shrinks X, X → c·X with lengthscale → c·lengthscale leaves the likelihood as it is, so the prior
 * would drive both to 0. The default kernel therefore holds the lengthscale at 1 and the rbf's variance at the observations' mean
 * variance; without a prior (`priors: []`) both are free. A kernel that is given is taken as it is.
 *
 * More than 1000 points go through inducing inputs and start at a t-SNE map unless told otherwise: see `inducing` and `init` of {@link FamilyOptions}. Such a fit
 * ends where two iterations in a row gain less than 1e-5 of the objective.
 *
 * @summary smooth nonlinear map with error bars: the Gaussian process latent variable model
 * @param Y - N×D observations
 * @param options - `latentDim`, and any of {@link FamilyOptions}
 * @returns a model for `fit` and `evaluate`
 * @throws InvalidInputError for an unknown option, or observations that are not a matrix of finite numbers with ≥ 2 rows
 * @see Lawrence 2005; Lawrence & Quiñonero-Candela 2006; Wang, Fleet & Hertzmann 2005
 * @example
 * ```ts
 * const result = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 200 });
 * result.latents.toArrays();
 * ```
 */
export function gplvm<
  const Priors extends readonly Prior[] = readonly [],
  const Dynamics extends boolean | DynamicsOptions | undefined = undefined,
  K extends Kernel | undefined = undefined,
>(
  Y: MatrixLike,
  options: FamilyOptions<Priors, Dynamics, K>,
): MappedModel<Priors, Dynamics, KernelOr<K, SmoothKernel>> {
  return familyModel('gplvm', Y, options, { prior: () => standardNormal(), isSparse: true }, gplvmVariables);
}

/** Latents under the priors, and the observations as a smooth process of them with noise. */
export function gplvmVariables(y: Observations, o: SpelledOut) {
  const latents = latent({ dim: o.latentDim, factors: o.priors, init: o.init, posterior: o.posterior });
  const density = o.process(o.kernel ?? smoothKernel(y, o));
  return { latents, mapping: observed(y, { density, given: latents }) };
}
