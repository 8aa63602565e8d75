import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { observationsFrom, standardizationOf, standardized } from '../../core/observations.ts';
import { checkOptions } from '../../core/options.ts';
import { checkKernel } from '../../kernels/algebra.ts';
import { kernelToJSON } from '../../kernels/json.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { free } from '../../latents/free.ts';
import type { Latents } from '../../latents/latents.ts';
import { assembled, type ModelParts, placed } from '../../mapping/assembly.ts';
import { type GaussianProcess, gaussianProcess } from '../../mapping/gaussianProcess.ts';
import { imputed } from '../../mapping/imputation.ts';
import { checkNoise, gaussian } from '../../mapping/likelihoods/gaussian.ts';
import { isLikelihood, type Likelihood } from '../../mapping/likelihoods/likelihood.ts';
import { observedPatterns } from '../../mapping/observedPatterns.ts';
import { posteriorOf } from '../../mapping/posterior.ts';
import { startedKernel } from '../../mapping/startedKernel.ts';
import type { Model } from '../../model/model.ts';
import { type ParameterLike, parameterFrom, positive } from '../../model/parameter.ts';
import type { Prior } from '../../priors/definePrior.ts';
import { priorToJSON } from '../../priors/json.ts';
import type { MappedModel } from './gpModel.ts';
import { startValues } from './startKinds.ts';

export interface LatentVariableModelOptions<Priors extends readonly Prior[] = readonly Prior[]> {
  /** N×D, rows are points. */
  readonly observations: MatrixLike;
  /** q, from 1. */
  readonly latentDim: number;
  /** What the latents are; `free()` unless given. */
  readonly latents?: Latents | undefined;
  /** Covariance of the mapping from latents to observations. */
  readonly kernel: Kernel;
  /**
   * Variance σ² > 0 of the Gaussian noise, or a list with one a column; starts at a hundredth of the observations' mean variance. Short for
   * `likelihood: gaussian({ variance })`.
   */
  readonly noise?: ParameterLike | undefined;
  /** How observations are distributed around the functions; Gaussian unless given. Not together with `noise`. */
  readonly likelihood?: Likelihood | undefined;
  /** Priors on the latents; none unless given. */
  readonly priors?: Priors | undefined;
  /**
   * What to do about missing entries (NaN) of the observations: without it they are an error; 'ignore' lets the mapping see the
   * observed entries only. `predict` at the latents imputes the others.
   */
  readonly missing?: 'ignore' | undefined;
  /** Whether column means are removed before fitting and put back by `predict`; on unless turned off. */
  readonly centre?: boolean | undefined;
  /** Whether columns are divided by their standard deviations, undone by `predict`; off unless turned on. */
  readonly scale?: boolean | undefined;
}

const wholeFromOne = 'a whole number from 1';
/** The options that every model of the family takes, for messages. */
export const OPTION_NAMES = [
  'latentDim',
  'latents',
  'kernel',
  'noise',
  'likelihood',
  'priors',
  'missing',
  'centre',
  'scale',
] as const;

const schema = v.strictObject({
  observations: v.any(),
  latentDim: v.pipe(v.number(wholeFromOne), v.integer(wholeFromOne), v.minValue(1, wholeFromOne)),
  latents: v.optional(v.custom<Latents>((value) => isPart(value, 'latents'), 'latents, such as free()')),
  kernel: v.any(),
  noise: v.optional(v.any()),
  likelihood: v.optional(v.custom<Likelihood>(isLikelihood, 'a likelihood, such as gaussian({ variance: 0.1 })')),
  priors: v.optional(v.array(v.custom<Prior>((value) => isPart(value, 'prior'), 'a prior, such as standardNormal()'))),
  missing: v.optional(v.picklist(['ignore'], "'ignore', or left out")),
  centre: v.optional(v.boolean()),
  scale: v.optional(v.boolean()),
});

