import type { MatrixLike } from '../../core/matrix.ts';
import { observationsFrom } from '../../core/observations.ts';
import { givenOptions } from '../../core/options.ts';
import { graphUnion, knnGraph, type Labels, labelGraph } from '../../engine/graph/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { ParameterLike } from '../../model/parameter.ts';
import { imputed } from '../../model/posterior.ts';
import type { Prior } from '../../priors/definePrior.ts';
import { type DiscriminativeOptions, discriminative } from '../../priors/discriminative.ts';
import type { DynamicsOptions } from '../../priors/dynamics.ts';
import { laplacian } from '../../priors/laplacian.ts';
import { type FamilyOptions, familyModel, type SmoothKernel, smoothKernel } from './family.ts';
import type { KernelOr, MappedModel } from './gpModel.ts';
import { labelStrength, validatedStrength } from './strengths.ts';

/** `strength`, `form` and `r` are those of `discriminative`. */
export interface DgplvmOptions<
  Priors extends readonly Prior[] = readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined = boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined = Kernel | undefined,
> extends FamilyOptions<Priors, Dynamics, K>,
    DiscriminativeOptions {}

/**
 * The discriminative GPLVM: latents that are a kernel regression of the observations, under a prior that asks for classes which are
 * narrow and far apart. At most as many dimensions as there are classes less one are separated by it.
 *
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
  return familyModel('dgplvm', Y, rest, {
    prior: () => discriminative(labels, Object.fromEntries(given)),
    kernel: smoothKernel,
    backConstraint: 'kernel',
    options: ['strength', 'form', 'r'],
  });
}

export interface GplrfOptions<
  Priors extends readonly Prior[] = readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined = boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined = Kernel | undefined,
> extends FamilyOptions<Priors, Dynamics, K> {
  /**
   * α of the Laplacian prior. 'auto', the default, holds it at 9·D/q for D columns and q latent dimensions. 'validate' lets `fit` choose among 0.1, 1, 10 and 100 times
   * that, by the nearest-neighbor error of labeled points that are held out in turn, missing entries filled in from their own columns.
   */
  readonly strength?: ParameterLike | 'auto' | 'validate' | undefined;
  /** Joins each point to this many nearest neighbors as well, for points without a label; default none. */
  readonly neighbors?: number | undefined;
}

/**
 * The Gaussian-process latent random field: latents that are a kernel regression of the observations, under a Gaussian Markov random
 * field that joins points of one class, log p(X) = −α/2·tr(XᵀLX). With some labels missing and `neighbors` it is semi-supervised.
 *
 * @param Y - N×D observations
 * @param labels - N labels; a missing one is undefined, null, NaN, '' or 'NA'
 * @param options - `latentDim`, `strength`, `neighbors`, and any of {@link FamilyOptions}
 * @returns a model for `fit` and `evaluate`; `evaluate` has the strength of 'auto' where 'validate' leaves it to `fit`
 * @throws InvalidInputError for an unknown option, labels of another length, or unusable observations
 * @see Zhong et al. 2010, eqs. 6–10
 * @example
 * ```ts
 * const result = await fit(gplrf(Y, labels, { latentDim: 2, strength: 'validate' }), { maxIterations: 100 });
 * (await result.project(Ynew)).latents;
 * ```
 */
export function gplrf<
  const Priors extends readonly Prior[] = readonly [],
  const Dynamics extends boolean | DynamicsOptions | undefined = undefined,
  K extends Kernel | undefined = undefined,
>(
  Y: MatrixLike,
  labels: Labels,
  options: GplrfOptions<Priors, Dynamics, K>,
): MappedModel<Priors, Dynamics, KernelOr<K, SmoothKernel>> {
  const { strength = 'auto', neighbors, ...rest } = givenOptions(options, 'gplrf');
  const classes = labelGraph(labels);
  // Neighbors and held-out points need complete rows: they are filled in as they are for the start of the latents.
  const complete = rest.missing === 'ignore' ? imputed(observationsFrom(Y, true), rest.latentDim) : Y;
  const graph = neighbors === undefined ? classes : graphUnion(classes, knnGraph(complete, neighbors));
  const own = strength === 'auto' || strength === 'validate' ? labelStrength(Y, rest.latentDim) : strength;
  const model = familyModel('gplrf', Y, rest, {
    prior: () => laplacian(graph, { strength: own }),
    kernel: smoothKernel,
    backConstraint: 'kernel',
    options: ['strength', 'neighbors'],
  });
  if (strength !== 'validate') return model;
  const make = (points: MatrixLike, of: Labels, chosen: number) =>
    gplrf(points, of, { ...options, strength: chosen } as GplrfOptions<Priors, Dynamics>);
  return Object.freeze({
    ...model,
    choosesStart: false,
    choose: validatedStrength(complete, labels, own as number, make, (chosen) => make(Y, labels, chosen)),
  });
}
