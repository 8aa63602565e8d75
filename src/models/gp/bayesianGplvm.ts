import * as v from 'valibot';
import { pow } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { checkObservedRows, type ScaleOption, standardizationOf, standardized } from '../../core/observations.ts';
import { checkOptions, givenOptions, integerFromOne } from '../../core/options.ts';
import { isRowSource, type RowSource } from '../../core/rowMatrices.ts';
import { add } from '../../kernels/algebra.ts';
import { bias } from '../../kernels/constant.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { rbf } from '../../kernels/rbf.ts';
import { gaussianLatents, isLatentDistribution } from '../../latents/latentDistribution.ts';
import type { DistributedLatents, Mapped } from '../../model/abilities.ts';
import type { Initialization } from '../../model/initialization.ts';
import type { DensityStart } from '../../model/language/density.ts';
import { latent } from '../../model/language/latent.ts';
import { type DistributedRows, observed } from '../../model/language/variable.ts';
import { meanVariance } from '../../model/leastNoise.ts';
import type { Model, ModelJSON, Search } from '../../model/model.ts';
import { fixed, type ParameterLike, positive } from '../../model/parameter.ts';
import { plainData } from '../../model/plainData.ts';
import type { Likelihood } from '../../processes/likelihoods/likelihood.ts';
import type { Inducing } from '../../processes/variational/inducingVariables.ts';
import type { Shards } from '../../processes/variational/shards.ts';
import { MOST_EXACT, searchOfMany } from './family.ts';
import type { DistributedPaths } from './gpModel.ts';
import { type Declaration, declaredModel, MAPPING, settings, unitNormal } from './latentVariableModel.ts';
import { type CheckedView, collapses, isReal, processEntries, readUnder, rowsProcess, viewToJSON } from './process.ts';

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
  /** Number of latent dimensions q, from 1: more than are needed, since dimensions switch themselves off. */
  readonly latentDim: number;
  /** How many inducing inputs (default at most 50), or where they start, M×q. */
  readonly inducing?: Inducing;
  /** Covariance of the mapping; default an rbf with one lengthscale per dimension, which starts longer for dimensions that explain little. */
  readonly kernel?: K;
  /**
   * Variance σ² > 0 of Gaussian noise, short for `likelihood: gaussian({ variance })`; starts at a hundredth of the observations' mean variance and stays
   * above a millionth of it, or above a thousandth where at least a tenth of the rows repeat others.
   */
  readonly noise?: ParameterLike;
  /** How observations are distributed around the mapping; default `gaussian()`. */
  readonly likelihood?: Likelihood;
  /**
   * 'collapsed' works q(u) out; 'uncollapsed' has it as variables (`mapping.variational.…`), which batches and other likelihoods need. Chosen
   * by those unless given.
   */
  readonly bound?: 'collapsed' | 'uncollapsed';
  /**
   * Start of the latents' means: 'pca', 'tsne' (a t-SNE map with unit variance per column, which `fit` makes first), an N×q matrix, or a fitted embedding.
   * Default 'pca'; counts and labels start from the functions behind them. Not together with `posterior`.
   */
  readonly init?: 'pca' | 'tsne' | MatrixLike | Initialization;
  /** Where the latents' variances start: a number (0.5) or an N×q matrix. Not together with `posterior`. */
  readonly latentVariance?: number | MatrixLike;
  /** How the latents are inferred: `encoded(map)`, or the default `gaussianLatents()`. */
  readonly posterior?: DistributedRows;
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
  ...processEntries,
  latentDim: integerFromOne,
  bound: v.optional(v.picklist(['collapsed', 'uncollapsed'], "'collapsed' or 'uncollapsed'")),
  init: v.optional(v.any()),
  latentVariance: v.optional(v.any()),
  posterior: v.optional(v.custom<DistributedRows>(isLatentDistribution, 'Gaussian rows, such as gaussianLatents()')),
  shards: v.optional(
    v.custom<Shards>(
      (value) => typeof value === 'object' && value !== null && 'open' in value,
      'what queueShards gives',
    ),
  ),
});

/** Relative to the default kernel's variance: from less, the factor of K_uu loses the digits that a line search needs. */
const JITTER = 1e-6;

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
 * @summary GPLVM with distributions as latents: finds how many dimensions are needed; many rows
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
  const options = checkOptions(schema, givenOptions(given, NAME), NAME);
  checkGiven(options, isRowSource(Y));
  const declare = (data: { readonly Y: MatrixLike | RowSource }) => declaration(data.Y, options);
  return declaredModel(NAME, { Y }, declare, (declared) => toJSON(declared, options)) as BayesianGplvmModel<K>;
}

type Options = v.InferOutput<typeof schema>;

