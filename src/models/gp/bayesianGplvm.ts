import * as v from 'valibot';
import { pow } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import type { NamedTable, ObservationsLike } from '../../core/namedTable.ts';
import { checkObservedRows, standardizationOf, standardized } from '../../core/observations.ts';
import {
  checkOptions,
  givenOptions,
  integerFromOne,
  numberFromZero,
  type OptionsIn,
  typed,
} from '../../core/options.ts';
import { isRowSource, type RowSource } from '../../core/rowMatrices.ts';
import { add } from '../../kernels/algebra.ts';
import { bias } from '../../kernels/constant.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { rbf } from '../../kernels/rbf.ts';
import { gaussianLatents, isLatentDistribution } from '../../latents/latentDistribution.ts';
import type { DistributedLatents, Mapped } from '../../model/abilities.ts';
import { hasOptimum } from '../../model/entrywise/gaussian.ts';
import type { Likelihood } from '../../model/entrywise/likelihood.ts';
import type { Initialization } from '../../model/initialization.ts';
import type { DensityStart } from '../../model/language/density.ts';
import { latent } from '../../model/language/latent.ts';
import { type DistributedRows, observed } from '../../model/language/variable.ts';
import { meanVariance } from '../../model/leastNoise.ts';
import type { Model, ModelJSON, Search } from '../../model/model.ts';
import { fixed, positive } from '../../model/parameter.ts';
import { plainData } from '../../model/plainData.ts';
import type { Shards } from '../../processes/variational/shards.ts';
import type { ColumnsByKind } from './byKind.ts';
import { MOST_EXACT, searchOfMany } from './family.ts';
import { columnsOption, type DistributedPaths } from './gpModel.ts';
import {
  type Declaration,
  declaredModel,
  givenEntry,
  inputsOf,
  MAPPING,
  settings,
  unitNormal,
} from './latentVariableModel.ts';
import {
  type CheckedView,
  functionVariance,
  isReal,
  processEntries,
  readUnder,
  rowsProcess,
  viewToJSON,
} from './process.ts';

/** Longest initial lengthscale, for latents with columns of unit variance. */
const LONGEST = 10;

/**
 * Initial lengthscales (λ₁/λ_d)^¼, from 1 to 10, with λ_d the variance of the observations that a linear function of latent column d explains. If all
 * of them were 1, directions of noise would count as much as the first ones, and the search would have to discard structure that it had built on them.
 *
 * @param X - initial latents, N×q
 * @param Y - N×D observations without missing entries
 */
