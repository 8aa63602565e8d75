import { withFloat64 } from '../core/float64/scope.ts';
import { doublesOf, Matrix } from '../core/matrix.ts';
import { matrixTensor, tensorMatrix, valueTensors } from '../core/matrixTensor.ts';
import type { EvaluationReport, Factor, ParameterValues, Prediction, TensorMap } from '../core/model.ts';
import type { Standardization } from '../core/observations.ts';
import * as op from '../core/ops.ts';
import { outerProduct } from '../core/outerProduct.ts';
import { type Scalar, type Tensor1D, type Tensor2D, tf } from '../core/tensorflow.ts';
import type { Kernel } from '../kernels/kernel.ts';
import type { ObservedPattern } from './observedPatterns.ts';

export const KERNEL = 'mapping.kernel.';
export const NOISE = 'mapping.noise';
const NAME = 'The covariance of the mapping';

/** The kernel's tensors under the kernel's own names. */
export function kernelTensors(kernel: Kernel, values: TensorMap): TensorMap {
  return Object.fromEntries(Object.keys(kernel.parameters).map((key) => [key, values[KERNEL + key]!]));
}

/** K = k(X, X) + σ²I */
function noisyCovariance(kernel: Kernel, values: TensorMap, X: Tensor2D): Tensor2D {
  return op.addDiagonal(kernel.covariance(kernelTensors(kernel, values), X, X, X), values[NOISE]!);
}

/** The part of K that belongs to the observed rows. */
function observedPart(K: Tensor2D, rows: Tensor1D | undefined): Tensor2D {
  return rows === undefined ? K : (op.gather(op.gather(K, rows, 0), rows, 1) as Tensor2D);
}

/** One pattern's constants: which rows (all when undefined), and Y there, or YYᵀ when that is smaller. */
interface PatternTensors {
  readonly rows: Tensor1D | undefined;
  readonly data: { observations: Tensor2D } | { outerProduct: Tensor2D; columns: number };
}

/** The likelihood of a Gaussian-process mapping, with its constants as tensors until `dispose`. */
export interface Mapping {
  readonly factor: Factor;
  dispose(): void;
}

/**
 * The Gaussian-process mapping from latents to observations as a factor:
 * log p(Y|X) = −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹YYᵀ), K = k(X, X) + σ²I; columns that are observed in the same rows only
 * share the part of K that belongs to those.
 *
 * @param latents - the N×q latents from the model's values
 * @see Lawrence 2005, eq. 4
 */
export function mapping(
  kernel: Kernel,
  patterns: readonly ObservedPattern[],
  points: number,
  latents: (values: TensorMap) => Tensor2D,
): Mapping {
  const tensors = patterns.map((pattern) => patternTensors(pattern, points));
  return {
    factor: {
      name: 'mapping',
      logDensity: (values, report) => {
        const K = noisyCovariance(kernel, values, latents(values));
        const options = { name: NAME, onJitter: (jitter: number) => noteJitter(report, jitter) };
        return tensors
          .map(({ rows, data }) => op.gaussianLogDensity(observedPart(K, rows), data, options))
          .reduce((sum, part) => op.add(sum, part) as Scalar);
      },
    },
    dispose: () => {
      for (const { rows, data } of tensors) {
        rows?.dispose();
        ('observations' in data ? data.observations : data.outerProduct).dispose();
      }
    },
  };
}

function patternTensors({ rows, observations }: ObservedPattern, points: number): PatternTensors {
  const { columns } = observations;
  return {
    rows: rows.length === points ? undefined : tf.keep(tf.tensor1d(rows, 'int32')),
    data:
      columns > rows.length
        ? { outerProduct: tf.keep(matrixTensor(outerProduct(observations))), columns }
        : { observations: tf.keep(matrixTensor(observations)) },
  };
}

/** Keeps the largest jitter of an evaluation. */
export function noteJitter(report: EvaluationReport, jitter: number): void {
  report.jitter = Math.max(report.jitter, jitter);
}

/** A Gaussian process with all its values known, ready to predict. Holds plain numbers, no tensors. */
export interface GaussianProcess {
  predict(X: Matrix, noise: boolean): Prediction;
}

/** What conditioning on one pattern leaves: L of K = LLᵀ, and K⁻¹Y. */
interface Conditioned {
  readonly pattern: ObservedPattern;
  readonly factor: Matrix;
  readonly weights: Matrix;
}

/**
 * Conditions the process on the observations: with K = LLᵀ, mean(x*) = k*ᵀK⁻¹Y and
 * variance(x*) = k** − ‖L⁻¹k*‖² (+ σ² for a new observation), the change of the columns of Y undone.
 *
 * @see Rasmussen & Williams 2006, algorithm 2.1
 */
export function conditionedProcess(
  kernel: Kernel,
  values: ParameterValues,
  X: Matrix,
  patterns: readonly ObservedPattern[],
  standardization: Standardization,
): GaussianProcess {
  const mappingValues = Object.fromEntries(Object.entries(values).filter(([path]) => path.startsWith('mapping.')));
  const conditioned = withFloat64(() => {
    const K = noisyCovariance(kernel, valueTensors(mappingValues), matrixTensor(X));
    return patterns.map((pattern): Conditioned => {
      const all = pattern.rows.length === X.rows;
      const part = observedPart(K, all ? undefined : (tf.tensor1d(pattern.rows, 'int32') as Tensor1D));
      const L = op.cholesky(part, { name: NAME });
      const weights = op.choleskySolve(L, matrixTensor(pattern.observations));
      return { pattern, factor: tensorMatrix(L), weights: tensorMatrix(weights) };
    });
  });
  const noiseVariance = values[NOISE] as number;
  return {
    predict: (Xnew, noise) =>
      withFloat64(() => {
        const p = kernelTensors(kernel, valueTensors(mappingValues));
        const A = matrixTensor(Xnew);
        const inputs = matrixTensor(X);
        const cross = kernel.covariance(p, A, inputs, inputs);
        const prior = kernel.diagonal(p, A, inputs);
        const prediction = emptyPrediction(Xnew.rows, standardization.mean.length);
        for (const { pattern, factor, weights } of conditioned) {
          const all = pattern.rows.length === X.rows;
          const own = all ? cross : (op.gather(cross, tf.tensor1d(pattern.rows, 'int32'), 1) as Tensor2D);
          const mean = op.matMul(own, matrixTensor(weights)) as Tensor2D;
          const half = op.triangularSolve(matrixTensor(factor), op.transpose(own) as Tensor2D);
          const latent = doublesOf(op.sub(prior, op.sum(op.square(half), 0)));
          place(prediction, pattern.columns, tensorMatrix(mean), latent, noise ? noiseVariance : 0, standardization);
        }
        return prediction;
      }),
  };
}

function emptyPrediction(rows: number, columns: number): Prediction {
  return { mean: Matrix.zeros(rows, columns), variance: Matrix.zeros(rows, columns) };
}

/**
 * Puts the prediction of some columns in its place, in the units of the observations. The variance of a noise-free function is
 * not negative; rounding may make it so.
 */
function place(
  prediction: Prediction,
  columns: Int32Array,
  mean: Matrix,
  latentVariance: Float64Array,
  noise: number,
  { mean: offset, deviation }: Standardization,
): void {
  const D = offset.length;
  columns.forEach((j, c) => {
    for (let i = 0; i < mean.rows; i++) {
      prediction.mean.data[i * D + j] = mean.at(i, c) * deviation[j]! + offset[j]!;
      prediction.variance.data[i * D + j] = (Math.max(0, latentVariance[i]!) + noise) * deviation[j]! ** 2;
    }
  });
}
