import { Matrix } from '../../core/matrix.ts';
import type { ParameterValues } from '../../model/model.ts';
import { valueTensors } from '../../model/valueTensors.ts';
import { matrixTensor } from '../../tensors/matrixTensor.ts';
import * as op from '../../tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../../tensors/tensorflow.ts';
import type { Likelihood } from '../likelihoods/likelihood.ts';
import { type InducingPosterior, tensorsOf } from './inducingMoments.ts';
import { placesRows } from './placedRows.ts';
import { uncertainMoments } from './uncertainMoments.ts';
import { kernelValues, latentMoments, likelihoodValues, type VariationalParts } from './variationalParts.ts';

/** The distributions q(x_j) of the points of a model as places that a point may be at, with what is observed there. */
export interface Places {
  /** E f_d and E f_d² there, N×D each. */
  readonly mean: Tensor2D;
  readonly second: Tensor2D;
  /** KL(q(x_j)‖p(x)), N entries. */
  readonly divergences: Tensor1D;
  /** 1/σ_d², D entries. */
  readonly precision: Tensor1D;
}

/** Whether what is observed at a place is Gaussian, with one variance or one a column. */
export const hasPlaces = (likelihood: Likelihood): boolean =>
  likelihood.conjugate !== undefined && placesRows(likelihood);

/** The distributions of all points as places, on the float64 backend; for likelihoods that have such. */
export function placesOf(parts: VariationalParts, values: ParameterValues, posterior: InducingPosterior): Places {
  const { kernel, latents, likelihood, observations, seen } = parts;
  const noise = likelihood.conjugate!(valueTensors(likelihoodValues(likelihood, values)));
  const q = latentMoments({ latents, observations }, values, observations);
  const x = { mean: matrixTensor(q.mean), variance: matrixTensor(q.variance) };
  const { mean, variance } = uncertainMoments(
    kernel,
    valueTensors(kernelValues(kernel, values)),
    tensorsOf(posterior),
    x,
  );
  const columns = op.ones<Tensor1D>([seen.columns]);
  return {
    mean,
    second: op.add<Tensor2D>(op.square(mean), variance),
    divergences: op.mul<Tensor1D>(
      0.5,
      op.sum(op.sub(op.add(op.square(x.mean), x.variance), op.add(op.log(x.variance), 1)), 1),
    ),
    precision: op.mul<Tensor1D>(op.div(1, noise.variance), columns),
  };
}

/** What rows of observations (NaN where missing) count at a place: 1/σ_d² or 0, and that times the entry. */
export interface WeightedRows {
  readonly weights: Tensor2D;
  readonly products: Tensor2D;
}

export function weightedRows(Y: Matrix, precision: Tensor1D): WeightedRows {
  const like = (of: (y: number) => number) => matrixTensor(new Matrix(Y.data.map(of), Y.rows, Y.columns));
  const weights = op.mul<Tensor2D>(
    like((y) => (Number.isNaN(y) ? 0 : 1)),
    precision,
  );
  return {
    weights,
    products: op.mul<Tensor2D>(
      weights,
      like((y) => (Number.isNaN(y) ? 0 : y)),
    ),
  };
}

/**
 * What each row adds to the bound at each place, q(u) being what it is, n×K, less what is the same at all places:
 * Σ_d (y_d·E f_d − ½·E f_d²)/σ_d² − KL(q(x)‖p(x)).
 */
export function scoresAt({ mean, second, divergences }: Places, { weights, products }: WeightedRows): Tensor2D {
  const fits = op.sub(
    op.matMul<Tensor2D>(products, mean, false, true),
    op.mul(0.5, op.matMul<Tensor2D>(weights, second, false, true)),
  );
  return op.sub<Tensor2D>(fits, op.reshape(divergences, [1, divergences.shape[0]]));
}
