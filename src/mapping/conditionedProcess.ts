import { log, square } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import type { Standardization } from '../core/observations.ts';
import { firstRows, paddedRows } from '../core/paddedRows.ts';
import type { Random } from '../core/random.ts';
import { slopeRows } from '../kernels/slopeKernel.ts';
import { jointDraw } from '../model/jointDraw.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import type { Prediction, PredictiveDensity } from '../model/posterior.ts';
import { type PullBack, pullBackOf } from '../model/pullBack.ts';
import { valueTensors } from '../model/valueTensors.ts';
import { doublesOf } from '../tensors/doubles.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import { valueAndGradients } from '../tensors/gradients.ts';
import { matrixTensor, tensorMatrix } from '../tensors/matrixTensor.ts';
import * as op from '../tensors/ops.ts';
import type { Scalar, Tensor1D, Tensor2D } from '../tensors/tensorflow.ts';
import { allColumns, covariancesOf, type FunctionMoments } from './functionMoments.ts';
import type { Likelihood } from './likelihoods/likelihood.ts';
import { logPredictiveDensity } from './likelihoods/normalExpectation.ts';

/** A Gaussian process with all its values known, given observations, ready to predict. Holds plain numbers, no tensors. */
export interface ConditionedProcess {
  /** Moments at X (n×q), n×D each; of observations with `noise`. */
  predict(X: Matrix, noise: boolean): Prediction;
  /** Expected metric of the noise-free functions at X (n×q), in squared units of the observations. */
  metric(X: Matrix): PullBack;
  /** A draw from the joint predictive distribution at X, n×D. */
  sample(X: Matrix, random: Random, noise: boolean): Matrix;
  /**
   * log p(y_i|x_i) of new observations, and with it log p(x_i) by `prior` (a vector of n entries for n×q latents), if there is one.
   */
  predictiveDensity(X: Matrix, Y: Matrix, prior?: (X: Tensor2D) => Tensor1D): PredictiveDensity;
}

/** A likelihood with natural values by its own names. */
export interface KnownLikelihood {
  readonly likelihood: Likelihood;
  readonly values: ParameterValues;
}

/** Moments of the functions at inputs (n×q), group by group. Called on the float64 backend. */
export type MomentsAt = (A: Tensor2D) => readonly FunctionMoments[];

/**
 * Functions whose moments are known everywhere, and how observations are distributed around them. The change of the columns of Y is undone.
 *
 * @param slopesAt - moments of the functions' slopes, at rows of `slopeRows`
 */
export function conditionedProcess(
  momentsAt: MomentsAt,
  known: KnownLikelihood,
  standardization: Standardization,
  slopesAt: MomentsAt,
): ConditionedProcess {
  const { likelihood } = known;
  const { mean: offset, deviation } = standardization;
  const D = offset.length;

  /** The moments of all columns. The variance is not negative; rounding may make it so. */
  function functionsAt(A: Tensor2D): { mean: Tensor2D; variance: Tensor2D } {
    const { mean, variance } = allColumns(momentsAt(A), D);
    return { mean, variance: op.relu(variance) };
  }

  const inUnits = ({ data, rows, columns }: Matrix) =>
    new Matrix(
      data.map((entry, i) => entry * deviation[i % D]! + offset[i % D]!),
      rows,
      columns,
    );
  const inSquaredUnits = ({ data, rows, columns }: Matrix) =>
    new Matrix(
      data.map((entry, i) => entry * square(deviation[i % D]!)),
      rows,
      columns,
    );

  return {
    predict: (X, noisy) =>
      withFloat64(() => {
        const functions = functionsAt(matrixTensor(paddedRows(X)));
        const { mean, variance } = noisy
          ? likelihood.moments(valueTensors(known.values), functions.mean, functions.variance)
          : functions;
        const given = (x: Tensor2D) => firstRows(tensorMatrix(x), X.rows);
        return { mean: inUnits(given(mean)), variance: inSquaredUnits(given(variance)) };
      }),

    metric: (X) =>
      withFloat64(() => {
        const groups = slopesAt(matrixTensor(slopeRows(X)));
        const { mean } = allColumns(groups, D);
        return pullBackOf(tensorMatrix(mean), covariancesOf(groups).map(tensorMatrix), deviation, X.columns);
      }),

    sample: (X, random, noisy) =>
      withFloat64(() => {
        const { likelihood, values } = known;
        // Of Gaussian noise it is the variance; any other is drawn around the functions.
        const isNormal = noisy && likelihood.conjugate !== undefined;
        const added = isNormal ? noiseVariances(known, D) : new Float64Array(D);
        const drawn = Matrix.zeros(X.rows, D);
        for (const { columns, mean, variance, covariance } of momentsAt(matrixTensor(X))) {
          const noise = op.tensor(Float64Array.from(columns, (j) => added[j]!));
          const isShared = variance.shape[1] === 1;
          const own = tensorMatrix(jointDraw({ mean, covarianceOf: covariance, isShared, noise }, random));
          columns.forEach((j, c) => {
            for (let i = 0; i < X.rows; i++) drawn.data[i * D + j] = own.at(i, c);
          });
        }
        if (!noisy || isNormal) return inUnits(drawn);
        return inUnits(tensorMatrix(observedAt(likelihood, valueTensors(values), matrixTensor(drawn), random)));
      }),

    predictiveDensity: (X, Y, prior) =>
      withFloat64(() => {
        const [padded, observed] = [paddedRows(X), paddedRows(Y)];
        const A = matrixTensor(padded);
        let density: Float64Array = new Float64Array(padded.rows);
        let posterior = density;
        const sum = () => {
          const own = rowDensities(functionsAt(A), known, observed, standardization);
          const both = prior === undefined ? own : op.add<Tensor1D>(own, prior(A));
          density = doublesOf(own);
          posterior = doublesOf(both);
          return op.sum<Scalar>(both);
        };
        const { gradients } = valueAndGradients(sum, [A]);
        const gradient = new Matrix(gradients[0] ?? new Float64Array(padded.data.length), padded.rows, X.columns);
        return {
          density: density.slice(0, X.rows),
          posterior: posterior.slice(0, X.rows),
          gradient: firstRows(gradient, X.rows),
        };
      }),
  };
}

