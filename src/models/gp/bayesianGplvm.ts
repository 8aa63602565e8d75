import * as v from 'valibot';
import { pow } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import {
  checkObservedRows,
  isScaled,
  observationsFrom,
  SCALED_NOTE,
  type ScaleOption,
  scaleOption,
  standardizationOf,
  standardized,
} from '../../core/observations.ts';
import { checkOptions, givenOptions, integerFromOne, missingOption, numberFromZero } from '../../core/options.ts';
import { isRowSource, type RowSource } from '../../core/rowMatrices.ts';
import { add, checkKernel } from '../../kernels/algebra.ts';
import { bias } from '../../kernels/constant.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { kernelToJSON } from '../../kernels/kernelToJson.ts';
import { rbf } from '../../kernels/rbf.ts';
import {
  gaussianLatents,
  isLatentDistribution,
  type LatentDistribution,
  latentMoments,
} from '../../latents/latentDistribution.ts';
import type { DistributedLatents, Mapped } from '../../model/abilities.ts';
import { type Initialization, initialLatents } from '../../model/initialization.ts';
import { meanVariance } from '../../model/leastNoise.ts';
import type { Model, ModelJSON, ParameterValues, Search } from '../../model/model.ts';
import { fixed, type ParameterLike } from '../../model/parameter.ts';
import { imputed } from '../../model/posterior.ts';
import { observedPatterns } from '../../processes/covariance/covariance.ts';
import { checkObserved, functionsOf, isLikelihood, type Likelihood } from '../../processes/likelihoods/likelihood.ts';
import { boundProcess } from '../../processes/variational/boundProcess.ts';
import { checkInducing, type Inducing } from '../../processes/variational/inducingVariables.ts';
import type { Shards } from '../../processes/variational/shards.ts';
import { collapses } from './distributedViews.ts';
import { type Choose, MOST_EXACT, searchOfMany, startedAtMap, withMembers } from './family.ts';
import type { DistributedPaths } from './gpModel.ts';
import { assembledFamily } from './latentVariableModel.ts';
import { modelOfRows, type SampledRows, sampledToJSON, withoutSource } from './sampledRows.ts';
import { type FamilyParts, likelihoodFrom, MAPPING } from './views.ts';

/** Longest lengthscale that a search starts from, of latents with columns of unit variance. */
const LONGEST = 10;

/**
 * Lengthscales where a search starts: (λ₁/λ_d)^¼ with λ_d the variance of the observations that a linear function of column d of the latents explains,
 * from 1 to 10. Were all of them 1, directions of noise would count as much as the first ones, and the search would have to give up
 * structure that it had built on them.
 *
 * @param X - latents where the search starts, N×q
 * @param Y - N×D observations without holes
 */
function startLengthscales(X: Matrix, Y: Matrix): number[] {
  const [x, y] = [
    standardized(X, standardizationOf(X, true, true)),
    standardized(Y, standardizationOf(Y, true, false)),
  ];
  const explained = Array.from({ length: X.columns }, (_, d) => {
    const covariances = new Float64Array(Y.columns);
    for (let i = 0; i < Y.rows; i++) {
      for (let j = 0; j < Y.columns; j++) covariances[j]! += (x.at(i, d) * y.at(i, j)) / Y.rows;
    }
    return covariances.reduce((sum, entry) => sum + entry * entry, 0);
  });
  const most = explained.reduce((a, b) => Math.max(a, b), 0);
  return explained.map((own) => (most === 0 ? 1 : Math.min(LONGEST, pow(most / own, 0.25))));
}

