import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { checkEach, Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkGiven, checkOptions, isPart, namedOptions, type OptionsIn, typed } from '../core/options.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import { type Initialization, initialLatents, keptInit } from '../model/initialization.ts';
import { correlatedRows, correlatedRowsAt, precisionOf } from '../model/language/correlatedRows.ts';
import type { DistributedRows } from '../model/language/variable.ts';
import { positive, real } from '../model/parameter.ts';
import { type LatentMap, withCheckedShape } from './defineMap.ts';

/** Half of the prior variance: with smaller ones the first steps fit the noise, with larger ones the initial means are lost. */
const VARIANCE = 0.5;

export interface GaussianLatentsOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Initial means: 'pca' (the default), an N×q matrix used as is, or an object with N×q `latents` (scaled to unit variance). */
  init: v.optional(typed<'pca' | MatrixLike | Initialization>(), 'pca'),
  /** Initial variances: a number > 0 for all (0.5), or an N×q matrix. */
  variance: v.optional(typed<number | MatrixLike>(), VARIANCE),
  /**
   * True for a posterior whose rows are correlated as in the prior, q(x_d) = N(m_d, (Q + diag λ_d)⁻¹) in each column, with Q the precision of the
   * variable's density: a process over known variables, `markov`, `laplacian` or a `maxEntropy` field. From 200 rows along a graph of few edges it
   * uses a sparse factor and no N×N matrix; other densities allow at most 4000 rows. Default independent rows.
   */
  correlated: v.optional(v.boolean('true or false'), false),
});

/**
 * Gaussian posterior of latents, q(X) = Π_n N(x_n; μ_n, diag s_n), with a separate mean and variance for each entry under the paths `latents.mean`
 * and `latents.variance` (N×q each).
 *
 * With `correlated`, the posterior keeps the correlations of the prior: q(x_d) = N(m_d, (Q + diag λ_d)⁻¹), with λ (N×q, > 0) under
 * `latents.precision`. The optimal Gaussian posterior has this form if the observations factorize over rows, and its bound is at least as high as
 * with independent rows. Initial variances s become λ = 1/s.
 *
 * @param options - see {@link GaussianLatentsOptions}
 * @throws InvalidInputError for an unknown option or a variance that is not positive; when a model is made, if the initial values do not match the
 *   observations
 * @see Titsias & Lawrence 2010, §3; Damianou, Titsias & Lawrence 2011, §3.2
 * @example
 * ```ts
 * bayesianGplvm(Y, { latentDim: 5, inducing: 20, posterior: gaussianLatents({ variance: 0.1 }) });
 *
 * const field = laplacian(knnGraph(Y, 5), { strength: positive(1), offset: positive(1) });
 * const z = latent({ dim: 2, density: field, posterior: gaussianLatents({ correlated: true }) });
 * ```
 */
export function gaussianLatents(options: GaussianLatentsOptions = {}): DistributedRows {
  const { init: given, variance, correlated } = checkOptions(schema, options, 'gaussianLatents');
  const init = keptInit(given);
  return Object.freeze<DistributedRows>({
    kind: 'latentDistribution',
    name: 'gaussian',
    parameters: (Y, latentDim) => ({
      'latents.mean': real(initialLatents(init, Y, latentDim)),
      ...(correlated
        ? { 'latents.precision': positive(inverses(variancesFrom(variance, Y.rows, latentDim))) }
        : { 'latents.variance': positive(variancesFrom(variance, Y.rows, latentDim)) }),
    }),
    init,
    from: (other) => gaussianLatents({ variance, correlated, init: other }),
    mapsObservations: false,
    features: (Y) => Y,
    pointwise: ['latents.mean', correlated ? 'latents.precision' : 'latents.variance'],
    ...(correlated && { precisionFrom: precisionOf, correlatedAt: correlatedRowsAt }),
    apply: (p, _, prior) => {
      const mean = p['latents.mean'] as Tensor2D;
      if (!correlated) return { mean, variance: p['latents.variance'] as Tensor2D };
      const lambda = p['latents.precision'] as Tensor2D;
      return prior === undefined ? { mean, variance: op.div(1, lambda) } : correlatedRows(mean, lambda, prior);
    },
    // The fitted values are saved with the others: the start is not needed again.
    toJSON: () => ({ name: 'gaussian' }),
  });
}

const inverses = (X: Matrix) => X.map((entry) => 1 / entry);

