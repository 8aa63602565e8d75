import type { MatrixLike } from '../../core/matrix.ts';
import { givenOptions } from '../../core/options.ts';
import { isKernel, isOpen } from '../../kernels/algebra.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { Observations } from '../../model/language/observations.ts';
import type { ParameterLike } from '../../model/parameter.ts';
import type { Prior } from '../../priors/definePrior.ts';
import type { DynamicsOptions } from '../../priors/dynamics.ts';
import { locality } from '../../priors/locality.ts';
import { tsneNeighbors } from '../../priors/neighborEmbeddings.ts';
import { rank } from '../../priors/rank.ts';
import { structureOf } from '../../processes/approximations.ts';
import { neighborCount } from '../spectral/neighborhood/neighborhood.ts';
import { type FamilyOptions, familyModel, type SmoothKernel, type SpelledOut } from './family.ts';
import { smoothMapping } from './gplvm.ts';
import type { KernelOr, MappedModel } from './gpModel.ts';
import { type Strength, strengthFor } from './strengths.ts';

/**
 * Smooth mapping, checked before neighborhoods are computed.
 *
 * @throws InvalidInputError for more points than an exact process has memory for
 */
const mappingOf =
  ({ latentDim, inducing = 'none', approximation, missing }: FamilyOptions) =>
  (y: Observations, options: SpelledOut) => {
    const mapping = smoothMapping(y, options);
    const { kernel } = mapping;
    const isExact = inducing === 'none' && (approximation === undefined || approximation.name === 'exact');
    if (isExact && missing === undefined && isKernel(kernel) && !isOpen(kernel))
      structureOf(kernel, y.raw.rows, latentDim);
    return mapping;
  };

export interface LlGplvmOptions<
  Priors extends readonly Prior[] = readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined = boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined = Kernel | undefined,
> extends FamilyOptions<Priors, Dynamics, K> {
  /** Number of neighbors that reconstruct each point; default 7, or all others if there are fewer points. */
  readonly neighbors?: number | undefined;
  /** Strength of the prior; default D, fixed: the prior is a sum over points, and the likelihood a sum over points and columns. */
  readonly strength?: Strength | undefined;
}

/**
 * Locally linear GPLVM: latents reconstructed from their neighbors by the weights of locally linear embedding,
 * log p(X) = −strength/2·tr(XᵀMMᵀX).
 *
 * @summary GPLVM whose latents keep local linear neighborhoods
 * @remarks An evaluation costs O(N³). `inducing: 50` fits a bound of the model at cost O(N·50²).
 * @param Y - N×D observations
 * @param options - `latentDim`, `neighbors`, `strength`, and any of {@link FamilyOptions}
 * @see Urtasun et al. 2008
 * @example
 * ```ts
 * await fit(llGplvm(Y, { latentDim: 2, neighbors: 7 }), { maxIterations: 200 });
 * ```
 */
export function llGplvm<
  const Priors extends readonly Prior[] = readonly [],
  const Dynamics extends boolean | DynamicsOptions | undefined = undefined,
  K extends Kernel | undefined = undefined,
>(
  Y: MatrixLike,
  options: LlGplvmOptions<Priors, Dynamics, K>,
): MappedModel<Priors, Dynamics, KernelOr<K, SmoothKernel>> {
  const { neighbors, strength, ...rest } = givenOptions(options, 'llGplvm');
  const countOf = ({ raw }: Observations) =>
    neighbors === undefined ? neighborCount(undefined, raw.rows, 'llGplvm') : { k: neighbors, note: '' };
  const prior = (y: Observations) => locality(countOf(y).k, { strength: strengthFor('locality', strength, y.raw) });
  const own = { prior, options: ['neighbors', 'strength'] };
  return familyModel('llGplvm', Y, rest, own, (y, o) => ({ ...mappingOf(rest)(y, o), note: countOf(y).note }));
}

