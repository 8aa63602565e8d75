import { InvalidInputError } from '../core/errors.ts';
import { givenOptions } from '../core/given.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { unknownName } from '../core/options.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import { type Initialization, initialLatents } from '../model/initialization.ts';
import { correlatedRows, correlatedRowsAt, precisionOf } from '../model/language/correlatedRows.ts';
import { positive, real } from '../model/parameter.ts';
import type { LatentDistribution } from './latentDistribution.ts';

export interface GaussianLatentsOptions {
  /** Where the means start: 'pca' (the default), an N×q matrix taken as it is, or anything with N×q `latents` (scaled to unit variance). */
  readonly init?: 'pca' | MatrixLike | Initialization;
  /** Where the variances start: a number > 0 for all (0.5), or an N×q matrix. */
  readonly variance?: number | MatrixLike;
  /**
   * True for rows that are correlated as the density of their variable has it, q(x_d) = N(m_d, (Q + diag λ_d)⁻¹) in each column, Q the precision of that density: a process over
   * known variables, `markov`, `laplacian` or a `maxEntropy` field. Of 200 rows and more along a graph of few edges they take a sparse factor, with no N×N matrix; others are at most 4000.
   * Independent rows unless given.
   */
  readonly correlated?: boolean;
}

/** Half of the prior's: smaller ones let the first steps fit the noise, larger ones lose what the means say. */
const VARIANCE = 0.5;

/**
 * Latents as distributions, q(X) = Π_n N(x_n; μ_n, diag s_n), every mean and variance a variable of its own, under the paths `latents.mean` and
 * `latents.variance` (N×q each).
 *
 * With `correlated` the rows share what the density of their variable says of them together: q(x_d) = N(m_d, (Q + diag λ_d)⁻¹), with λ (N×q, > 0) under `latents.precision`. The optimum has
 * this form wherever observations speak of each row by itself, and a bound that is at least as high as that of independent rows. A start at variance s is λ = 1/s.
 *
 * @param options - see {@link GaussianLatentsOptions}
 * @throws InvalidInputError for an unknown option, and when the variance is not positive; when a model is made, when the start does not fit the observations
 * @see Titsias & Lawrence 2010, §3; Damianou, Titsias & Lawrence 2011, §3.2
 * @example
 * ```ts
 * bayesianGplvm(Y, { latentDim: 5, inducing: 20, latents: gaussianLatents({ variance: 0.1 }) });
 *
 * const field = laplacian(knnGraph(Y, 5), { strength: positive(1), offset: positive(1) });
 * const z = latent({ dim: 2, density: field, posterior: gaussianLatents({ correlated: true }) });
 * ```
 */
export function gaussianLatents(options: GaussianLatentsOptions = {}): LatentDistribution {
  const { init = 'pca', variance = VARIANCE, correlated = false, ...others } = givenOptions(options, 'gaussianLatents');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw unknownName('option', unknown, ['init', 'variance', 'correlated'], 'gaussianLatents');
  if (typeof correlated !== 'boolean') {
    throw new InvalidInputError(
      `Option 'correlated' of gaussianLatents is true or false, but ${describe(correlated)} was given.`,
    );
  }
  return Object.freeze<LatentDistribution>({
    kind: 'latentDistribution',
    name: 'gaussian',
    parameters: (Y, latentDim) => ({
      'latents.mean': real(initialLatents(init, Y, latentDim)),
      ...(correlated
        ? { 'latents.precision': positive(inverses(variancesFrom(variance, Y.rows, latentDim))) }
        : { 'latents.variance': positive(variancesFrom(variance, Y.rows, latentDim)) }),
    }),
    start: (Y, latentDim) => initialLatents(init, Y, latentDim),
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

const inverses = ({ data, rows, columns }: Matrix) =>
  new Matrix(
    data.map((entry) => 1 / entry),
    rows,
    columns,
  );

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
  const bad = variances.data.findIndex((entry) => !(entry > 0 && Number.isFinite(entry)));
  if (bad < 0) return variances;
  throw new InvalidInputError(
    `The variance of latents must be greater than 0, but row ${Math.floor(bad / columns)}, column ${bad % columns} is ${variances.data[bad]}.`,
  );
}