export function startLengthscales(X: Matrix, Y: Matrix): number[] {
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

export interface BayesianGplvmOptions<K extends Kernel | undefined = Kernel | undefined>
  extends Omit<OptionsIn<typeof schema>, 'kernel'> {
  /** Covariance of the mapping; default an rbf with one lengthscale per dimension, which starts longer for dimensions that explain little. */
  readonly kernel?: K;
  /**
   * Densities by the kinds of a table's columns, `byKind()`: numbers, amounts, fractions, counts, grades, yes and no, categories. Can be combined with `latentDim`,
   * `inducing`, `missing` and `rowWeights`.
   */
  readonly columns?: ColumnsByKind;
}

const NAME = 'bayesianGplvm';
const schema = v.strictObject({
  ...processEntries,
  /** Number of inducing inputs (default at most 50), or their initial values, M×q. */
  inducing: processEntries.inducing,
  /**
   * Variance σ² > 0 of Gaussian noise, short for `likelihood: gaussian({ variance })`; it starts at a hundredth of the observations' mean variance
   * and stays above a millionth of it, or above a thousandth if at least a tenth of the rows repeat others.
   */
  noise: processEntries.noise,
  /** Whether columns are divided by their standard deviations, undone by `predict`; 'auto', the default, divides if these differ by a factor of more than ten. */
  scale: processEntries.scale,
  /** Jitter added to the diagonal of the covariance of the inducing inputs, ≥ 0; default 1e-8 of its mean, and with the default kernel 1e-6 of its variance. */
  jitter: v.optional(numberFromZero),
  /** Number of latent dimensions q, from 1; may exceed the number needed, since unneeded dimensions are switched off. */
  latentDim: integerFromOne,
  /** Covariates of the rows, `covariates(C)`, whose effects the default kernel adds: the latents then show what they do not explain. New rows need theirs. */
  given: givenEntry,
  /**
   * 'collapsed' integrates q(u) out analytically; 'uncollapsed' treats it as variables (`mapping.variational.…`), as batches and non-Gaussian
   * likelihoods require. By default the one that is required.
   */
  bound: v.optional(v.picklist(['collapsed', 'uncollapsed'], "'collapsed' or 'uncollapsed'")),
  /**
   * Initial means of the latents: 'pca', 'tsne' (a t-SNE map with unit variance per column, which `fit` computes first), an N×q matrix, or a fitted
   * embedding. Default 'pca'; for counts and labels, of the latent functions. Not together with `posterior`.
   */
  init: v.optional(typed<'pca' | 'tsne' | MatrixLike | Initialization>()),
  /** Initial variances of the latents: a number (0.5) or an N×q matrix. Not together with `posterior`. */
  latentVariance: v.optional(typed<number | MatrixLike>()),
  /** Inference of the latents: `encoded(map)`, or the default `gaussianLatents()`. */
  posterior: v.optional(v.custom<DistributedRows>(isLatentDistribution, 'Gaussian rows, such as gaussianLatents()')),
  /** Remote storage of the rows, which also sums over them: `queueShards` of latentfield/queue. Requires complete observations without batches; not saved. */
  shards: v.optional(
    v.custom<Shards>(
      (value) => typeof value === 'object' && value !== null && 'open' in value,
      'what queueShards gives',
    ),
  ),
});

/** Jitter relative to the default kernel's variance: with less, the factor of K_uu loses the digits that a line search needs. */
const JITTER = 1e-6;

/** Bayesian GPLVM: its fits have latent distributions in addition to the abilities of mappings, and with the default kernel always `relevance`. */
type BayesianGplvmModel<K extends Kernel | undefined = Kernel> = Model<
  DistributedPaths<K extends Kernel ? K : DefaultKernel>,
  Mapped & DistributedLatents & (K extends undefined ? Pick<Required<DistributedLatents>, 'relevance'> : unknown),
  'searched'
>;

/** Default kernel with one lengthscale per dimension, and a bias for non-Gaussian likelihoods. */
type DefaultKernel = Kernel<{
  readonly [path: `bias.${string}`]: number;
  readonly 'rbf.variance': number;
  readonly 'rbf.lengthscale': readonly number[];
}>;

/**
 * Bayesian GPLVM: latents x_n ~ q(x_n) = N(μ_n, diag s_n) under a standard normal prior are integrated out of a Gaussian-process
 * mapping with M inducing inputs. The objective is a bound on log p(Y): the collapsed bound of the mapping minus KL(q(X)‖p(X)) (terms `mapping` and
 * `divergence`). Latent dimensions that explain nothing are switched off: their lengthscales grow, and `fit.relevance` shows which are left. An
 * evaluation costs O(N·M²·q).
 *
 * Paths: `latents.mean`, `latents.variance`, `mapping.inducing`, `mapping.kernel.…`, `mapping.noise`.
 *
 * @summary GPLVM with distributions as latents: finds how many dimensions are needed; many rows
 * @param Y - N×D observations, or a source of their rows, `await rowsOf(file)` or a custom one: with `encoded` latents and `batchSize`, a fit then
 * keeps in memory only a batch of them, 2048 rows for initialization, and the latents; with `columns`, a table
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
  Y: MatrixLike | RowSource | NamedTable,
  given: BayesianGplvmOptions<K>,
): BayesianGplvmModel<K> {
  const columns = columnsOption(given, NAME);
  if (columns !== undefined) return columns.model(NAME, Y as ObservationsLike, given) as BayesianGplvmModel<K>;
  const options = checkOptions(schema, givenOptions(given, NAME), NAME);
  checkGiven(options, isRowSource(Y));
  const declare = (data: { readonly Y: MatrixLike | RowSource }) => declaration(data.Y, options);
  return declaredModel(NAME, { Y: Y as MatrixLike | RowSource }, declare, (declared) =>
    toJSON(declared, options),
  ) as BayesianGplvmModel<K>;
}

type Options = v.InferOutput<typeof schema>;

/** X ~ N(0, I) with Gaussian rows, and the observations as a process of X with inducing inputs. */
function declaration(Y: MatrixLike | RowSource, options: Options): Declaration {
  const { latentDim, bound, shards, init = 'pca', latentVariance, given } = options;
  const y = readUnder(Y, { ...options, scale: options.scale ?? 'auto' });
  checkObservedRows(y.raw, 'the observations');
  const isTsne = init === 'tsne';
  const posterior =
    options.posterior ??
    gaussianLatents({
      init: isTsne ? 'pca' : (init as 'pca' | MatrixLike | Initialization),
      ...(latentVariance !== undefined && { variance: latentVariance as number }),
    });
  const setting = settings([y], posterior, latentDim, undefined, given);
  const completed = setting.completed(0);
  const usesDefault = options.kernel === undefined && isReal(options);
  const own = () => defaultKernel(options, y.raw.rows === 0 ? undefined : setting.start, completed);
  const view: CheckedView = {
    ...{ name: '', owner: NAME, y },
    options: {
      ...options,
      scale: y.scale,
      kernel:
        options.kernel ??
        given?.kernel(own(), latentDim, functionVariance(y, options.likelihood, options.offset)) ??
        own(),
    },
  };
  const process = rowsProcess(view, setting.of(0), {
    ...{ collapses: bound !== 'uncollapsed' && y.stream === undefined, points: y.stream?.rows, shards },
    // The default kernel has the variance of the observations, in any unit: an absolute jitter would be negligible in some.
    jitter: options.jitter ?? (usesDefault ? JITTER * meanVariance(completed) : undefined),
    ...(isTsne && usesDefault && { startedAt: lengthscalesAt }),
  });
  if (bound === 'collapsed' && !hasOptimum(process.likelihood)) {
    throw new InvalidInputError(
      `The collapsed bound of ${NAME} takes Gaussian noise with one variance for all observations, or one per column. Leave out 'bound', or use bound: 'uncollapsed'.`,
    );
  }
  const ofRows = (['rowWeights', 'offset'] as const).find((name) => options[name] !== undefined);
  if (shards !== undefined && ofRows !== undefined) {
    throw new InvalidInputError(`${NAME} does not support ${ofRows} with shards. Omit one of them.`);
  }
  if (shards !== undefined) checkSharded(process.likelihood, y.missing !== undefined);
  const latents = latent({ dim: latentDim, density: unitNormal, posterior, init: isTsne ? 'tsne' : undefined });
  const variable = observed(y, {
    density: process,
    given: inputsOf(latents, y, given, process),
    weights: options.rowWeights,
  });
  const isMany = y.stream === undefined && y.raw.rows > MOST_EXACT;
  return {
    ...{ latents, given, posterior, priors: [], mappings: { [MAPPING]: { process, variable } } },
    search: isMany ? searchOfMany : searchOfFew,
  };
}

function checkGiven({ posterior, init, latentVariance, given, offset }: Options, isStream: boolean): void {
  if (posterior !== undefined && (init !== undefined || latentVariance !== undefined)) {
    throw new InvalidInputError(
      'bayesianGplvm takes either posterior, or init and latentVariance, but both were given. Put them into the posterior: gaussianLatents({ init, variance }).',
    );
  }
  const ofRows = given === undefined ? offset && 'offset' : 'given';
  if (isStream && ofRows !== undefined) {
    throw new InvalidInputError(
      `${NAME} takes covariates and offsets of rows in a matrix, but the observations are read some rows at a time. Leave out '${ofRows}', or give a matrix.`,
    );
  }
  if (!isStream || posterior?.pointwise.length === 0) return;
  throw new InvalidInputError(
    `The latents of a ${NAME} whose observations are read some rows at a time are a function of them. Give posterior: encoded(mlpMap({ hidden: 20 })).`,
  );
}

function toJSON({ posterior, latents, given, mappings }: Declaration, { bound }: Options): ModelJSON {
  const { process, variable } = mappings[MAPPING]!;
  const { stream } = variable.observations!;
  const { jitter, ...view } = viewToJSON(variable.observations!, process, variable.weights);
  return {
    model: NAME,
    ...view,
    ...(stream && { observations: plainData(stream) }),
    latentDim: latents.dim,
    latents: (posterior as DistributedRows).toJSON(),
    ...(given && { given: given.rows.toArrays() }),
    ...(bound === undefined ? {} : { bound }),
    ...(jitter !== 'relative' && { jitter }),
  };
}

/** Throws unless the density of the rows is a sum of independent terms of each row. */
function checkSharded({ parameters, conjugate, toJSON }: Likelihood, hasHoles: boolean): void {
  if (hasHoles)
    throw new InvalidInputError("Shards take observations without holes. Leave out 'shards', or 'missing'.");
  if (conjugate !== undefined && typeof parameters.noise!.initial !== 'number' && toJSON().options?.per === 'row') {
    throw new InvalidInputError(
      "Shards take Gaussian noise with one variance, or one per column: shards do not share a variance per row. Leave out 'shards', or per: 'row'.",
    );
  }
}

/**
 * Search for small problems. A bound with hundreds of variables of q(X) increases for as long again with no visible change of latents or bound: with
 * this relative decrease, 150 points of iris lack 0.005 of −390 and wine 0.05 of −2781.
 */
const searchOfFew: Search = { relativeDecrease: 1e-8 };

/**
 * Rbf kernel with its variance fixed at the observations' mean variance: if it were free, it and the lengthscales would grow during the first steps
 * until the mapping is linear and K_uu singular. It has one lengthscale per dimension, longer for dimensions that initially explain little of the
 * observations: see {@link startLengthscales}. Counts and labels are not centered: they get a bias, and lengthscales of 1.
 *
 * @param start - initial latents; undefined for rows that have not been read
 */
function defaultKernel(options: Options, start: (() => Matrix) | undefined, observations: Matrix): Kernel {
  const ones = new Array<number>(options.latentDim).fill(1);
  if (!isReal(options)) return add(rbf({ variance: 1, lengthscale: ones }), bias());
  const lengthscale = start === undefined ? ones : startLengthscales(start(), observations);
  return rbf({ variance: fixed(meanVariance(observations)), lengthscale });
}

/** Lengthscales of a default kernel at the initial map. */
const lengthscalesAt = ({ given, observations }: DensityStart) => ({
  'kernel.rbf.lengthscale': positive(startLengthscales(given[0]!.mean, observations)),
});
