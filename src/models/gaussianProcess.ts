import { withFloat64 } from '../core/float64/scope.ts';
import { doublesOf, Matrix } from '../core/matrix.ts';
import { matrixTensor, tensorMatrix, valueTensors } from '../core/matrixTensor.ts';
import type { EvaluationReport, Factor, ParameterValues, Prediction, TensorMap } from '../core/model.ts';
import type { Standardization } from '../core/observations.ts';
import * as op from '../core/ops.ts';
import type { Scalar, Tensor2D } from '../core/tensorflow.ts';
import type { Kernel } from '../kernels/kernel.ts';

/** What the likelihood needs of the observations: the N×D matrix, or YYᵀ when D > N, so that D never enters the cost again. */
export type ObservationTensors = { observations: Tensor2D } | { outerProduct: Tensor2D; columns: number };

export const KERNEL = 'mapping.kernel.';
export const NOISE = 'mapping.noise';
const NAME = 'The covariance of the mapping';

/** The kernel's tensors under the kernel's own names. */
function kernelTensors(kernel: Kernel, values: TensorMap): TensorMap {
  return Object.fromEntries(Object.keys(kernel.parameters).map((key) => [key, values[KERNEL + key]!]));
}

/** K = k(X, X) + σ²I */
function noisyCovariance(kernel: Kernel, values: TensorMap, X: Tensor2D): Tensor2D {
  return op.addDiagonal(kernel.covariance(kernelTensors(kernel, values), X, X, X), values[NOISE]!);
}

/**
 * The Gaussian-process mapping from latents to observations as a factor:
 * log p(Y|X) = −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹YYᵀ), K = k(X, X) + σ²I.
 *
 * @see Lawrence 2005, eq. 4
 */
export function mappingFactor(kernel: Kernel, Y: ObservationTensors, latents: (values: TensorMap) => Tensor2D): Factor {
  return {
    name: 'mapping',
    logDensity: (values, report) =>
      op.gaussianLogDensity(noisyCovariance(kernel, values, latents(values)), Y, {
        name: NAME,
        onJitter: (jitter) => noteJitter(report, jitter),
      }) as Scalar,
  };
}

function noteJitter(report: EvaluationReport, jitter: number): void {
  report.jitter = Math.max(report.jitter, jitter);
}

/** A Gaussian process with all its values known, ready to predict. Holds plain numbers, no tensors. */
export interface GaussianProcess {
  predict(X: Matrix, noise: boolean): Prediction;
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
  Y: Matrix,
  standardization: Standardization,
): GaussianProcess {
  const mapping = Object.fromEntries(Object.entries(values).filter(([path]) => path.startsWith('mapping.')));
  const { factor, weights } = withFloat64(() => {
    const L = op.cholesky(noisyCovariance(kernel, valueTensors(mapping), matrixTensor(X)), { name: NAME });
    return { factor: tensorMatrix(L), weights: tensorMatrix(op.choleskySolve(L, matrixTensor(Y))) };
  });
  const noiseVariance = values[NOISE] as number;
  return {
    predict: (Xnew, noise) =>
      withFloat64(() => {
        const p = kernelTensors(kernel, valueTensors(mapping));
        const A = matrixTensor(Xnew);
        const inputs = matrixTensor(X);
        const cross = kernel.covariance(p, A, inputs, inputs);
        const mean = op.matMul(cross, matrixTensor(weights)) as Tensor2D;
        const half = op.triangularSolve(matrixTensor(factor), op.transpose(cross) as Tensor2D);
        const explained = op.sum(op.square(half), 0);
        const latent = doublesOf(op.sub(kernel.diagonal(p, A, inputs), explained));
        return restored(tensorMatrix(mean), latent, noise ? noiseVariance : 0, standardization);
      }),
  };
}

/** Prediction in the units of the observations. The variance of a noise-free function is not negative; rounding may make it so. */
function restored(
  mean: Matrix,
  latent: Float64Array,
  noise: number,
  { mean: offset, deviation }: Standardization,
): Prediction {
  const { rows, columns } = mean;
  const variance = Matrix.zeros(rows, columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const index = i * columns + j;
      mean.data[index] = mean.data[index]! * deviation[j]! + offset[j]!;
      variance.data[index] = (Math.max(0, latent[i]!) + noise) * deviation[j]! ** 2;
    }
  }
  return { mean, variance };
}