/** X ~ N(0, I) under Gaussian rows, and the observations as a process of X through inducing inputs. */
function declaration(Y: MatrixLike | RowSource, options: Options): Declaration {
  const { latentDim, bound, shards, init = 'pca', latentVariance } = options;
  const y = readUnder(Y, { ...options, scale: options.scale ?? 'auto' });
  checkObservedRows(y.raw, 'the observations');
  const isTsne = init === 'tsne';
  const posterior =
    options.posterior ??
    gaussianLatents({
      init: isTsne ? 'pca' : (init as 'pca' | MatrixLike | Initialization),
      ...(latentVariance !== undefined && { variance: latentVariance as number }),
    });
  const setting = settings([y], posterior, latentDim);
  const completed = setting.completed(0);
  const usesDefault = options.kernel === undefined && isReal(options);
  const view: CheckedView = {
    ...{ name: '', owner: NAME, y },
    options: {
      ...options,
      scale: y.scale,
      kernel: options.kernel ?? defaultKernel(options, y.raw.rows === 0 ? undefined : setting.start, completed),
      // The variance of a default kernel is that of the observations, in whatever unit: an absolute jitter would be none in some.
      jitter: options.jitter ?? (usesDefault ? JITTER * meanVariance(completed) : undefined),
    },
  };
  const process = rowsProcess(view, setting.of(0), {
    ...{ collapses: bound !== 'uncollapsed' && y.stream === undefined, points: y.stream?.rows, shards },
    ...(isTsne && usesDefault && { startedAt: lengthscalesAt }),
  });
  if (bound === 'collapsed' && !collapses(process.likelihood)) {
    throw new InvalidInputError(
      `The collapsed bound of ${NAME} takes Gaussian noise with one variance for all observations. Leave out 'bound', or use bound: 'uncollapsed'.`,
    );
  }
  if (shards !== undefined) checkSharded(process.likelihood, y.missing !== undefined);
  const latents = latent({ dim: latentDim, density: unitNormal, posterior, init: isTsne ? 'tsne' : undefined });
  const variable = observed(y, { density: process, given: latents });
  const isMany = y.stream === undefined && y.raw.rows > MOST_EXACT;
  return {
    ...{ latents, posterior, priors: [], mappings: { [MAPPING]: { process, variable } } },
    search: isMany ? searchOfMany : searchOfFew,
  };
}

function checkGiven({ posterior, init, latentVariance }: Options, isStream: boolean): void {
  if (posterior !== undefined && (init !== undefined || latentVariance !== undefined)) {
    throw new InvalidInputError(
      'bayesianGplvm takes either posterior, or init and latentVariance, but both were given. Put them into the posterior: gaussianLatents({ init, variance }).',
    );
  }
  if (!isStream || posterior?.pointwise.length === 0) return;
  throw new InvalidInputError(
    `The latents of a ${NAME} whose observations are read some rows at a time are a function of them. Give posterior: encoded(mlpMap({ hidden: 20 })).`,
  );
}

function toJSON({ posterior, latents, mappings }: Declaration, { bound }: Options): ModelJSON {
  const { process, variable } = mappings[MAPPING]!;
  const { stream } = variable.observations!;
  const { jitter, ...view } = viewToJSON(variable.observations!, process);
  return {
    model: NAME,
    ...view,
    ...(stream && { observations: plainData(stream) }),
    latentDim: latents.dim,
    latents: (posterior as DistributedRows).toJSON(),
    ...(bound === undefined ? {} : { bound }),
    ...(jitter !== 'relative' && { jitter }),
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

/**
 * A bound of hundreds of variables of q(X) rises for as long again by what neither latents nor bound show: where an iteration gains less than this part of it, 150 points of
 * iris lack 0.005 of −390 and wine 0.05 of −2781.
 */
const searchOfFew: Search = { relativeDecrease: 1e-8 };

/**
 * An rbf whose variance is held at the observations' mean variance: were it free, the first steps would let it and the lengthscales grow to
 * where the mapping is linear and K_uu singular. One lengthscale a dimension, longer for those that explain little of the observations where the
 * search starts: see {@link startLengthscales}. Counts and labels have no mean removed: they get a bias, and lengthscales of 1.
 *
 * @param start - where the latents start; undefined of rows that are not read yet
 */
function defaultKernel(options: Options, start: (() => Matrix) | undefined, observations: Matrix): Kernel {
  const ones = new Array<number>(options.latentDim).fill(1);
  if (!isReal(options)) return add(rbf({ variance: 1, lengthscale: ones }), bias());
  const lengthscale = start === undefined ? ones : startLengthscales(start(), observations);
  return rbf({ variance: fixed(meanVariance(observations)), lengthscale });
}

/** Lengthscales of a default kernel at a map where its inputs start. */
const lengthscalesAt = ({ given, observations }: DensityStart) => ({
  'kernel.rbf.lengthscale': positive(startLengthscales(given[0]!.mean, observations)),
});
