import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix } from '../../core/matrix.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { mapOf, type RowMap } from '../language/mapped.ts';
import type { EncodedRows } from '../language/variable.ts';
import { entriesOf, type Parameter, positive } from '../parameter.ts';
import { type Likelihood, type LikelihoodFactory, likelihoodFactory, type Noise } from './likelihood.ts';
import { normalDensity } from './normalExpectation.ts';

/** Options of Gaussian noise. */
export interface GaussianOptions {
  /** Meaning of a list of variances: one per 'column' (default) or per 'row'. */
  readonly per: 'column' | 'row';
}

const gaussianLikelihood = likelihoodFactory<'variance', GaussianOptions>(
  {
    name: 'gaussian',
    parameters: { variance: positive(0.01) },
    options: { per: readPer },
    logDensity: ({ variance }, f, y, options) => normalDensity(op.square(op.sub(y, f)), perEntry(variance, options)),
    expectation: ({ variance }, mean, spread, y, options) =>
      normalDensity(op.add(op.square(op.sub(y, mean)), spread), perEntry(variance, options)),
    moments: ({ variance }, mean, spread, { per = 'all' as const }) => ({
      mean,
      variance: op.add<Tensor2D>(spread, noiseOfNew({ per, variance }, undefined)),
    }),
  },
  {
    path: () => 'noise',
    conjugate: ({ variance }, own, options): Noise => ({ per: shareOf(own.variance, options), variance }),
    check: ({ variance }, { per }) => {
      if (variance.initial instanceof Matrix) {
        throw new InvalidInputError(
          "Parameter 'variance' of likelihood 'gaussian' is a number or a list of them, but a matrix was given.",
        );
      }
      if (per === undefined || typeof variance.initial !== 'number') return;
      throw new InvalidInputError(
        `Likelihood 'gaussian' has one variance per ${per}, so it takes a list of them, but the number ${variance.initial} was given.`,
      );
    },
  },
);

/**
 * Gaussian noise: y_ij = f_ij + e_ij, e_ij ~ N(0, σ²) with one variance for all observations, one per column (a list of D), or one per row (a list of
 * N, with `per: 'row'`). The function is integrated out exactly. Its path is `mapping.noise`, or `views.<name>.noise`.
 * As the `posterior` of a latent variable it is one Gaussian per row: `gaussian({ variance })` with free means and variances, which start at this
 * variance, or `gaussian({ encoder: map })` with means and log variances that a map computes from the observations. Variances per row are known for
 * the fitted rows only: new observations have their mean.
 *
 * @param overrides - `variance` σ² > 0 (0.01), a number, a list or a parameter; `per`, the meaning of a list: 'column' (default) or 'row'
 * @throws InvalidInputError for an unknown name, a variance outside its range, or `per: 'row'` with a single number
 * @see Rasmussen & Williams 2006, eq. 2.20
 * @example
 * ```ts
 * gplvm(Y, { latentDim: 2, likelihood: gaussian({ variance: [0.1, 0.5, 0.1] }) }); // Y is N×3
 * const variances = Y.map((_, i) => 0.01 * (1 + i)); // known, one a row
 * gplvm(Y, { latentDim: 2, likelihood: gaussian({ variance: fixed(variances), per: 'row' }) });
 * ```
 */
export const gaussian: GaussianFactory = ((overrides: { readonly encoder?: RowMap } = {}) => {
  if (overrides === null || typeof overrides !== 'object' || !('encoder' in overrides)) {
    return gaussianLikelihood(overrides as Parameters<typeof gaussianLikelihood>[0]);
  }
  const other = Object.keys(overrides).find((key) => key !== 'encoder');
  if (other !== undefined) {
    throw new InvalidInputError(
      `gaussian takes an encoder, or a variance, but '${other}' was given in addition to the encoder.`,
    );
  }
  return Object.freeze<EncodedRows>({ kind: 'posterior', encoder: mapOf(overrides.encoder) });
}) as GaussianFactory;

/** Makes the Gaussian likelihood; with an encoder, Gaussian rows of a latent variable. */
export interface GaussianFactory extends LikelihoodFactory<'variance', GaussianOptions> {
  (options: { readonly encoder: RowMap }): EncodedRows;
}

function shareOf({ initial }: Parameter, { per = 'column' }: Partial<GaussianOptions>): Noise['per'] {
  return typeof initial === 'number' ? 'all' : per;
}

/** Variances that broadcast to N×D entries. */
const perEntry = (variance: Tensor, { per }: Partial<GaussianOptions>): Tensor =>
  per === 'row' ? op.reshape(variance, [-1, 1]) : variance;

function readPer(given: unknown): GaussianOptions['per'] {
  if (given === 'column' || given === 'row') return given;
  throw new InvalidInputError(
    `Option 'per' of likelihood 'gaussian' is 'column' or 'row', but ${describe(given)} was given.`,
  );
}

/** Noise variance of new observations of the columns with these indices: a scalar, or one per column. */
export function noiseOfNew({ per, variance }: Noise, columns: Int32Array | undefined): Tensor {
  if (per === 'row') return op.mean(variance);
  return per === 'column' && columns !== undefined ? op.gather(variance, columns) : variance;
}

/** Observations that a variance of the likelihood's noise is for. */
export const sharingOf = ({ parameters: { noise }, toJSON }: Likelihood): Noise['per'] =>
  // Only a list of variances depends on the options.
  typeof (noise?.initial ?? 0) === 'number' ? 'all' : shareOf(noise!, toJSON().options ?? {});

/** True if the distribution q(u) of the values at inducing inputs has an optimum in closed form: for Gaussian noise with one variance, or one per column. */
export const hasOptimum = (likelihood: Likelihood): boolean =>
  likelihood.conjugate !== undefined && sharingOf(likelihood) !== 'row';

/** True if the noise has a variance per column, so that each column has a separate q(u). */
export const isApart = (likelihood: Likelihood): boolean => sharingOf(likelihood) === 'column';

/** Throws unless a Gaussian likelihood has one variance for all N×D observations, one per column or one per row. */
export function checkNoise(likelihood: Likelihood, rows: number, columns: number): void {
  const per = sharingOf(likelihood);
  if (per === 'all') return;
  const expected = per === 'row' ? rows : columns;
  const { length } = entriesOf(likelihood.parameters.noise!.initial);
  if (length === expected) return;
  throw new InvalidInputError(
    `The noise has ${length} variances, one per ${per}, but the observations are ${rows}×${columns}. Give ${expected}, or one number for all.`,
  );
}
