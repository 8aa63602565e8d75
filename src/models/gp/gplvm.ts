import type { MatrixLike } from '../../core/matrix.ts';
import type { NamedTable } from '../../core/namedTable.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { Observations } from '../../model/language/observations.ts';
import type { Prior } from '../../priors/definePrior.ts';
import type { DynamicsOptions } from '../../priors/dynamics.ts';
import { standardNormal } from '../../priors/standardNormal.ts';
import type { ColumnsByKind } from './byKind.ts';
import { type FamilyOptions, familyModel, type SmoothKernel, type SpelledOut, smoothKernel } from './family.ts';
import { columnsOption, type KernelOr, type MappedModel } from './gpModel.ts';

/** Options of {@link gplvm}. */
export interface GplvmOptions<
  Priors extends readonly Prior[] = readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined = boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined = Kernel | undefined,
> extends FamilyOptions<Priors, Dynamics, K> {
  /**
   * Densities by the kinds of a table's columns, `byKind()`: numbers, amounts, fractions, counts, grades, yes and no, categories. Can be combined with `latentDim`,
   * `inducing`, `missing` and `rowWeights`.
   */
  readonly columns?: ColumnsByKind | undefined;
}

/**
 * Gaussian process latent variable model: free latents started at the principal components, a standard normal prior on them,
 * and rbf + bias with noise as the mapping. With `backConstraint` it is the BC-GPLVM, with `dynamics` the GPLVM with dynamics
 * (GPDM), with both the BC-GPLVM-DM.
 *
 * With an rbf and a prior that shrinks X, X → c·X with lengthscale → c·lengthscale leaves the likelihood unchanged, so the prior would drive both to
 * 0. The default kernel therefore fixes the lengthscale at 1 and the rbf's variance at the observations' mean variance; without a prior
 * (`priors: []`) both are free. A custom kernel is used unchanged.
 *
 * By default, models with more than 1000 points use inducing inputs and start at a t-SNE map: see `inducing` and `init` of {@link FamilyOptions}.
 * Such a fit ends when two consecutive iterations gain less than 1e-5 of the objective.
 *
 * @summary smooth nonlinear map with error bars: the Gaussian process latent variable model
 * @param Y - N×D observations; with `columns`, a table
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
  Y: MatrixLike | NamedTable,
  options: GplvmOptions<Priors, Dynamics, K>,
): MappedModel<Priors, Dynamics, KernelOr<K, SmoothKernel>> {
  const columns = columnsOption(options, 'gplvm');
  if (columns !== undefined) {
    return columns.model('gplvm', Y, options!) as MappedModel<Priors, Dynamics, KernelOr<K, SmoothKernel>>;
  }
  return familyModel(
    'gplvm',
    Y as MatrixLike,
    options,
    { prior: () => standardNormal(), isSparse: true },
    smoothMapping,
  );
}

/** The given covariance, or a smooth one. */
export const smoothMapping = (y: Observations, o: SpelledOut) => ({ kernel: o.kernel ?? smoothKernel(y, o) });
