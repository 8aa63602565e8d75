import type { Matrix } from '../core/matrix.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import { ownTensors } from '../model/part.ts';
import { valueTensors } from '../model/valueTensors.ts';
import { doublesOf } from '../tensors/doubles.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import { matrixTensor, tensorMatrix } from '../tensors/matrixTensor.ts';
import * as op from '../tensors/ops.ts';
import type { Tensor, Tensor2D } from '../tensors/tensorflow.ts';
import type { MomentsAt } from './functionMoments.ts';
import { allColumns } from './functionMoments.ts';
import type { GaussianProcess } from './gaussianProcess.ts';

/** With less noise, as a part of the functions' variance, what is left of a column is lost in rounding. */
const LEAST_NOISE = 1e-9;

/**
 * The scales s_d² of columns y_d ~ N(0, s_d²·(K + σ²I)) that have one covariance and one ratio of noise to signal, each at its maximum of
 * likelihood less what fitted inputs took: s_d² = y_dᵀ(K + σ²I)⁻¹y_d/(N·ν), ν = 1 where the inputs are known and 1 − q/D where each row has q free
 * numbers (as a variance estimated beside fitted means is divided by its degrees of freedom). The one factor that this takes is that of the predictions: (K + σ²I)⁻¹y_d = (y_d − m_d)/σ², m_d the
 * predictive mean at the fitted inputs. Of columns with missing entries, over those that are observed; 1 for a column that is constant,
 * and for all where noise that is held is less than 1e-9 of the functions' variance.
 *
 * @param freedom - ν, above 0 and at most 1
 * @param Y - N×D as the process sees it, NaN where missing
 * @returns D numbers above 0
 * @see Rasmussen & Williams 2006, eq. 5.8, as a function of a factor of the covariance
 */
export function columnScales(
  { kernel, likelihood }: Pick<GaussianProcess, 'kernel' | 'likelihood'>,
  values: ParameterValues,
  X: Matrix,
  Y: Matrix,
  momentsAt: MomentsAt,
  freedom: number,
): Float64Array {
  const D = Y.columns;
  const { mean, noise, isTiny } = withFloat64(() => {
    const p = valueTensors(values);
    const A = matrixTensor(X);
    const own = ownTensors('kernel', Object.keys(kernel.parameters))(p) as TensorMap;
    const first = op.slice<Tensor2D>(A, [0, 0], [1, X.columns]);
    // What a kernel has for a point and itself beyond what it has for two points in one place, such as white noise, is noise too.
    const beyond = op.sub(kernel.diagonal(own, first, A), op.reshape(kernel.covariance(own, first, first, A), [1]));
    const { variance } = likelihood.conjugate!(p);
    const noise = doublesOf(op.add(variance, op.reshape(op.relu(beyond), [])))[0]!;
    const isTiny = noise < LEAST_NOISE * doublesOf(kernel.diagonal(own, first, A))[0]!;
    return { mean: tensorMatrix(allColumns(momentsAt(A), D).mean), noise, isTiny };
  });
  if (isTiny) return new Float64Array(D).fill(1);
  const sums = new Float64Array(D);
  const counts = new Float64Array(D);
  Y.data.forEach((y, i) => {
    if (Number.isNaN(y)) return;
    sums[i % D]! += (y * (y - mean.data[i]!)) / noise;
    counts[i % D]!++;
  });
  return sums.map((sum, d) => (sum > 0 ? sum / (freedom * counts[d]!) : 1));
}

/** Moments of functions whose columns have scales: means as they are, variances times s_d². */
export function scaledMoments(momentsAt: MomentsAt, squared: Float64Array): MomentsAt {
  return (A) =>
    momentsAt(A).map((group) => {
      const own = Float64Array.from(group.columns, (column) => squared[column]!);
      return {
        ...group,
        variance: op.mul<Tensor2D>(group.variance, op.tensor(own, [1, own.length])),
        covariance: (column) => op.mul<Tensor2D>(own[column]!, group.covariance(column)),
      };
    });
}

/** The values of a likelihood whose noise is in each column's scale. */
export const scaledNoise = (p: TensorMap, squared: Float64Array): TensorMap => ({
  ...p,
  noise: op.mul<Tensor>(p.noise!, op.tensor(squared)),
});