export interface BayesianGplvmOptions<K extends Kernel | undefined = Kernel | undefined> {
  /** q, from 1: more than are needed, since dimensions switch themselves off. */
  readonly latentDim: number;
  /** How many inducing inputs (default at most 50), or where they start, M×q. */
  readonly inducing?: Inducing;
  /** Covariance of the mapping; an rbf with one lengthscale a dimension unless given, which start longer for dimensions that explain little. */
  readonly kernel?: K;
  /** Variance σ² > 0 of Gaussian noise, short for `likelihood: gaussian({ variance })`; starts at a hundredth of the observations' mean variance, and is kept above a millionth, or above a thousandth where a tenth of the rows or more repeat others. */
  readonly noise?: ParameterLike;
  /** How observations are distributed around the mapping; default `gaussian()`. */
  readonly likelihood?: Likelihood;
  /**
   * 'collapsed' works q(u) out; 'uncollapsed' has it as variables (`mapping.variational.…`), which batches and other likelihoods need. Chosen
   * by those unless given.
   */
  readonly bound?: 'collapsed' | 'uncollapsed';
  /**
   * Where the latents' means start: 'pca', 'tsne' (a t-SNE map at unit variance a column, which `fit` makes first), an N×q matrix, or a fitted embedding. Unless
   * given, 'pca'; of counts and labels it is that of the functions behind them. Not together with `latents`.
   */
  readonly init?: 'pca' | 'tsne' | MatrixLike | Initialization;
  /** Where the latents' variances start: a number (0.5) or an N×q matrix. Not together with `latents`. */
  readonly latentVariance?: number | MatrixLike;
  /** The latents: `encoded(map)`, or the default `gaussianLatents()`. */
  readonly latents?: LatentDistribution;
  /** 'ignore' lets the mapping see the observed entries only; without it missing entries (NaN) are an error. */
  readonly missing?: 'ignore';
  /** Whether column means are removed before fitting and put back by `predict`; on unless turned off. */
  readonly center?: boolean;
  /** Whether columns are divided by their standard deviations, undone by `predict`; 'auto', the default, does so where these differ by more than ten times. */
  readonly scale?: ScaleOption;
  /** Added to the diagonal of the covariance of the inducing inputs, ≥ 0; 1e-8 of its mean unless given, and with the default kernel 1e-6 of its variance. */
  readonly jitter?: number;
  /** Where the rows are kept and summed over, if not here: `queueShards` of latentfield/queue. For observations without holes, all at a time; not saved. */
  readonly shards?: Shards;
}

const NAME = 'bayesianGplvm';
const schema = v.strictObject({
  latentDim: integerFromOne,
  inducing: v.optional(v.any()),
  kernel: v.optional(v.any()),
  noise: v.optional(v.any()),
  likelihood: v.optional(v.custom<Likelihood>(isLikelihood, 'a likelihood, such as poisson()')),
  bound: v.optional(v.picklist(['collapsed', 'uncollapsed'], "'collapsed' or 'uncollapsed'")),
  init: v.optional(v.any()),
  latentVariance: v.optional(v.any()),
  latents: v.optional(
    v.custom<LatentDistribution>(isLatentDistribution, 'latents as distributions, such as gaussianLatents()'),
  ),
  missing: missingOption,
  center: v.optional(v.boolean()),
  scale: v.optional(scaleOption),
  jitter: v.optional(numberFromZero),
  shards: v.optional(
    v.custom<Shards>(
      (value) => typeof value === 'object' && value !== null && 'open' in value,
      'what queueShards gives',
    ),
  ),
});

/** Where the noise starts, of the observations' mean variance. The collapsed bound holds it there at first: free, it would grow at once. */
const NOISE = 0.01;

/** Relative to the default kernel's variance: from less, the factor of K_uu loses the digits that a line search needs. */
const JITTER = 1e-6;

/** Unless more are asked for. */
const MOST_INDUCING = 50;

/**
 * A Bayesian GPLVM: its fits have latents that are distributions, beside all that those of a mapping have, and with the default kernel always
 * `relevance`.
 */
type BayesianGplvmModel<K extends Kernel | undefined = Kernel> = Model<
  DistributedPaths<K extends Kernel ? K : DefaultKernel>,
  Mapped & DistributedLatents & (K extends undefined ? Pick<Required<DistributedLatents>, 'relevance'> : unknown),
  'searched'
>;

/** One lengthscale for each dimension; a bias where the likelihood is not Gaussian. */
type DefaultKernel = Kernel<{
  readonly [path: `bias.${string}`]: number;
  readonly 'rbf.variance': number;
  readonly 'rbf.lengthscale': readonly number[];
}>;

