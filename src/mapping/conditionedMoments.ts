import type { Matrix } from '../core/matrix.ts';
import type { Kernel } from '../kernels/kernel.ts';
import type { Features } from '../kernels/structure/index.ts';
import type { ParameterValues } from '../model/model.ts';
import { valueTensors } from '../model/valueTensors.ts';
import { matrixTensor, tensorMatrix } from '../tensors/matrixTensor.ts';
import * as op from '../tensors/ops.ts';
import { type Tensor1D, type Tensor2D, tf } from '../tensors/tensorflow.ts';
import { covarianceFactorOf, kernelTensors, NOISE } from './gaussianProcess.ts';
import { fewFeatures, lowRankMoments, weightPosterior } from './lowRank.ts';
import type { ObservedPattern } from './observedPatterns.ts';

/** Mean (n×columns), variance (n) and covariance (n×n) of the noise-free function at new inputs, for the columns of one pattern. */
export interface Moments {
  readonly columns: Int32Array;
  readonly mean: Tensor2D;
  readonly variance: Tensor1D;
  readonly covariance: () => Tensor2D;
}

/** The moments at new inputs, n×q, pattern by pattern. Holds plain numbers; made and called on the float64 backend. */
export type MomentsAt = (A: Tensor2D) => Moments[];

/** A Gaussian process of known values conditioned on the observed entries: by its features where they are fewer than the points. */
export function conditionedMoments(
  kernel: Kernel,
  values: ParameterValues,
  X: Matrix,
  patterns: readonly ObservedPattern[],
): MomentsAt {
  const features = fewFeatures(kernel, X.rows, X.columns);
  return features === undefined
    ? fullRank(kernel, values, X, patterns)
    : lowRank(kernel, features, values, X, patterns);
}

/** With K = LLᵀ: mean(x*) = k*ᵀK⁻¹Y, covariance k** − HᵀH with H = L⁻¹k*. */
function fullRank(kernel: Kernel, values: ParameterValues, X: Matrix, patterns: readonly ObservedPattern[]): MomentsAt {
  const conditioned = patterns.map((pattern) => {
    const L = covarianceFactorOf(kernel, valueTensors(values), matrixTensor(X), pattern);
    const weights = op.choleskySolve(L, matrixTensor(pattern.observations));
    return { pattern, factor: tensorMatrix(L), weights: tensorMatrix(weights) };
  });
  return (A) => {
    const inputs = matrixTensor(X);
    const p = kernelTensors(kernel, valueTensors(values));
    const cross = kernel.covariance(p, A, inputs, inputs);
    const prior = kernel.diagonal(p, A, inputs);
    return conditioned.map(({ pattern, factor, weights }): Moments => {
      const all = pattern.rows.length === X.rows;
      const own = all ? cross : (op.gather(cross, tf.tensor1d(pattern.rows, 'int32'), 1) as Tensor2D);
      const half = op.triangularSolve(matrixTensor(factor), op.transpose(own) as Tensor2D);
      return {
        columns: pattern.columns,
        mean: op.matMul(own, matrixTensor(weights)) as Tensor2D,
        variance: op.sub(prior, op.sum(op.square(half), 0)) as Tensor1D,
        covariance: () =>
          op.sub<Tensor2D>(kernel.covariance(p, A, A, inputs), op.gramMatrix(op.transpose(half) as Tensor2D)),
      };
    });
  };
}

/** By the posterior of the features' weights. */
function lowRank(
  kernel: Kernel,
  features: Features,
  values: ParameterValues,
  X: Matrix,
  patterns: readonly ObservedPattern[],
): MomentsAt {
  const noise = values[NOISE] as number;
  const featuresAt = (A: Tensor2D) => features.at(kernelTensors(kernel, valueTensors(values)), A);
  const basis = featuresAt(matrixTensor(X));
  const posteriors = patterns.map(({ rows, columns, observations }) => {
    const own = rows.length === X.rows ? basis : op.gather<Tensor2D>(basis, rows);
    return { columns, posterior: weightPosterior(own, noise, observations) };
  });
  return (A) => {
    const own = featuresAt(A);
    return posteriors.map(({ columns, posterior }): Moments => {
      const { mean, variance, root } = lowRankMoments(posterior, own, noise);
      return { columns, mean, variance, covariance: () => op.gramMatrix(op.transpose(root) as Tensor2D) };
    });
  };
}
