import { Matrix } from '../../core/matrix.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../../model/model.ts';
import { type Parameter, real } from '../../model/parameter.ts';
import type { Likelihood } from '../likelihoods/likelihood.ts';
import type { InducingPosterior } from './inducingMoments.ts';

/** Means of q(v), M×D, whitened. */
export const Q_MEAN = 'variational.mean';
/** Transposed roots of its covariances CCᵀ: Cᵀ, M×M, lower triangular, for all columns, or C_dᵀ for one after the other, D·M×M. */
export const Q_ROOT = 'variational.root';

/** q(u) as variables of a bound that is not collapsed. */
export interface InducingVariables {
  /** M×D */
  readonly mean: Tensor2D;
  /** Transposed roots, c·M×M with c = 1 or D, zeros above the diagonal of each. */
  readonly roots: Tensor2D;
}

/** Largest number of entries of separate covariances for all columns; beyond it, all columns share one. */
const MOST_ROOTS = 60_000;

/**
 * The variables at an initial q(u) that all columns share. With Gaussian noise of one variance, all columns have the same covariance at the optimum.
 * With other likelihoods each column gets its own if D·M² is at most 60 000; otherwise they share one, which is a lower bound at a cost that does not
 * grow as D·M².
 */
export function inducingVariables(
  { groups, factor }: InducingPosterior,
  D: number,
  likelihood: Pick<Likelihood, 'conjugate'>,
): Record<string, Parameter> {
  const M = factor.rows;
  const perColumn = likelihood.conjugate === undefined && D * M * M <= MOST_ROOTS;
  const mean = Matrix.zeros(M, D);
  const roots = Matrix.zeros(perColumn ? D * M : M, M);
  for (const group of groups) {
    group.columns.forEach((column, c) => {
      for (let i = 0; i < M; i++) mean.data[i * D + column] = group.mean.at(i, c);
      if (perColumn || column === 0) roots.data.set(group.roots.data, perColumn ? column * M * M : 0);
    });
  }
  return { [Q_MEAN]: real(mean), [Q_ROOT]: real(roots) };
}

/** q(u) among a process's values. Entries above the diagonal of a root are ignored. */
export function variablesFrom(p: TensorMap): InducingVariables {
  const root = p[Q_ROOT] as Tensor2D;
  const [rows, M] = root.shape;
  const mask = Float64Array.from({ length: rows * M }, (_, i) => (i % M <= Math.floor(i / M) % M ? 1 : 0));
  return { mean: p[Q_MEAN] as Tensor2D, roots: op.mul<Tensor2D>(root, op.tensor(mask, [rows, M])) };
}

/** Σ_d KL(N(m_d, C_d·C_dᵀ)‖N(0, I)) = ½·Σ_d (‖m_d‖² + ‖C_d‖² − M) − Σ_d log|det C_d|. */
export function inducingDivergence({ mean, roots }: InducingVariables): Scalar {
  const [M, D] = mean.shape;
  const count = roots.shape[0] / M;
  const diagonal = op.reshape(op.sum(op.mul(op.reshape(roots, [count, M, M]), op.reshape(op.eye(M), [1, M, M])), 2), [
    count * M,
  ]);
  const logDeterminants = op.mul(0.5, op.sum(op.log(op.square(diagonal))));
  const own = op.sub(op.mul(0.5, op.sub(op.sum(op.square(roots)), count * M)), logDeterminants);
  return op.add<Scalar>(op.mul(0.5, op.sum(op.square(mean))), op.mul(D / count, own));
}