/**
 * The Bayesian GPLVM: latents x_n ~ q(x_n) = N(μ_n, diag s_n) under a standard normal prior are integrated out of a Gaussian-process
 * mapping with M inducing inputs. What is maximized is a bound on log p(Y): the collapsed bound of the mapping less KL(q(X)‖p(X)) (terms
 * `mapping` and `divergence`). Latent dimensions that explain nothing switch themselves off: their lengthscales grow, and `fit.relevance`
 * says which are left. Cost O(N·M²·q) an evaluation.
 *
 * Paths: `latents.mean`, `latents.variance`, `mapping.inducing`, `mapping.kernel.…`, `mapping.noise`.
 *
 * @param Y - N×D observations, or a source of their rows, `await rowsOf(file)` or one's own: with latents that are `encoded` and `batchSize`, a fit then
 * holds a batch of them, 2048 rows from which it starts, and the latents
 * @param given - see {@link BayesianGplvmOptions}
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
export function bayesianGplvm<K extends Kernel | undefined = undefined>(
  Y: MatrixLike | RowSource,
  given: BayesianGplvmOptions<K>,
): BayesianGplvmModel<K> {
  const options = givenOptions(given, NAME);
  if (isRowSource(Y)) {
    const checked = checkOptions(schema, options, NAME);
    const model = (sample: SampledRows) => {
      const parts = variationalParts(sample.observations, options, sample);
      const { latents, observations } = parts;
      return {
        model: assembled(parts),
        latentsOf: (values: ParameterValues, own: Matrix) => latentMoments(latents, values, own, observations),
      };
    };
    return modelOfRows(NAME, Y, checked, model) as BayesianGplvmModel<K>;
  }
  if (options.init !== 'tsne') return assembled(variationalParts(Y, options)) as BayesianGplvmModel<K>;
  const startedAt = (init: 'pca' | Initialization) => assembled(variationalParts(Y, { ...options, init }));
  const choose: Choose = async (settings) => {
    const { tsneMap } = await import('../maps/tsneMap.ts');
    const raw = observationsFrom(Y, false, options.scale === true);
    const { likelihood, latentDim, scale = 'auto' } = options;
    const functions = likelihood === undefined ? raw : functionsOf(likelihood, raw);
    const isReal = likelihood === undefined || likelihood.conjugate !== undefined;
    const seen = standardized(functions, standardizationOf(functions, false, isReal && isScaled(raw, scale)));
    return startedAtMap(tsneMap(seen, { latentDim }), settings, startedAt);
  };
  return withMembers(startedAt('pca'), { choose }) as BayesianGplvmModel<K>;
}

/** A model of what its `toJSON` wrote of rows that were read from a source: its observations are those that it started from. */
export function restoredFromRows(
  Y: MatrixLike,
  options: BayesianGplvmOptions,
  sample: Omit<SampledRows, 'observations'>,
): Model {
  return withoutSource(sample.points, assembled(variationalParts(Y, options, sample)), sample.latents);
}

/** Checks everything and fills in defaults. Of observations that are a sample of some that are read from a source, `sampled` says what is known of all. */
function variationalParts(
  Y: MatrixLike,
  options: BayesianGplvmOptions,
  sampled?: Omit<SampledRows, 'observations'>,
): VariationalParts {
  const name = NAME;
  const given = checkOptions(schema, options, name);
  const { latentDim, missing } = given;
  const raw = checkObservedRows(observationsFrom(Y, missing === 'ignore', given.scale === true), 'the observations');
  // Counts and labels are what they are: only real observations may be shifted and scaled.
  const isReal = given.likelihood === undefined || given.likelihood.conjugate !== undefined;
  const { center = isReal, scale = 'auto' } = given;
  const scaled = isReal && isScaled(raw, scale);
  const standardization = sampled?.standardization ?? standardizationOf(raw, center, scaled);
  const seen = standardized(raw, standardization);
  const observations = imputed(seen, latentDim);
  const noise = given.noise ?? (given.likelihood === undefined ? NOISE * meanVariance(observations) : undefined);
  const likelihood = likelihoodFrom(name, { noise, likelihood: given.likelihood }, observations);
  checkObserved(raw, likelihood, center || scaled);
  // A default kernel starts by them too.
  const principal = () => (given.kernel === undefined ? initialLatents('pca', observations, latentDim) : 'pca');
  const latents = latentsFrom(given, () => (isReal ? principal() : functionStart(likelihood, observations, latentDim)));
  const kernel =
    given.kernel === undefined
      ? defaultKernel(given, latents, observations)
      : checkKernel(given.kernel, "Option 'kernel'");
  // The variance of a default kernel is that of the observations, in whatever unit: an absolute jitter would be none in some.
  const jitter =
    given.jitter ?? (given.kernel === undefined && isReal ? JITTER * meanVariance(observations) : undefined);
  const inducing = checkInducing(given.inducing ?? Math.min(MOST_INDUCING, raw.rows), raw.rows, name);
  if (given.bound === 'collapsed' && !collapses(likelihood)) {
    throw new InvalidInputError(
      `The collapsed bound of ${name} takes Gaussian noise with one variance for all observations. Leave out 'bound', or use bound: 'uncollapsed'.`,
    );
  }
  const { shards } = given;
  if (shards !== undefined) checkSharded(likelihood, missing !== undefined);
  const process = boundProcess({
    kernel,
    likelihood,
    inducing,
    jitter,
    collapses: collapses(likelihood) && given.bound !== 'uncollapsed' && sampled === undefined,
    points: sampled?.points,
    shards,
  });
  return {
    observations,
    latentDim,
    latents,
    priors: [],
    views: [
      {
        name: undefined,
        term: MAPPING,
        path: MAPPING,
        patterns: observedPatterns(seen),
        raw,
        seenAs: { missing, center, scale: scaled },
        ...(sampled && { standardization }),
        ...(scaled && scale === 'auto' && { note: SCALED_NOTE }),
        process,
        toJSON: () => {
          throw new InvalidInputError(`The view of ${name} is written with its model.`);
        },
      },
    ],
    sampled,
    toJSON: () => ({
      model: NAME,
      observations: raw.toArrays().map((row) => row.map((entry) => (Number.isNaN(entry) ? null : entry))),
      latentDim,
      latents: latents.toJSON(),
      inducing: typeof inducing === 'number' ? inducing : Matrix.from(inducing).toArrays(),
      kernel: kernelToJSON(kernel),
      likelihood: likelihood.toJSON(),
      ...(missing === undefined ? {} : { missing }),
      ...(given.bound === undefined ? {} : { bound: given.bound }),
      center,
      scale,
      ...(jitter !== undefined && { jitter }),
      ...(sampled && { sampled: sampledToJSON(sampled) }),
    }),
  };
}

