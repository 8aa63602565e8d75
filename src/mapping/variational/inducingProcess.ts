import { Matrix } from '../../core/matrix.ts';
import type { Standardization } from '../../core/observations.ts';
import type { Random } from '../../core/random.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { ParameterValues, Prediction, PredictiveDensity } from '../../model/model.ts';
import { valueTensors } from '../../model/valueTensors.ts';
import { doublesOf } from '../../tensors/doubles.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import { valueAndGradients } from '../../tensors/gradients.ts';
import { matrixTensor, tensorMatrix } from '../../tensors/matrixTensor.ts';
import * as op from '../../tensors/ops.ts';
import type { Scalar, Tensor1D, Tensor2D } from '../../tensors/tensorflow.ts';
import type { ConditionedProcess } from '../conditionedProcess.ts';

/**
 * q(u) of the functions at the inducing inputs, whitened: u = L·v with LLᵀ = K_uu, q(v_d) = N(m_d, R_g⁻ᵀR_g⁻¹) for the columns d of a group g.
 * Plain numbers.
 */
export interface InducingPosterior {
  /** M×q */
  readonly inducing: Matrix;
  /** L, M×M */
  readonly factor: Matrix;
  readonly groups: readonly {
    readonly columns: Int32Array;
    /** M×(columns of the group) */
    readonly mean: Matrix;
    /** C, M×M, with CCᵀ the covariance. */
    readonly root: Matrix;
  }[];
}

/** Of the noise-free functions of a group's columns at n inputs: mean n×columns, variance n, covariance n×n. */
interface Moments {
  readonly columns: Int32Array;
  readonly mean: Tensor2D;
  readonly variance: Tensor1D;
  covariance(): Tensor2D;
}

/**
 * The process given q(u): at certain inputs, with a = L⁻¹k_u(x), mean m_dᵀa and variance k(x, x) − ‖a‖² + ‖Cᵀa‖² (+ σ² for an observation).
 *
 * @param values - natural values of the kernel by its own names
 * @param noise - σ²
 * @see Titsias 2009, eq. 6; Hensman, Fusi & Lawrence 2013
 */
export function inducingProcess(
  kernel: Kernel,
  values: ParameterValues,
  noise: number,
  { inducing, factor, groups }: InducingPosterior,
  standardization: Standardization,
): ConditionedProcess {
  const D = standardization.mean.length;

  function momentsAt(A: Tensor2D): Moments[] {
    const p = valueTensors(values);
    const Z = matrixTensor(inducing);
    const cross = kernel.covariance(p, A, Z, Z);
    const half = op.triangularSolve(matrixTensor(factor), op.transpose(cross) as Tensor2D);
    const prior = kernel.diagonal(p, A, Z);
    return groups.map(({ columns, mean, root }): Moments => {
      const spread = op.matMul<Tensor2D>(matrixTensor(root), half, true, false);
      const explained = op.sub(op.sum(op.square(half), 0), op.sum(op.square(spread), 0));
      return {
        columns,
        mean: op.matMul<Tensor2D>(half, matrixTensor(mean), true, false),
        variance: op.sub(prior, explained) as Tensor1D,
        covariance: () => {
          const gram = (x: Tensor2D) => op.gramMatrix(op.transpose(x) as Tensor2D);
          return op.add<Tensor2D>(op.sub(kernel.covariance(p, A, A, Z), gram(half)), gram(spread));
        },
      };
    });
  }

  return {
    predict: (X, noisy): Prediction =>
      withFloat64(() => {
        const prediction = { mean: Matrix.zeros(X.rows, D), variance: Matrix.zeros(X.rows, D) };
        for (const { columns, mean, variance } of momentsAt(matrixTensor(X))) {
          place(prediction.mean, columns, tensorMatrix(mean), standardization);
          const own = doublesOf(variance);
          for (const j of columns) {
            const square = standardization.deviation[j]! ** 2;
            // The variance of a noise-free function is not negative; rounding may make it so.
            own.forEach((entry, i) => {
              prediction.variance.data[i * D + j] = (Math.max(0, entry) + (noisy ? noise : 0)) * square;
            });
          }
        }
        return prediction;
      }),

    sample: (X, random, noisy) =>
      withFloat64(() => {
        const drawn = Matrix.zeros(X.rows, D);
        for (const { columns, mean, covariance } of momentsAt(matrixTensor(X))) {
          const all = noisy ? op.addDiagonal(covariance(), op.scalar(noise)) : covariance();
          const L = op.cholesky(all, { name: 'The predictive covariance' });
          const normals = matrixTensor(normalMatrix(X.rows, columns.length, random));
          place(drawn, columns, tensorMatrix(op.add<Tensor2D>(mean, op.matMul(L, normals))), standardization);
        }
        return drawn;
      }),

    predictiveDensity: (X, Y, prior): PredictiveDensity =>
      withFloat64(() => {
        const A = matrixTensor(X);
        let density = new Float64Array(X.rows);
        let posterior = density;
        const sum = () => {
          const own = momentsAt(A)
            .map((moments) => logDensities(moments, Y))
            .reduce((total, part) => op.add(total, part) as Tensor1D);
          const both = prior === undefined ? own : (op.add(own, prior(A)) as Tensor1D);
          density = doublesOf(own) as Float64Array<ArrayBuffer>;
          posterior = doublesOf(both) as Float64Array<ArrayBuffer>;
          return op.sum(both) as Scalar;
        };
        const { gradients } = valueAndGradients(sum, [A]);
        return { density, posterior, gradient: new Matrix(gradients[0]!, X.rows, X.columns) };
      }),
  };

  /** −½·Σ_j (log 2πv_i + (y_ij − m_ij)²/v_i) over the observed entries, v the variance of an observation. */
  function logDensities({ columns, mean, variance }: Moments, Y: Matrix): Tensor1D {
    const [n, width] = [Y.rows, columns.length];
    const seen = Matrix.zeros(n, width);
    const given = Matrix.zeros(n, width);
    const scales = new Float64Array(n);
    columns.forEach((j, c) => {
      const [offset, deviation] = [standardization.mean[j]!, standardization.deviation[j]!];
      for (let i = 0; i < n; i++) {
        const entry = Y.at(i, j);
        if (Number.isNaN(entry)) continue;
        seen.data[i * width + c] = 1;
        given.data[i * width + c] = (entry - offset) / deviation;
        scales[i]! += 2 * Math.log(deviation);
      }
    });
    const mask = matrixTensor(seen);
    const noisy = op.reshape(op.add(variance, noise), [n, 1]);
    const quadratic = op.div(op.square(op.sub(matrixTensor(given), mean)), noisy);
    const entries = op.mul(mask, op.add(op.log(op.mul(2 * Math.PI, noisy)), quadratic));
    return op.mul(-0.5, op.add(op.sum(entries, 1), op.tensor(scales))) as Tensor1D;
  }
}

function normalMatrix(rows: number, columns: number, random: Random): Matrix {
  return new Matrix(
    Float64Array.from({ length: rows * columns }, () => random.normal()),
    rows,
    columns,
  );
}

/** Puts some columns in their place in the target, the change of the columns of Y undone. */
function place(target: Matrix, columns: Int32Array, values: Matrix, { mean, deviation }: Standardization): void {
  columns.forEach((j, c) => {
    for (let i = 0; i < values.rows; i++) {
      target.data[i * target.columns + j] = values.at(i, c) * deviation[j]! + mean[j]!;
    }
  });
}
