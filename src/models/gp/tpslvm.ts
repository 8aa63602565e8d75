import type { MatrixLike } from '../../core/matrix.ts';
import { thinPlateSpline } from '../../kernels/thinPlateSpline.ts';
import type { Prior } from '../../priors/definePrior.ts';
import type { DynamicsOptions } from '../../priors/dynamics.ts';
import { standardNormal } from '../../priors/standardNormal.ts';
import { type FamilyOptions, familyModel } from './family.ts';
import type { MappedModel } from './gpModel.ts';

/**
 * The thin plate spline latent variable model: the mapping is y = A·e(x) + B·(x; 1) + noise with e_j(x) = η(‖x − x_j‖), standard normal
 * priors on A and B integrated out, so K = E² + XXᵀ + 11ᵀ + σ²I. With `backConstraint` and `dynamics` it is the BC-TPSLVM, the
 * TPSLVM-DM and the BC-TPSLVM-DM.
 *
 * The kernel has no scale of its own, so the prior on the latents needs nothing held. `kernel: thinPlateSpline({ centres: … })` puts the
 * centres elsewhere.
 *
 * @param Y - N×D observations
 * @param options - `latentDim` from 1 to 4, and any of {@link FamilyOptions}
 * @returns a model for `fit` and `evaluate`
 * @throws InvalidInputError for an unknown option, more than 4 latent dimensions, or unusable observations
 * @see Jiang et al. 2014, eqs. 8–21
 * @example
 * ```ts
 * const result = await fit(tpslvm(Y, { latentDim: 2, dynamics: true }), { maxIterations: 200 });
 * ```
 */
export function tpslvm<
  const Priors extends readonly Prior[] = readonly [],
  const Dynamics extends boolean | DynamicsOptions | undefined = undefined,
>(Y: MatrixLike, options: FamilyOptions<Priors, Dynamics>): MappedModel<Priors, Dynamics> {
  return familyModel('tpslvm', Y, options, { prior: () => standardNormal(), kernel: () => thinPlateSpline() });
}
