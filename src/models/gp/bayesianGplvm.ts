import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { observationsFrom, standardizationOf, standardized } from '../../core/observations.ts';
import { checkOptions } from '../../core/options.ts';
import { checkKernel } from '../../kernels/algebra.ts';
import { kernelToJSON } from '../../kernels/json.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { rbf } from '../../kernels/rbf.ts';
import { gaussianLatents } from '../../latents/gaussianLatents.ts';
import type { Initialization } from '../../latents/initialization.ts';
import { isLatentDistribution, type LatentDistribution } from '../../latents/latentDistribution.ts';
import { imputed } from '../../mapping/imputation.ts';
import { observedPatterns } from '../../mapping/observedPatterns.ts';
import { collapsedAssembly, collapsedPosterior } from '../../mapping/variational/collapsedModel.ts';
import { INDUCING_JITTER } from '../../mapping/variational/inducingFactor.ts';
import { checkInducing, type Inducing } from '../../mapping/variational/inducingInputs.ts';
import type { VariationalParts } from '../../mapping/variational/variationalParts.ts';
import type { DistributedLatents, Mapped } from '../../model/abilities.ts';
import type { AnyPaths, Model } from '../../model/model.ts';
import { type ParameterLike, parameterFrom, parameterToJSON, positive, shapeOf } from '../../model/parameter.ts';
import { meanVariance } from './latentVariableModel.ts';
import { startValues } from './startKinds.ts';

export interface BayesianGplvmOptions {
  /** q, from 1: more than are needed, since dimensions switch themselves off. */
  readonly latentDim: number;
  /** How many inducing inputs (at most 50 unless given), or where they start, M×q. */
  readonly inducing?: Inducing;
  /** Covariance of the mapping; an rbf with one lengthscale a dimension unless given. */
  readonly kernel?: Kernel;
  /** Variance σ² > 0 of the Gaussian noise; starts at a hundredth of the observations' mean variance. */
  readonly noise?: ParameterLike;
  /** Where the latents' means start: 'pca' (the default), an N×q matrix, or a fitted embedding. Not together with `latents`. */
  readonly init?: 'pca' | MatrixLike | Initialization;
  /** Where the latents' variances start: a number (0.5) or an N×q matrix. Not together with `latents`. */
  readonly latentVariance?: number | MatrixLike;
  /** What the latents are: `gaussianLatents()` unless given, or `encoded(map)`. */
  readonly latents?: LatentDistribution;
  /** 'ignore' lets the mapping see the observed entries only; without it missing entries (NaN) are an error. */
  readonly missing?: 'ignore';
  /** Whether column means are removed before fitting and put back by `predict`; on unless turned off. */
  readonly centre?: boolean;
  /** Whether columns are divided by their standard deviations, undone by `predict`; off unless turned on. */
  readonly scale?: boolean;
  /** Added to the diagonal of the covariance of the inducing inputs, ≥ 0 (1e-8). */
  readonly jitter?: number;
}

const wholeFromOne = 'a whole number from 1';
const schema = v.strictObject({
  latentDim: v.pipe(v.number(wholeFromOne), v.integer(wholeFromOne), v.minValue(1, wholeFromOne)),
  inducing: v.optional(v.any()),
  kernel: v.optional(v.any()),
  noise: v.optional(v.any()),
  init: v.optional(v.any()),
  latentVariance: v.optional(v.any()),
  latents: v.optional(
    v.custom<LatentDistribution>(isLatentDistribution, 'latents as distributions, such as gaussianLatents()'),
  ),
  missing: v.optional(v.picklist(['ignore'], "'ignore', or left out")),
  centre: v.optional(v.boolean(), true),
  scale: v.optional(v.boolean(), false),
  jitter: v.optional(
    v.pipe(v.number('a number from 0'), v.minValue(0, 'a number from 0'), v.finite('a number from 0')),
    INDUCING_JITTER,
  ),
});

/** Unless more are asked for. */
const MOST_INDUCING = 50;

/** A Bayesian GPLVM: its fits have latents that are distributions, beside all that those of a mapping have. */
export type BayesianGplvmModel = Model<AnyPaths, Mapped & DistributedLatents, 'searched'>;

