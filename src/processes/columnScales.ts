import type { Matrix } from '../core/matrix.ts';
import { lazily } from '../core/progressiveWork.ts';
import { doublesOf, matrixTensor, tensorMatrix } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import { ownTensors, valueTensors } from '../model/part.ts';
import type { MomentsAt } from './functionMoments.ts';
import { allColumns } from './functionMoments.ts';
import type { GaussianProcess } from './gaussianProcess.ts';

/** Ratio of noise to the functions' variance below which residuals of a column are lost in rounding. */
const LEAST_NOISE = 1e-9;

/** Smallest fraction of the degrees of freedom assumed to be left by fitted inputs; if they take nearly all, little is known about the residuals. */
const LEAST_FREEDOM = 1 / 3;

/**
 * Scales s_d² of columns y_d ~ N(0, s_d²·C), C = K + σ²I, which share one covariance and one ratio of noise to signal, estimated with the degrees of
 * freedom that fitted inputs leave:
 * s_d² = y_dᵀC⁻¹y_d/(N·ν), ν = 1 − (q/D)/(1 − d/N), d = tr(KC⁻¹) = Σ_i v(x_i)/σ².
 * The functions use d degrees of freedom per column of the N·D observed numbers, like smoothers (Hastie & Tibshirani), and fitted inputs use q per
 * row. The residuals y_d − m_d have D·(N − d) degrees of freedom for known inputs and q·N fewer for fitted ones, so that a variance computed for
 * known inputs is too small by the factor ν. The variance v(x) close to the data is proportional to the noise and too small by the same factor. ν is
 * 1 for known inputs, and at least 1/3. Only the factor used in predictions is needed: C⁻¹y_d = (y_d − m_d)/σ² with the predictive mean m_d at the
 * fitted inputs. With missing entries, N·D is the number of observed entries and d a sum over columns. The scale is 1 for constant columns, and for
 * all columns if a fixed noise is less than 1e-9 of the functions' variance.
 *
 * @param inputsPerEntry - q·N/(N·D) ≥ 0, the number of fitted input coordinates per observed entry
 * @param Y - N×D, as passed to the process, NaN where missing
 * @returns D numbers above 0
 * @see Rasmussen & Williams 2006, eq. 5.8, as a function of a factor of the covariance; Hastie & Tibshirani, Generalized additive models (1990), §3.5
 */
export function columnScales(
  { kernel, likelihood }: Pick<GaussianProcess, 'kernel' | 'likelihood'>,
  values: ParameterValues,
  X: Matrix,
  Y: Matrix,
  momentsAt: MomentsAt,
  inputsPerEntry: number,
): Float64Array {
  const D = Y.columns;
  const { mean, variance, noise, white, isTiny } = withFloat64(() => {
    const p = valueTensors(values);
    const A = matrixTensor(X);
    const own = ownTensors('kernel', Object.keys(kernel.parameters))(p) as TensorMap;
    const first = op.slice<Tensor2D>(A, [0, 0], [1, X.columns]);
    // A kernel's variance beyond its covariance between coincident points, such as white noise, counts as noise.
    const beyond = op.sub(kernel.diagonal(own, first, A), op.reshape(kernel.covariance(own, first, first, A), [1]));
    const white = doublesOf(op.relu(beyond))[0]!;
    const noise = doublesOf(likelihood.conjugate!(p).variance)[0]! + white;
    const isTiny = noise < LEAST_NOISE * doublesOf(kernel.diagonal(own, first, A))[0]!;
    const { mean, variance } = allColumns(momentsAt(A), D);
    return { mean: tensorMatrix(mean), variance: tensorMatrix(variance), noise, white, isTiny };
  });
  if (isTiny) return new Float64Array(D).fill(1);
  const sums = new Float64Array(D);
  const counts = new Float64Array(D);
  let [taken, entries] = [0, 0];
  Y.data.forEach((y, i) => {
    if (Number.isNaN(y)) return;
    sums[i % D]! += (y * (y - mean.data[i]!)) / noise;
    counts[i % D]!++;
    taken += Math.max(0, variance.data[i]! - white) / noise;
    entries++;
  });
  const left = 1 - taken / entries;
  const freedom = left > 0 ? Math.max(LEAST_FREEDOM, 1 - inputsPerEntry / left) : LEAST_FREEDOM;
  return sums.map((sum, d) => (sum > 0 ? sum / ((inputsPerEntry > 0 ? freedom : 1) * counts[d]!) : 1));
}

/** Moments of functions whose columns have scales: means are unchanged, variances are multiplied by s_d². */
export function scaledMoments(momentsAt: MomentsAt, squared: Float64Array): MomentsAt {
  return (A) =>
    momentsAt(A).map((group) => {
      const own = Float64Array.from(group.columns, (column) => squared[column]!);
      // Columns that have one covariance but for their scales have it computed once.
      const shared = group.variance.shape[1] === 1 ? lazily(() => group.covariance(0)) : undefined;
      return {
        ...group,
        variance: op.mul<Tensor2D>(group.variance, op.tensor(own, [1, own.length])),
        covariance: (column) => op.mul<Tensor2D>(own[column]!, shared?.() ?? group.covariance(column)),
      };
    });
}

/** Values of a likelihood with the noise multiplied by each column's scale. */
export const scaledNoise = (p: TensorMap, squared: Float64Array): TensorMap => ({
  ...p,
  noise: op.mul<Tensor>(p.noise!, op.tensor(squared)),
});
