import { Matrix } from '../core/matrix.ts';
import type { Standardization } from '../core/observations.ts';
import type { Random } from '../core/random.ts';
import type { ParameterValues, Prediction, PredictiveDensity, TensorMap } from '../model/model.ts';
import { valueTensors } from '../model/valueTensors.ts';
import { doublesOf } from '../tensors/doubles.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import { valueAndGradients } from '../tensors/gradients.ts';
import { matrixTensor, tensorMatrix } from '../tensors/matrixTensor.ts';
import * as op from '../tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../tensors/tensorflow.ts';
import type { Covariance, Moments } from './covariance/covariance.ts';
import { patternData, placeOf } from './covariance/observedData.ts';
import { noiseOfNew } from './likelihoods/gaussian.ts';
import type { Noise } from './likelihoods/likelihood.ts';
import type { ObservedPattern } from './observedPatterns.ts';

/** A Gaussian process with all its values known, given observations, ready to predict. Holds plain numbers, no tensors. */
export interface ConditionedProcess {
  /** Moments at X (n×q), n×D each; of observations with `noise`. */
  predict(X: Matrix, noise: boolean): Prediction;
  /** A draw from the joint predictive distribution at X, n×D. */
  sample(X: Matrix, random: Random, noise: boolean): Matrix;
  /**
   * log p(y_i|x_i) of new observations, and with it log p(x_i) by `prior` (a vector of n entries for n×q latents), if there is one.
   */
  predictiveDensity(X: Matrix, Y: Matrix, prior?: (X: Tensor2D) => Tensor1D): PredictiveDensity;
}

/** A process of known values and what it is conditioned on. */
export interface Conditioning {
  readonly covarianceAt: (p: TensorMap, X: Tensor2D) => Covariance;
  readonly noise: (p: TensorMap) => Noise;
  /** By the names of the process's own parameters. */
  readonly values: ParameterValues;
  /** N×q */
  readonly X: Matrix;
  readonly patterns: readonly ObservedPattern[];
  /** What to call the covariance in messages. */
  readonly name: string;
}

/** The moments of the columns of one pattern. */
interface PatternMoments extends Moments {
  readonly columns: Int32Array;
  /** The variance of the noise in their new observations: a scalar, or one a column. */
  readonly noise: Tensor;
}

/**
 * Conditions the process on the observations, once; what that leaves is kept as plain numbers. The change of the columns of Y is undone.
 *
 * @see Rasmussen & Williams 2006, algorithm 2.1
 */
