import { InvalidInputError } from '../core/errors.ts';
import { Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkNumbers } from '../core/observations.ts';
import { namedOptions } from '../core/options.ts';
import { centeredBasis } from '../engine/dense/principalComponents.ts';
import { matrixTensor } from '../engine/tensors/doubles.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { Prior } from '../model/language/density.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import { priorOfStrengths } from './definePrior.ts';

export interface UncorrelatedOptions {
  /** Strength of the prior, ≥ 0; default fixed at 100. 0 turns the prior off. */
  readonly strength?: ParameterLike;
}

/**
 * Penalizes correlations of latents with covariates, such as the batch of each row: −strength/2·‖UᵀX‖², U an orthonormal basis of the covariates'
 * columns about their means. For latents of unit variance this is −strength·N/2·Σ_d R_d², with R_d the multiple correlation of latent dimension d
 * with the covariates: 0 if the latents' means are the same in all batches. The prior is improper; the term is the exponent.
 *
 * The prior assumes that all batches have the same composition. Don't use it if one batch contains a kind of points that the others lack.
 *
 * @param covariates - N×c: numbers, or one column per batch with 1 for its rows and 0 for others
 * @param options - `strength` ≥ 0 (100), fixed unless a free parameter is passed
 * @throws InvalidInputError for covariates that are not a matrix of finite numbers, an unknown option or a strength below 0; when the model is
 *   evaluated, for covariates with a different number of rows
 * @example
 * ```ts
 * const batch = Y.map((_, n) => [n % 2]);
 * gplvm(Y, { latentDim: 2, priors: [standardNormal(), uncorrelated(batch)] });
 * ```
 */
export function uncorrelated(covariates: MatrixLike, options: UncorrelatedOptions = {}): Prior<never> {
  const { strength } = namedOptions<UncorrelatedOptions>(options, 'uncorrelated', ['strength']);
  const known = checkNumbers(
    Matrix.from(covariates, 'The covariates of uncorrelated'),
    'The covariates of uncorrelated',
  );
  return priorOfStrengths(
    {
      name: 'uncorrelated',
      parameters: { strength: fixed(100) },
      prepare: ({ rows }) => {
        if (known.rows === rows) return centeredBasis(known);
        throw new InvalidInputError(
          `Prior 'uncorrelated' has covariates of ${known.rows} rows, but there are ${rows} points. Give one row per point.`,
        );
      },
      gaussian: {
        precision: (p, _, { constants: U }) => {
          const basis = matrixTensor(U);
          return op.mul<Tensor2D>(p.strength, op.matMul(basis, basis, false, true));
        },
      },
      logDensity: (p, X, { constants: U }) =>
        op.mul<Scalar>(op.mul(-0.5, p.strength), op.sum(op.square(op.matMul(matrixTensor(U), X, true)))),
    },
    { strength },
    [known, { strength }],
  );
}
