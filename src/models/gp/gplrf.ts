import type { MatrixLike } from '../../core/matrix.ts';
import type { ParameterLike } from '../../model/parameter.ts';
import { graphUnion, knnGraph, type Labels, labelGraph } from '../../numerics/graph/index.ts';
import type { Prior } from '../../priors/definePrior.ts';
import type { DynamicsOptions } from '../../priors/dynamics.ts';
import { laplacian } from '../../priors/laplacian.ts';
import { type FamilyOptions, familyModel, smoothKernel } from './family.ts';
import type { MappedModel } from './gpModel.ts';

export interface GplrfOptions<
  Priors extends readonly Prior[] = readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined = boolean | DynamicsOptions | undefined,
> extends FamilyOptions<Priors, Dynamics> {
  /** α of the Laplacian prior, held at 1 unless given. */
  readonly strength?: ParameterLike;
  /** Joins each point with so many nearest neighbours as well, for points without a label; none unless given. */
  readonly neighbours?: number;
}

/**
 * The Gaussian-process latent random field: latents that are a kernel regression of the observations, under a Gaussian Markov random
 * field that joins points of one class, log p(X) = −α/2·tr(XᵀLX). With some labels missing and `neighbours` it is semi-supervised.
 *
 * @param Y - N×D observations
 * @param labels - N labels; a missing one is undefined, null, NaN or ''
 * @param options - `latentDim`, `strength`, `neighbours`, and any of {@link FamilyOptions}
 * @returns a model for `fit` and `evaluate`
 * @throws InvalidInputError for an unknown option, labels of another length, or unusable observations
 * @see Zhong et al. 2010, eqs. 6–10
 * @example
 * ```ts
 * const result = await fit(gplrf(Y, labels, { latentDim: 2, strength: 0.1 }), { maxIterations: 100 });
 * (await result.project(Ynew)).latents;
 * ```
 */
export function gplrf<
  const Priors extends readonly Prior[] = readonly [],
  const Dynamics extends boolean | DynamicsOptions | undefined = undefined,
>(Y: MatrixLike, labels: Labels, options: GplrfOptions<Priors, Dynamics>): MappedModel<Priors, Dynamics> {
  const { strength, neighbours, ...rest } = options ?? {};
  const classes = labelGraph(labels);
  const graph = neighbours === undefined ? classes : graphUnion(classes, knnGraph(Y, neighbours));
  return familyModel('gplrf', Y, rest, {
    prior: () => laplacian(graph, strength === undefined ? {} : { strength }),
    kernel: smoothKernel,
    backConstraint: 'kernel',
    options: ['strength', 'neighbours'],
  });
}
