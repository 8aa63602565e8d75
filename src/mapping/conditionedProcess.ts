import { Matrix } from '../core/matrix.ts';
import type { Standardization } from '../core/observations.ts';
import type { Random } from '../core/random.ts';
import type { Kernel } from '../kernels/kernel.ts';
import type { ParameterValues, Prediction, PredictiveDensity } from '../model/model.ts';
import { doublesOf } from '../tensors/doubles.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import { valueAndGradients } from '../tensors/gradients.ts';
import { matrixTensor, tensorMatrix } from '../tensors/matrixTensor.ts';
import * as op from '../tensors/ops.ts';
import type { Scalar, Tensor1D, Tensor2D } from '../tensors/tensorflow.ts';
import { conditionedMoments, type Moments } from './conditionedMoments.ts';
import { NOISE } from './gaussianProcess.ts';
import type { ObservedPattern } from './observedPatterns.ts';

/** A Gaussian process with all its values known, ready to predict. Holds plain numbers, no tensors. */
export interface GaussianProcess {
  predict(X: Matrix, noise: boolean): Prediction;
  /** A draw from the joint predictive distribution at X, n×D. */
  sample(X: Matrix, random: Random, noise: boolean): Matrix;
  /**
   * log p(y_i|x_i) of new observations, and with it log p(x_i) by `prior` (a vector of n entries for n×q latents), if there is one.
   */
  predictiveDensity(X: Matrix, Y: Matrix, prior?: (X: Tensor2D) => Tensor1D): PredictiveDensity;
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
  const noiseVariance = values[NOISE] as number;
  const momentsAt = withFloat64(() => conditionedMoments(kernel, mappingValues, X, patterns));
  return {
    predict: (Xnew, noise) =>
      withFloat64(() => {
        const parts = momentsAt(matrixTensor(Xnew));
        return inUnits(parts, Xnew.rows, noise ? noiseVariance : 0, standardization);
      }),
    sample: (Xnew, random, noise) =>
      withFloat64(() => {
        const drawn = Matrix.zeros(Xnew.rows, standardization.mean.length);
        for (const { columns, mean, covariance } of momentsAt(matrixTensor(Xnew))) {
          const noisy = op.addDiagonal(covariance(), op.scalar(noise ? noiseVariance : 0));
          const L = op.cholesky(noisy, { name: 'The predictive covariance' });
          const normals = new Matrix(
            Float64Array.from({ length: Xnew.rows * columns.length }, () => random.normal()),
            Xnew.rows,
            columns.length,
          );
          place(
            drawn,
            columns,
            tensorMatrix(op.add(mean, op.matMul(L, matrixTensor(normals))) as Tensor2D),
            standardization,
          );
        }
        return drawn;
      }),
    predictiveDensity: (Xnew, Y, prior) =>
      withFloat64(() => {
        const A = matrixTensor(Xnew);
        let density: Float64Array = new Float64Array(Xnew.rows);
        let posterior = density;
        const sum = () => {
          const own = logDensities(momentsAt(A), noiseVariance, Y, standardization);
          const both = prior === undefined ? own : (op.add(own, prior(A)) as Tensor1D);
          density = doublesOf(own);
          posterior = doublesOf(both);
          return op.sum(both) as Scalar;
        };
        const { gradients } = valueAndGradients(sum, [A]);
        const gradient = new Matrix(gradients[0] ?? new Float64Array(Xnew.data.length), Xnew.rows, Xnew.columns);
        return { density, posterior, gradient };
      }),
  };
}

/** −½·Σ_j (log 2πv_i + (y_ij − m_ij)²/v_i), v the variance of an observation, over the observed entries of each row of Y. */
function logDensities(
  parts: readonly Moments[],
  noise: number,
  Y: Matrix,
  { mean: offset, deviation }: Standardization,
): Tensor1D {
  return parts
    .map(({ columns, mean, variance }) => {
      const [observed, given] = [Matrix.zeros(Y.rows, columns.length), Matrix.zeros(Y.rows, columns.length)];
      const counts = new Float64Array(Y.rows);
      const scales = new Float64Array(Y.rows);
      columns.forEach((j, c) => {
        for (let i = 0; i < Y.rows; i++) {
          const entry = Y.at(i, j);
          if (Number.isNaN(entry)) continue;
          observed.data[i * columns.length + c] = 1;
          given.data[i * columns.length + c] = (entry - offset[j]!) / deviation[j]!;
          counts[i] = counts[i]! + 1;
          scales[i] = scales[i]! + Math.log(2 * Math.PI) + 2 * Math.log(deviation[j]!);
        }
      });
      const noisy = op.add(variance, noise);
      const residual = op.mul(matrixTensor(observed), op.sub(matrixTensor(given), mean));
      const quadratic = op.div(op.sum(op.square(residual), 1), noisy);
      const constant = op.add(op.mul(op.tensor(counts), op.log(noisy)), op.tensor(scales));
      return op.mul(-0.5, op.add(constant, quadratic)) as Tensor1D;
    })
    .reduce((sum, part) => op.add(sum, part) as Tensor1D);
}

/**
 * The prediction in the units of the observations. The variance of a noise-free function is not negative; rounding may make it so.
 */
function inUnits(parts: readonly Moments[], rows: number, noise: number, standardization: Standardization): Prediction {
  const { deviation } = standardization;
  const D = deviation.length;
  const prediction = { mean: Matrix.zeros(rows, D), variance: Matrix.zeros(rows, D) };
  for (const part of parts) {
    place(prediction.mean, part.columns, tensorMatrix(part.mean), standardization);
    const variance = doublesOf(part.variance);
    part.columns.forEach((j) => {
      for (let i = 0; i < rows; i++) {
        prediction.variance.data[i * D + j] = (Math.max(0, variance[i]!) + noise) * deviation[j]! ** 2;
      }
    });
  }
  return prediction;
}

/** Puts some columns in their place in the target, the change of the columns of Y undone. */
function place(target: Matrix, columns: Int32Array, values: Matrix, { mean, deviation }: Standardization): void {
  columns.forEach((j, c) => {
    for (let i = 0; i < values.rows; i++) {
      target.data[i * target.columns + j] = values.at(i, c) * deviation[j]! + mean[j]!;
    }
  });
}