/** N×q variances from one number or a matrix. */
function variancesFrom(given: number | MatrixLike, rows: number, columns: number): Matrix {
  if (typeof given === 'number') {
    if (given > 0 && Number.isFinite(given))
      return new Matrix(new Float64Array(rows * columns).fill(given), rows, columns);
    throw new InvalidInputError(`The variance of latents must be greater than 0, but ${given} was given.`);
  }
  const variances = Matrix.from(given, 'The variance of latents');
  if (variances.rows !== rows || variances.columns !== columns) {
    throw new InvalidInputError(
      `The variance of latents must be ${rows}×${columns} or one number, but a ${variances.rows}×${variances.columns} matrix was given.`,
    );
  }
  return checkEach(
    variances,
    'The variance of latents must be greater than 0',
    (entry) => entry > 0 && Number.isFinite(entry),
  );
}

const PREFIX = 'latents.';
/** Initial log variances: half of the prior's. */
const LOG_VARIANCE = -Math.LN2;

/**
 * Gaussian posterior that is a function of the observations (amortized): the map has 2q outputs, means and log variances, so that new observations
 * cost one pass. Its paths are the map's: `latents.weights`, `latents.layer1.weights`, …
 *
 * @param map - any back-constraint map: `linearMap()`, `kernelRegression({ gamma })`, `mlpMap({ hidden })`, or a custom one of `defineMap`
 * @param options - `init`: initial means, approximated by the map: 'pca' (the default), an N×q matrix, or a fitted embedding
 * @throws InvalidInputError if the map is invalid
 * @see Kingma & Welling 2014, appendix C.2; Dai et al. 2016
 * @example
 * ```ts
 * bayesianGplvm(Y, { latentDim: 2, inducing: 30, posterior: encoded(mlpMap({ hidden: 20 })) });
 * ```
 */
export function encoded(
  map: LatentMap,
  options: { readonly init?: 'pca' | MatrixLike | Initialization } = {},
): DistributedRows {
  checkGiven(map, 'encoded', 'a map, such as mlpMap({ hidden: 20 })', (given) =>
    isPart(given, 'map', ['parameters', 'features', 'apply']),
  );
  const init = keptInit(namedOptions(options, 'encoded', ['init']).init ?? 'pca');
  return Object.freeze<DistributedRows>({
    kind: 'latentDistribution',
    name: 'encoded',
    parameters: (Y, latentDim, seed) => {
      const features = map.features(Y, Y);
      const latents = withLogVariances(initialLatents(init, Y, latentDim));
      const start = { observations: Y, features, latents, latentDim: 2 * latentDim, seed };
      const own = withCheckedShape(map, map.parameters(start), features, 2 * latentDim, 'means and log variances');
      return Object.fromEntries(Object.entries(own).map(([name, value]) => [PREFIX + name, value]));
    },
    init,
    from: (other) => encoded(map, { init: other }),
    mapsObservations: true,
    features: map.features,
    pointwise: [],
    apply: (p, features) => {
      const own = Object.entries(p).filter(([path]) => path.startsWith(PREFIX));
      const outputs = map.apply(
        Object.fromEntries(own.map(([path, value]) => [path.slice(PREFIX.length), value])),
        features,
      );
      const [n, width] = outputs.shape;
      if (outputs.rank !== 2 || n !== features.shape[0] || width % 2 !== 0) {
        throw new InvalidInputError(
          `Map '${map.name}' must give a mean and a log variance a latent dimension for each of ${features.shape[0]} observations, but its ` +
            `result has shape [${outputs.shape}].`,
        );
      }
      return {
        mean: op.slice<Tensor2D>(outputs, [0, 0], [-1, width / 2]),
        variance: op.exp<Tensor2D>(op.slice(outputs, [0, width / 2], [-1, width / 2])),
      };
    },
    toJSON: () => ({
      name: 'encoded',
      map: { name: map.name, ...(map.options === undefined ? {} : { options: map.options }) },
    }),
  });
}

/** N×2q: the means, followed by the initial log variances. */
function withLogVariances(means: Matrix): Matrix {
  const { rows, columns: q } = means;
  return Matrix.zeros(rows, 2 * q).map((_, i, c) => (c < q ? means.at(i, c) : LOG_VARIANCE));
}

export function isLatentDistribution(value: unknown): value is DistributedRows {
  return isPart(value, 'latentDistribution', ['parameters', 'features', 'apply']);
}
