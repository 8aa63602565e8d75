import { InvalidInputError } from '../../core/errors.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { givenOptions } from '../../core/options.ts';
import { scale } from '../../kernels/algebra.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { thinPlateSpline } from '../../kernels/thinPlateSpline.ts';
import { fixed } from '../../model/parameter.ts';
import type { Prior } from '../../priors/definePrior.ts';
import type { DynamicsOptions } from '../../priors/dynamics.ts';
import { standardNormal } from '../../priors/standardNormal.ts';
import { type FamilyOptions, familyModel } from './family.ts';
import type { KernelOr, MappedModel } from './gpModel.ts';
import { functionVariance } from './process.ts';

export interface TpslvmOptions<
  Priors extends readonly Prior[] = readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined = boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined = Kernel | undefined,
> extends FamilyOptions<Priors, Dynamics, K> {
  /** Centers of the basis functions: M×q points, or a number M of k-means centers at cost O(N·M²); default the latents. Not together with `kernel`. */
  readonly centers?: MatrixLike | number | undefined;
}

/** Scaled thin plate spline kernel. */
type ThinPlateKernel = Kernel<{ readonly 'scale.variance': number }>;

/**
 * Thin plate spline latent variable model: the mapping is y = A·e(x) + B·(x; 1) + noise with e_j(x) = η(‖x − x_j‖) and priors N(0, v) on
 * A and B integrated out, so K = v·(E² + XXᵀ + 11ᵀ) + σ²I. With `backConstraint` and `dynamics` it is the BC-TPSLVM, the
 * TPSLVM-DM and the BC-TPSLVM-DM.
 *
 * v is fixed at the observations' mean variance, so that the unit of the observations does not matter. The paper uses v = 1 for any unit:
 * `kernel: thinPlateSpline()` is its form. No other parameter has a scale, so the prior on the latents requires no other fixed parameter.
 *
 * By default, models with more than 1000 points and without `centers` or a custom kernel use inducing inputs and start at a t-SNE map: see `inducing`
 * and `init` of
 * {@link FamilyOptions}.
 *
 * @summary thin plate spline latent variable model: no lengthscale to choose
 * @param Y - N×D observations
 * @param options - `latentDim` from 1 to 4, `centers`, and any of {@link FamilyOptions}
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
  K extends Kernel | undefined = undefined,
>(
  Y: MatrixLike,
  options: TpslvmOptions<Priors, Dynamics, K>,
): MappedModel<Priors, Dynamics, KernelOr<K, ThinPlateKernel>> {
  const { centers, ...rest } = givenOptions(options, 'tpslvm');
  if (centers !== undefined && rest.kernel !== undefined) {
    throw new InvalidInputError(
      'tpslvm takes either centers or a kernel, but both were given. Set it in the kernel: thinPlateSpline({ centers }).',
    );
  }
  const isSparse = centers === undefined && rest.kernel === undefined;
  const own = { prior: () => standardNormal(), options: ['centers'], isSparse };
  return familyModel('tpslvm', Y, rest as FamilyOptions<Priors, Dynamics, K>, own, (y, o) => {
    const spline = thinPlateSpline(centers === undefined ? {} : { centers });
    return { kernel: o.kernel ?? scale(spline, fixed(functionVariance(y, o.likelihood, o.offset))) };
  });
}