/**
 * A Gaussian-process latent variable model from its parts: Y = f(X) + noise, every column of f a Gaussian process of the latents
 * X, priors on X, and X free or a function of Y. Its log density is log p(Y|X) + Σ log p(X) with
 * log p(Y|X) = −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹YYᵀ), K = k(X, X) + σ²I.
 *
 * Paths: `latents…`, `mapping.kernel.<name>.<parameter>`, `mapping.noise`, `priors.<name>.<parameter>`.
 *
 * @param options - see {@link LatentVariableModelOptions}
 * @returns a model for `fit` and `evaluate`; nothing is fitted yet
 * @throws InvalidInputError for an unknown option, or observations that are not a matrix of finite numbers with ≥ 2 rows
 * @see Lawrence 2005, §2–3
 * @example
 * ```ts
 * const model = latentVariableModel({
 *   observations: Y,
 *   latentDim: 2,
 *   kernel: add(rbf(), bias()),
 *   priors: [standardNormal()],
 * });
 * const result = await fit(model, { maxIterations: 200 });
 * ```
 */
export function latentVariableModel<const Priors extends readonly Prior[] = readonly []>(
  options: LatentVariableModelOptions<Priors>,
): MappedModel<Priors> {
  return namedModel('latentVariableModel', options) as Model as MappedModel<Priors>;
}

/** `latentVariableModel` under another name: the named models are assemblies of its options. */
export function namedModel(name: string, options: LatentVariableModelOptions): MappedModel {
  const { centre = true, scale = false, ...given } = checkOptions(schema, options, name);
  const { missing } = given;
  const raw = observationsFrom(given.observations as MatrixLike, missing === 'ignore');
  const standardization = standardizationOf(raw, centre, scale);
  const seen = standardized(raw, standardization);
  const patterns = observedPatterns(seen);
  const observations = imputed(seen, given.latentDim);
  const described = checkKernel(given.kernel, "Option 'kernel'");
  const latents = given.latents ?? free();
  const likelihood = likelihoodFrom(name, given, observations);
  // What is open in the kernel is decided when the model is first used; what is wrong with its parts is said now.
  gaussianProcess({ kernel: described, likelihood });
  let process: GaussianProcess | undefined;
  const parts: ModelParts = {
    observations,
    patterns,
    latentDim: given.latentDim,
    latents,
    get process() {
      process ??= gaussianProcess({
        kernel: startedKernel(described, latents, observations, given.latentDim),
        likelihood,
      });
      return process;
    },
    priors: placed(given.priors ?? []),
  };
  return Object.freeze<MappedModel>({
    name,
    assemble: (seed) => assembled(parts, seed),
    startAt: (kind, seed) => startValues(latents, kind, observations, parts.latentDim, seed),
    posterior: (values) => posteriorOf(parts, values, standardization),
    toJSON: () => ({
      model: 'latentVariableModel',
      name,
      observations: raw.toArrays().map((row) => row.map((entry) => (Number.isNaN(entry) ? null : entry))),
      latentDim: parts.latentDim,
      latents: parts.latents.toJSON(),
      kernel: kernelToJSON(parts.process.kernel),
      likelihood: likelihood.toJSON(),
      priors: parts.priors.map(({ prior }) => priorToJSON(prior)),
      ...(missing === undefined ? {} : { missing }),
      centre,
      scale,
    }),
  });
}

/** The likelihood that was given, or the Gaussian one that `noise` is short for, checked against the observations. */
export function likelihoodFrom(
  name: string,
  { noise, likelihood: given }: { noise?: unknown; likelihood?: Likelihood | undefined },
  observations: Matrix,
): Likelihood {
  if (noise !== undefined && given !== undefined) {
    throw new InvalidInputError(
      `${name} takes either noise or a likelihood, but both were given. Say it in the likelihood: gaussian({ variance }).`,
    );
  }
  const standard = positive(0.01 * meanVariance(observations));
  const variance = parameterFrom((noise as ParameterLike | undefined) ?? standard, standard, `'noise' of ${name}`);
  const likelihood = given ?? gaussian({ variance });
  checkNoise(likelihood, observations.rows, observations.columns);
  return likelihood;
}

/** Mean square of the observed entries, which is the columns' mean variance when they are centred; 1 when all are 0. */
export function meanVariance({ data }: Matrix): number {
  const observed = data.filter((entry) => !Number.isNaN(entry));
  return observed.reduce((sum, entry) => sum + entry * entry, 0) / observed.length || 1;
}

function isPart(value: unknown, kind: 'latents' | 'prior'): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
}
