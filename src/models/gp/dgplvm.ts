import type { MatrixLike } from '../../core/matrix.ts';
import { givenOptions } from '../../core/options.ts';
import type { Labels } from '../../engine/graph/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { Prior } from '../../priors/definePrior.ts';
import { type DiscriminativeOptions, discriminative } from '../../priors/discriminative.ts';
import type { DynamicsOptions } from '../../priors/dynamics.ts';
import { type FamilyOptions, familyModel, type SmoothKernel } from './family.ts';
import { smoothMapping } from './gplvm.ts';
import type { KernelOr, MappedModel } from './gpModel.ts';

/** Options of {@link dgplvm}; `strength`, `form` and `r` as in `discriminative`. */
export interface DgplvmOptions<
  Priors extends readonly Prior[] = readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined = boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined = Kernel | undefined,
> extends FamilyOptions<Priors, Dynamics, K>,
    DiscriminativeOptions {}

/**
 * Discriminative GPLVM: latents that are a kernel regression of the observations, under a prior that favors classes which are narrow and far apart.
 * It separates classes in at most C − 1 dimensions, with C the number of classes.
 *
 * @summary GPLVM whose latents separate labels as discriminant analysis does
 * @remarks An evaluation costs O(N³). `inducing: 50` fits a bound of the model at cost O(N·50²).
 * @param Y - N×D observations
 * @param labels - N labels; a missing one is undefined, null, NaN, '' or 'NA'
 * @param options - `latentDim`, `strength`, `form`, `r`, and any of {@link FamilyOptions}
 * @returns a model for `fit` and `evaluate`
 * @throws InvalidInputError for an unknown option, labels of another length, or unusable observations
 * @see Urtasun & Darrell 2007
 * @example
 * ```ts
 * const result = await fit(dgplvm(Y, labels, { latentDim: 2, strength: 100 }), { maxIterations: 100 });
 * ```
 */
export function dgplvm<
  const Priors extends readonly Prior[] = readonly [],
  const Dynamics extends boolean | DynamicsOptions | undefined = undefined,
  K extends Kernel | undefined = undefined,
>(
  Y: MatrixLike,
  labels: Labels,
  options: DgplvmOptions<Priors, Dynamics, K>,
): MappedModel<Priors, Dynamics, KernelOr<K, SmoothKernel>> {
  const { strength, form, r, ...rest } = givenOptions(options, 'dgplvm');
  const given = Object.entries({ strength, form, r }).filter(([, value]) => value !== undefined);
  const prior = () => discriminative(labels, Object.fromEntries(given));
  const own = { prior, backConstraint: 'kernel', options: ['strength', 'form', 'r'] } as const;
  return familyModel('dgplvm', Y, rest, own, smoothMapping);
}