/**
 * The Bayesian GPLVM: latents x_n ~ q(x_n) = N(μ_n, diag s_n) under a standard normal prior are integrated out of a Gaussian-process
 * mapping with M inducing inputs. What is maximised is a bound on log p(Y): the collapsed bound of the mapping less KL(q(X)‖p(X)) (terms
 * `mapping` and `divergence`). Latent dimensions that explain nothing switch themselves off: their lengthscales grow, and `fit.relevance`
 * says which are left. Cost O(N·M²·q) an evaluation.
 *
 * Paths: `latents.mean`, `latents.variance`, `mapping.inducing`, `mapping.kernel.…`, `mapping.noise`.
 *
 * @param Y - N×D observations
 * @param options - see {@link BayesianGplvmOptions}
 * @returns a model for `fit` and `evaluate`
 * @throws InvalidInputError for an unknown option, inducing inputs outside 1 … N, or observations that are not a matrix of finite numbers
 * @see Titsias & Lawrence 2010
 * @example
 * ```ts
 * const result = await fit(bayesianGplvm(Y, { latentDim: 5, inducing: 20 }), { maxIterations: 500 });
 * result.relevance; // of each latent dimension, 1 for the most relevant
 * result.latentVariances.toArrays();
 * ```
 */
export function bayesianGplvm(Y: MatrixLike, options: BayesianGplvmOptions): BayesianGplvmModel {
  const name = 'bayesianGplvm';
  const given = checkOptions(schema, options, name);
  const { latentDim, missing, centre, scale, jitter } = given;
  const raw = observationsFrom(Y, missing === 'ignore');
  const standardization = standardizationOf(raw, centre, scale);
  const seen = standardized(raw, standardization);
  const observations = imputed(seen, latentDim);
  const variance = meanVariance(observations);
  const latents = latentsFrom(given);
  const parts: VariationalParts = {
    observations,
    seen,
    patterns: observedPatterns(seen),
    latentDim,
    latents,
    inducing: checkInducing(given.inducing ?? Math.min(MOST_INDUCING, raw.rows), raw.rows, name),
    kernel:
      given.kernel === undefined ? defaultKernel(variance, latentDim) : checkKernel(given.kernel, "Option 'kernel'"),
    noise: parameterFrom(
      (given.noise as ParameterLike | undefined) ?? 0.01 * variance,
      positive(1),
      `'noise' of ${name}`,
    ),
    jitter,
  };
  if (shapeOf(parts.noise.initial).length > 0) {
    throw new InvalidInputError(
      `Option 'noise' of ${name} must be one number, the variance of all columns, but a list was given.`,
    );
  }
  return Object.freeze<BayesianGplvmModel>({
    name,
    assemble: (seed) => collapsedAssembly(parts, seed),
    startAt: (kind, seed) => startValues(latents, kind, observations, latentDim, seed),
    posterior: (values) => collapsedPosterior(parts, values, standardization),
    toJSON: () => ({
      model: name,
      observations: raw.toArrays().map((row) => row.map((entry) => (Number.isNaN(entry) ? null : entry))),
      latentDim,
      latents: latents.toJSON(),
      inducing: typeof parts.inducing === 'number' ? parts.inducing : Matrix.from(parts.inducing).toArrays(),
      kernel: kernelToJSON(parts.kernel),
      noise: parameterToJSON(parts.noise),
      ...(missing === undefined ? {} : { missing }),
      centre,
      scale,
      jitter,
    }),
  });
}

/** One lengthscale a dimension, all 1, as the latents start with unit variance. */
function defaultKernel(variance: number, latentDim: number): Kernel {
  return rbf({ variance, lengthscale: new Array<number>(latentDim).fill(1) });
}

function latentsFrom({ latents, init, latentVariance }: v.InferOutput<typeof schema>): LatentDistribution {
  if (latents === undefined) {
    return gaussianLatents({
      ...(init !== undefined && { init: init as 'pca' }),
      ...(latentVariance !== undefined && { variance: latentVariance as number }),
    });
  }
  if (init === undefined && latentVariance === undefined) return latents;
  throw new InvalidInputError(
    'bayesianGplvm takes either latents, or init and latentVariance, but both were given. Say it in the latents: gaussianLatents({ init, variance }).',
  );
}