export interface RankGplvmOptions<
  Priors extends readonly Prior[] = readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined = boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined = Kernel | undefined,
> extends FamilyOptions<Priors, Dynamics, K> {
  /** Strength of the prior; default N·D/100, fixed: the prior is a single term for all points and columns. */
  readonly strength?: Strength | undefined;
  /** Parameter β, which sets the scale above which a direction counts; default the prior's fixed value. */
  readonly beta?: ParameterLike | undefined;
}

/**
 * Rank-prior GPLVM: latents with as few directions as the data allow, −strength·Σ log(1 + β·s_i²) over the singular values s_i of the centered
 * latents, at constant energy. Start with more dimensions than needed.
 *
 * @summary GPLVM that shrinks latent dimensions that are not needed
 * @remarks An evaluation costs O(N³). `inducing: 50` fits a bound of the model at cost O(N·50²).
 * @param Y - N×D observations
 * @param options - `latentDim`, `strength`, `beta`, and any of {@link FamilyOptions}
 * @see Geiger, Urtasun & Darrell 2009
 * @example
 * ```ts
 * await fit(rankGplvm(Y, { latentDim: 5, strength: 10 }), { maxIterations: 200 });
 * ```
 */
export function rankGplvm<
  const Priors extends readonly Prior[] = readonly [],
  const Dynamics extends boolean | DynamicsOptions | undefined = undefined,
  K extends Kernel | undefined = undefined,
>(
  Y: MatrixLike,
  options: RankGplvmOptions<Priors, Dynamics, K>,
): MappedModel<Priors, Dynamics, KernelOr<K, SmoothKernel>> {
  const { strength, beta, ...rest } = givenOptions(options, 'rankGplvm');
  const prior = ({ raw }: Observations) =>
    rank({ strength: strengthFor('rank', strength, raw), ...(beta === undefined ? {} : { beta }) });
  return familyModel('rankGplvm', Y, rest, { prior, options: ['strength', 'beta'] }, smoothMapping);
}

export interface TsneGplvmOptions<
  Priors extends readonly Prior[] = readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined = boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined = Kernel | undefined,
> extends FamilyOptions<Priors, Dynamics, K> {
  /** Strength of the prior; default N·D, fixed: the prior is a single term for all points and columns. */
  readonly strength?: Strength | undefined;
  /** Effective number of neighbors; default 30, or a third of the points if there are few. */
  readonly perplexity?: number | undefined;
}

/**
 * t-SNE GPLVM: latents with neighborhoods similar to those in the observations, −strength·KL(P‖Q).
 *
 * @summary GPLVM whose latents keep the neighborhoods of t-SNE
 * @remarks An evaluation costs O(N³). `inducing: 50` fits a bound of the model at cost O(N·50²).
 * @param Y - N×D observations
 * @param options - `latentDim`, `strength`, `perplexity`, and any of {@link FamilyOptions}
 * @see van der Maaten 2009
 * @example
 * ```ts
 * await fit(tsneGplvm(Y, { latentDim: 2, strength: 100 }), { maxIterations: 200 });
 * ```
 */
export function tsneGplvm<
  const Priors extends readonly Prior[] = readonly [],
  const Dynamics extends boolean | DynamicsOptions | undefined = undefined,
  K extends Kernel | undefined = undefined,
>(
  Y: MatrixLike,
  options: TsneGplvmOptions<Priors, Dynamics, K>,
): MappedModel<Priors, Dynamics, KernelOr<K, SmoothKernel>> {
  const { strength, perplexity, ...rest } = givenOptions(options, 'tsneGplvm');
  const prior = ({ raw }: Observations) =>
    tsneNeighbors({
      strength: strengthFor('tsne', strength, raw),
      ...(perplexity === undefined ? {} : { perplexity }),
    });
  return familyModel('tsneGplvm', Y, rest, { prior, options: ['strength', 'perplexity'] }, mappingOf(rest));
}
