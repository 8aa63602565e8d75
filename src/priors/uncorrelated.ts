import { InvalidInputError } from '../core/errors.ts';
import { Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkNumbers } from '../core/observations.ts';
import { namedOptions } from '../core/options.ts';
import { centeredBasis } from '../engine/dense/principalComponents.ts';
import { matrixTensor } from '../engine/tensors/doubles.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { calledBy } from '../model/language/defineDensity.ts';
import type { Prior } from '../model/language/density.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import { definePrior, notNegative } from './definePrior.ts';

export interface UncorrelatedOptions {
  /** ≥ 0, held at 100 unless given; 0 turns the prior off. */
  readonly strength?: ParameterLike;
}

/**
 * Keeps latents apart from covariates, such as the batch that each row was measured in: −strength/2·‖UᵀX‖², U an orthonormal basis of the covariates' columns about their
 * means. For latents of unit variance that is −strength·N/2·Σ_d R_d², R_d the multiple correlation of latent dimension d with the covariates: 0 for latents whose means
 * are the same in all batches. Improper: the term is the exponent.
 *
 * It assumes that each kind of point makes up the same part of every batch. Leave it out where one batch has a kind that the others lack.
 *
 * @param covariates - N×c: numbers, or one column a batch with 1 for its rows and 0 for others
 * @param options - `strength` ≥ 0 (100), held unless a free parameter is given
 * @throws InvalidInputError for covariates that are not a matrix of finite numbers, an unknown option or a strength below 0; when the model is evaluated, for covariates
 * of another number of rows
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
  const uncorrelated = definePrior({
    name: 'uncorrelated',
    parameters: { strength: fixed(100) },
    independent: false,
    prepare: ({ rows }) => {
      if (known.rows === rows) return centeredBasis(known);
      throw new InvalidInputError(
        `Prior 'uncorrelated' has covariates of ${known.rows} rows, but there are ${rows} points. Give one row a point.`,
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
  });
  const own = { strength } as { strength: ParameterLike };
  return calledBy(notNegative(uncorrelated(own), ['strength']), known, own);
}
