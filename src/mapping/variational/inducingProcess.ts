import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { Standardization } from '../../core/observations.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { ParameterValues, Prediction } from '../../model/model.ts';
import { valueTensors } from '../../model/valueTensors.ts';
import { doublesOf } from '../../tensors/doubles.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import { valueAndGradients } from '../../tensors/gradients.ts';
import { matrixTensor, tensorMatrix } from '../../tensors/matrixTensor.ts';
import * as op from '../../tensors/ops.ts';
import type { Scalar, Tensor1D, Tensor2D } from '../../tensors/tensorflow.ts';
import type { ConditionedProcess } from '../conditionedProcess.ts';
import type { Likelihood } from '../likelihoods/likelihood.ts';
import { logPredictiveDensity } from '../likelihoods/normalExpectation.ts';
import { allColumns, type GroupMoments, type InducingPosterior, inducingMoments } from './inducingMoments.ts';

/** A kernel or a likelihood with natural values by its own names. */
interface Known<T> {
  readonly part: T;
  readonly values: ParameterValues;
}

/**
 * The process given q(u), ready to predict. Holds plain numbers, no tensors; the change of the columns of Y is undone.
 */
export function inducingProcess(
  kernel: Known<Kernel>,
  likelihood: Known<Likelihood>,
  posterior: InducingPosterior,
  standardization: Standardization,
): ConditionedProcess {
  const { mean: offset, deviation } = standardization;
  const D = offset.length;

  function groupsAt(A: Tensor2D): GroupMoments[] {
    const tensors = {
      inducing: matrixTensor(posterior.inducing),
      factor: matrixTensor(posterior.factor),
      groups: posterior.groups.map(({ columns, mean, roots }) => ({
        columns,
        mean: matrixTensor(mean),
        roots: matrixTensor(roots),
      })),
    };
    return inducingMoments(kernel.part, valueTensors(kernel.values), tensors, A);
  }

  /** Of the noise-free functions. The variance is not negative; rounding may make it so. */
  function functionsAt(A: Tensor2D): { mean: Tensor2D; variance: Tensor2D } {
    const { mean, variance } = allColumns(groupsAt(A), D);
    return { mean, variance: op.relu(variance) };
  }

  const inUnits = (values: Matrix, shift: boolean) => {
    const { data, rows, columns } = values;
    const change = (entry: number, j: number) =>
      shift ? entry * deviation[j]! + offset[j]! : entry * deviation[j]! * deviation[j]!;
    return new Matrix(
      data.map((entry, i) => change(entry, i % columns)),
      rows,
      columns,
    );
  };

  return {
    predict: (X, noisy): Prediction =>
      withFloat64(() => {
        const { mean, variance } = functionsAt(matrixTensor(X));
        const shown = noisy
          ? likelihood.part.moments(valueTensors(likelihood.values), mean, variance)
          : { mean, variance };
        return {
          mean: inUnits(tensorMatrix(shown.mean), true),
          variance: inUnits(tensorMatrix(shown.variance), false),
        };
      }),

    sample: (X, random, noisy) =>
      withFloat64(() => {
        if (noisy && likelihood.part.conjugate === undefined) {
          throw new InvalidInputError(
            `Observations of likelihood '${likelihood.part.name}' cannot be drawn; draw the functions behind them: sample(X, { noise: false }).`,
          );
        }
        const drawn = Matrix.zeros(X.rows, D);
        for (const { columns, mean, variance, covariance } of groupsAt(matrixTensor(X))) {
          const factor = (c: number) => op.cholesky(covariance(c), { name: 'The predictive covariance' });
          const shared = variance.shape[1] === 1 ? factor(0) : undefined;
          const means = tensorMatrix(mean);
          columns.forEach((j, c) => {
            const normals = Float64Array.from({ length: X.rows }, () => random.normal());
            const steps = doublesOf(op.matMul(shared ?? factor(c), op.tensor(normals, [X.rows, 1])));
            for (let i = 0; i < X.rows; i++) drawn.data[i * D + j] = means.at(i, c) + steps[i]!;
          });
        }
        if (noisy) {
          const zero = matrixTensor(Matrix.zeros(X.rows, D));
          const { variance } = likelihood.part.moments(valueTensors(likelihood.values), zero, zero);
          const noise = doublesOf(op.add(zero, variance));
          drawn.data.forEach((entry, i) => {
            drawn.data[i] = entry + Math.sqrt(noise[i]!) * random.normal();
          });
        }
        return inUnits(drawn, true);
      }),

    predictiveDensity: (X, Y, prior) =>
      withFloat64(() => {
        const A = matrixTensor(X);
        let density = new Float64Array(X.rows) as Float64Array;
        let posterior = density;
        const sum = () => {
          const own = rowDensities(functionsAt(A), Y);
          const both = prior === undefined ? own : (op.add(own, prior(A)) as Tensor1D);
          density = doublesOf(own);
          posterior = doublesOf(both);
          return op.sum(both) as Scalar;
        };
        const { gradients } = valueAndGradients(sum, [A]);
        return { density, posterior, gradient: new Matrix(gradients[0]!, X.rows, X.columns) };
      }),
  };

  /** log p(y_i) of the observed entries of each row. */
  function rowDensities({ mean, variance }: { mean: Tensor2D; variance: Tensor2D }, Y: Matrix): Tensor1D {
    const [seen, given] = [Matrix.zeros(Y.rows, D), Matrix.zeros(Y.rows, D)];
    const scales = new Float64Array(Y.rows);
    Y.data.forEach((entry, i) => {
      if (Number.isNaN(entry)) return;
      const j = i % D;
      seen.data[i] = 1;
      given.data[i] = (entry - offset[j]!) / deviation[j]!;
      scales[(i - j) / D]! -= Math.log(deviation[j]!);
    });
    const y = matrixTensor(given);
    const p = valueTensors(likelihood.values);
    const entries =
      likelihood.part.conjugate === undefined
        ? logPredictiveDensity(likelihood.part, p, mean, variance, y)
        : normalDensity(y, likelihood.part.moments(p, mean, variance));
    return op.add(op.sum(op.mul(matrixTensor(seen), entries), 1), op.tensor(scales)) as Tensor1D;
  }
}

function normalDensity(y: Tensor2D, { mean, variance }: { mean: Tensor2D; variance: Tensor2D }): Tensor2D {
  const quadratic = op.div(op.square(op.sub(y, mean)), variance);
  return op.mul<Tensor2D>(-0.5, op.add(op.log(op.mul(2 * Math.PI, variance)), quadratic));
}