/**
 * A draw of observations at known functions.
 *
 * @throws InvalidInputError for a likelihood that says no `sample`
 */
export function observedAt(likelihood: Likelihood, p: TensorMap, functions: Tensor2D, random: Random): Tensor2D {
  if (likelihood.density.sample === undefined) {
    throw new InvalidInputError(
      `Observations of likelihood '${likelihood.name}' cannot be drawn: give defineLikelihood its sample, or draw the functions behind them: sample(X, { noise: false }).`,
    );
  }
  return likelihood.density.sample(p, random, functions.shape, [functions]);
}

/** What Gaussian noise adds to the variance of a new observation of each column. */
function noiseVariances({ likelihood, values }: KnownLikelihood, D: number): Float64Array {
  const none = op.zeros<Tensor2D>([1, D]);
  return doublesOf(likelihood.moments(valueTensors(values), none, none).variance);
}

/** log p(y_i) of the observed entries of each row of Y. */
function rowDensities(
  { mean, variance }: { mean: Tensor2D; variance: Tensor2D },
  { likelihood, values }: KnownLikelihood,
  Y: Matrix,
  { mean: offset, deviation }: Standardization,
): Tensor1D {
  const D = offset.length;
  const [seen, given] = [Matrix.zeros(Y.rows, D), Matrix.zeros(Y.rows, D)];
  const scales = new Float64Array(Y.rows);
  Y.data.forEach((entry, i) => {
    if (Number.isNaN(entry)) return;
    const j = i % D;
    seen.data[i] = 1;
    given.data[i] = (entry - offset[j]!) / deviation[j]!;
    scales[(i - j) / D]! -= log(deviation[j]!);
  });
  const [p, y] = [valueTensors(values), matrixTensor(given)];
  const entries = logPredictiveEntries(likelihood, p, mean, variance, y);
  return op.add<Tensor1D>(op.sum(op.mul(matrixTensor(seen), entries), 1), op.tensor(scales));
}

/** log p(y) of every entry of new observations where the functions are normal with these moments, n×D each. */
export function logPredictiveEntries(
  likelihood: Likelihood,
  p: TensorMap,
  mean: Tensor2D,
  variance: Tensor2D,
  y: Tensor2D,
): Tensor2D {
  return likelihood.conjugate === undefined
    ? logPredictiveDensity(likelihood, p, mean, variance, y)
    : normalDensity(y, likelihood.moments(p, mean, variance));
}

function normalDensity(y: Tensor2D, { mean, variance }: { mean: Tensor2D; variance: Tensor2D }): Tensor2D {
  const quadratic = op.div(op.square(op.sub(y, mean)), variance);
  return op.mul<Tensor2D>(-0.5, op.add(op.log(op.mul(2 * Math.PI, variance)), quadratic));
}
