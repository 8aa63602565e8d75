import type { MatrixLike } from '../../core/matrix.ts';
import { givenOptions } from '../../core/options.ts';
import { graphUnion, knnGraph, type Labels, labelGraph } from '../../engine/graph/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { Observations } from '../../model/language/observations.ts';
import type { ParameterLike } from '../../model/parameter.ts';
import { imputed } from '../../model/posterior.ts';
import type { Prior } from '../../priors/definePrior.ts';
import type { DynamicsOptions } from '../../priors/dynamics.ts';
import { laplacian } from '../../priors/laplacian.ts';
import { type FamilyOptions, familyModel, type SmoothKernel } from './family.ts';
import { smoothMapping } from './gplvm.ts';
import type { KernelOr, MappedModel } from './gpModel.ts';
import { labelStrength, validatedStrength } from './strengths.ts';

export interface GplrfOptions<
  Priors extends readonly Prior[] = readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined = boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined = Kernel | undefined,
> extends FamilyOptions<Priors, Dynamics, K> {
  /**
   * α of the Laplacian prior. 'auto', the default, fixes it at 9·D/q for D columns and q latent dimensions. 'validate' lets `fit` choose among 0.1,
   * 1, 10 and 100 times that value by the nearest-neighbor error of held-out labels, with missing entries filled in by column.
   */
  readonly strength?: ParameterLike | 'auto' | 'validate' | undefined;
  /** Number of nearest neighbors that each point is also connected to, for points without a label; default none. */
  readonly neighbors?: number | undefined;
}

/**
 * Gaussian process latent random field: latents that are a kernel regression of the observations, under a Gaussian Markov random field that connects
 * points of one class, log p(X) = −α/2·tr(XᵀLX). With some labels missing and `neighbors` it is semi-supervised.
 *
 * @summary GPLVM whose latents keep points of one label together; some labels may be missing
 * @remarks An evaluation costs O(N³). `inducing: 50` fits a bound of the model at cost O(N·50²).
 * @param Y - N×D observations
 * @param labels - N labels; a missing one is undefined, null, NaN, '' or 'NA'
 * @param options - `latentDim`, `strength`, `neighbors`, and any of {@link FamilyOptions}
 * @returns a model for `fit` and `evaluate`; with 'validate', `evaluate` uses the strength of 'auto'
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
  const isChosen = strength === 'auto' || strength === 'validate';
  const prior = (y: Observations, latentDim: number) => {
    const complete = imputed(y.raw, latentDim);
    const graph = neighbors === undefined ? classes : graphUnion(classes, knnGraph(complete, neighbors));
    return laplacian(graph, { strength: isChosen ? labelStrength(y.raw, latentDim) : strength });
  };
  const own = { prior, backConstraint: 'kernel', options: ['strength', 'neighbors'] } as const;
  const model = familyModel('gplrf', Y, rest, own, smoothMapping);
  if (strength !== 'validate') return model;
  const make = (points: MatrixLike, of: Labels, chosen: number, rows?: ArrayLike<number>) => {
    const { given, offset, rowWeights } = rest;
    const ofRows = (all: ArrayLike<number> | undefined) => all && Array.from(rows!, (row) => all[row]!);
    const cut = rows && { given: given?.ofRows(rows), offset: ofRows(offset), rowWeights: ofRows(rowWeights) };
    return gplrf(points, of, { ...options, strength: chosen, ...cut } as GplrfOptions<Priors, Dynamics>);
  };
  return Object.freeze({ ...model, choosesStart: false, choose: validatedStrength(Y, labels, rest, make) });
}