/** Throws unless what the rows say of the parameters is a sum of what each of them says by itself. */
function checkSharded({ parameters, conjugate, toJSON }: Likelihood, hasHoles: boolean): void {
  if (hasHoles)
    throw new InvalidInputError("Shards take observations without holes. Leave out 'shards', or 'missing'.");
  if (conjugate !== undefined && typeof parameters.noise!.initial !== 'number' && toJSON().options?.per === 'row') {
    throw new InvalidInputError(
      "Shards take Gaussian noise with one variance, or one a column: a variance of each row is not shared by shards. Leave out 'shards', or per: 'row'.",
    );
  }
}

/** A Bayesian GPLVM with everything checked and defaults filled in. */
interface VariationalParts extends FamilyParts {
  readonly latents: LatentDistribution;
  /** Summary of all observations, where these are read from a source. */
  readonly sampled: Omit<SampledRows, 'observations'> | undefined;
  readonly toJSON: () => ModelJSON;
}

/**
 * A bound of hundreds of variables of q(X) rises for as long again by what neither latents nor bound show: where an iteration gains less than this part of it, 150 points of
 * iris lack 0.005 of −390 and wine 0.05 of −2781.
 */
const searchOfFew: Search = { relativeDecrease: 1e-8 };

function assembled(parts: VariationalParts): Model {
  const model = assembledFamily(NAME, parts, parts.toJSON);
  const isMany = parts.observations.rows > MOST_EXACT && parts.sampled === undefined;
  return withMembers(model, { search: isMany ? searchOfMany : { ...model.search, ...searchOfFew } });
}

/**
 * An rbf whose variance is held at the observations' mean variance: were it free, the first steps would let it and the lengthscales grow to
 * where the mapping is linear and K_uu singular. One lengthscale a dimension, longer for those that explain little of the observations where the
 * search starts: see {@link startLengthscales}. Counts and labels have no mean removed: they get a bias, and lengthscales of 1.
 */
function defaultKernel(
  { likelihood, latentDim }: v.InferOutput<typeof schema>,
  latents: LatentDistribution,
  observations: Matrix,
): Kernel {
  const isReal = likelihood === undefined || likelihood.conjugate !== undefined;
  if (!isReal) return add(rbf({ variance: 1, lengthscale: new Array<number>(latentDim).fill(1) }), bias());
  const lengthscale = startLengthscales(latents.start(observations, latentDim), observations);
  return rbf({ variance: fixed(meanVariance(observations)), lengthscale });
}

/** The principal components of the functions behind counts and labels. */
const functionStart = (likelihood: Likelihood, observations: Matrix, latentDim: number): Matrix =>
  initialLatents('pca', functionsOf(likelihood, observations), latentDim);

function latentsFrom(
  { latents, init, latentVariance }: v.InferOutput<typeof schema>,
  principal: () => 'pca' | Matrix,
): LatentDistribution {
  if (latents === undefined) {
    return gaussianLatents({
      init: init === undefined || init === 'pca' ? principal() : (init as MatrixLike),
      ...(latentVariance !== undefined && { variance: latentVariance as number }),
    });
  }
  if (init === undefined && latentVariance === undefined) return latents;
  throw new InvalidInputError(
    'bayesianGplvm takes either latents, or init and latentVariance, but both were given. Say it in the latents: gaussianLatents({ init, variance }).',
  );
}