export function conditionedProcess(given: Conditioning, standardization: Standardization): ConditionedProcess {
  const momentsAt = conditionedMoments(given, standardization.mean.length);
  return {
    predict: (Xnew, noise) =>
      withFloat64(() => inUnits(momentsAt(matrixTensor(Xnew)), Xnew.rows, noise, standardization)),
    sample: (Xnew, random, noise) =>
      withFloat64(() => {
        const drawn = Matrix.zeros(Xnew.rows, standardization.mean.length);
        for (const part of momentsAt(matrixTensor(Xnew))) {
          place(drawn, part.columns, drawnFrom(part, random, noise), standardization);
        }
        return drawn;
      }),
    predictiveDensity: (Xnew, Y, prior) =>
      withFloat64(() => {
        const A = matrixTensor(Xnew);
        let density: Float64Array = new Float64Array(Xnew.rows);
        let posterior = density;
        const sum = () => {
          const own = logDensities(momentsAt(A), Y, standardization);
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

/** The moments at new inputs, n×q, pattern by pattern. Called on the float64 backend. */
function conditionedMoments(
  { covarianceAt, noise, values, X, patterns, name }: Conditioning,
  width: number,
): (A: Tensor2D) => PatternMoments[] {
  const conditioned = withFloat64(() => {
    const covariance = covarianceAt(valueTensors(values), matrixTensor(X));
    return patterns.map((pattern) => {
      const left = covariance.condition(patternData(pattern, X.rows, width), { name });
      return { pattern, left: Object.entries(left).map(([key, tensor]) => [key, tensorMatrix(tensor)] as const) };
    });
  });
  return (A) => {
    const p = valueTensors(values);
    const momentsOf = covarianceAt(p, matrixTensor(X)).momentsAt(A);
    return conditioned.map(({ pattern, left }) => {
      const tensors = Object.fromEntries(left.map(([key, matrix]) => [key, matrixTensor(matrix)]));
      const where = placeOf(pattern, X.rows, width);
      return {
        ...momentsOf(where, tensors),
        columns: pattern.columns,
        noise: noiseOfNew(noise(p), where.columns),
      };
    });
  };
}

/** A joint draw of the functions of some columns, or with noise of observations, n×columns. */
function drawnFrom(
  { columns, mean, variance, covariance, noise }: PatternMoments,
  random: Random,
  noisy: boolean,
): Matrix {
  const [n, c] = mean.shape;
  const normals = new Matrix(
    Float64Array.from({ length: n * c }, () => random.normal()),
    n,
    c,
  );
  const factor = (column: number) => {
    const own = !noisy ? op.scalar(0) : noise.size === 1 ? noise : op.gather(noise, [column]);
    return op.cholesky(op.addDiagonal(covariance(column), own), { name: 'The predictive covariance' });
  };
  if (variance.shape[1] === 1) return tensorMatrix(op.add<Tensor2D>(mean, op.matMul(factor(0), matrixTensor(normals))));
  const draws = Array.from(columns, (_, j) =>
    op.matMul<Tensor2D>(factor(j), op.reshape(op.tensor(normals.column(j)), [n, 1])),
  );
  return tensorMatrix(op.add<Tensor2D>(mean, op.concat(draws, 1)));
}

/** −½·Σ_j (log 2πv_ij + (y_ij − m_ij)²/v_ij), v the variance of an observation, over the observed entries of each row of Y. */
function logDensities(
  parts: readonly PatternMoments[],
  Y: Matrix,
  { mean: offset, deviation }: Standardization,
): Tensor1D {
  return parts
    .map(({ columns, mean, variance, noise }) => {
      const [observed, given] = [Matrix.zeros(Y.rows, columns.length), Matrix.zeros(Y.rows, columns.length)];
      const scales = new Float64Array(Y.rows);
      columns.forEach((j, c) => {
        for (let i = 0; i < Y.rows; i++) {
          const entry = Y.at(i, j);
          if (Number.isNaN(entry)) continue;
          observed.data[i * columns.length + c] = 1;
          given.data[i * columns.length + c] = (entry - offset[j]!) / deviation[j]!;
          scales[i] = scales[i]! + Math.log(2 * Math.PI) + 2 * Math.log(deviation[j]!);
        }
      });
      const noisy = op.add(variance, noise);
      const present = matrixTensor(observed);
      const residual = op.mul(present, op.sub(matrixTensor(given), mean));
      const logarithms = op.add(op.sum(op.mul(present, op.log(noisy)), 1), op.tensor(scales));
      return op.mul<Tensor1D>(-0.5, op.add(logarithms, op.sum(op.div(op.square(residual), noisy), 1)));
    })
    .reduce((sum, part) => op.add(sum, part) as Tensor1D);
}

/**
 * The prediction in the units of the observations. The variance of a noise-free function is not negative; rounding may make it so.
 */
function inUnits(
  parts: readonly PatternMoments[],
  rows: number,
  noisy: boolean,
  standardization: Standardization,
): Prediction {
  const { deviation } = standardization;
  const D = deviation.length;
  const prediction = { mean: Matrix.zeros(rows, D), variance: Matrix.zeros(rows, D) };
  for (const part of parts) {
    place(prediction.mean, part.columns, tensorMatrix(part.mean), standardization);
    const [variance, noise] = [tensorMatrix(part.variance), doublesOf(part.noise)];
    part.columns.forEach((j, c) => {
      const added = noisy ? noise[noise.length === 1 ? 0 : c]! : 0;
      for (let i = 0; i < rows; i++) {
        const own = variance.at(i, variance.columns === 1 ? 0 : c);
        prediction.variance.data[i * D + j] = (Math.max(0, own) + added) * deviation[j]! ** 2;
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
