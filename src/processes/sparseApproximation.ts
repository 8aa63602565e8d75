import type { Matrix } from '../core/matrix.ts';
import { doublesOf } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import type { ParameterValues } from '../model/model.ts';
import { valueTensors } from '../model/valueTensors.ts';
import type { ObservedPattern } from './covariance/observedData.ts';
import { spanningInputs } from './covariance/spanningInputs.ts';
import { structureOf } from './covariance/structureOf.ts';
import type { MomentsAt } from './functionMoments.ts';
import type { GaussianProcess } from './gaussianProcess.ts';

/** Fewest points for which preparing predictions through fewer inputs is worthwhile. */
const FEWEST_POINTS = 200;

/** Largest fraction of the points that may represent all of them. */
const MOST_INPUTS = 1 / 4;

/** Largest remaining variance of the functions at the other points, relative to the noise. */
const REST = 0.01;

/** A process that can be approximated through fewer inputs. */
type ApproximatedProcess = Pick<GaussianProcess, 'kernel' | 'likelihood' | 'parameters'> &
  Partial<Pick<GaussianProcess, 'through'>>;

/**
 * Representative inputs of a process: M of its inputs, given which the functions at the others are known to a hundredth of the noise. Predictions
 * through them cost O(M²) per point in place of O(N²). For searches whose result is refined with the exact process.
 *
 * @param values - natural values of the process's parameters
 * @param X - N×q
 * @returns undefined if a quarter of the points is not enough, or if the exact process is as cheap
 */
function representativeInputs(
  { kernel, likelihood, parameters }: Pick<GaussianProcess, 'kernel' | 'likelihood' | 'parameters'>,
  values: ParameterValues,
  X: Matrix,
): Matrix | undefined {
  if (parameters.inducing !== undefined || X.rows < FEWEST_POINTS) return undefined;
  if (structureOf(kernel, X.rows, X.columns).kind !== 'dense') return undefined;
  return withFloat64(() => {
    const tensors = valueTensors(values);
    const own = Object.fromEntries(Object.keys(kernel.parameters).map((name) => [name, tensors[`kernel.${name}`]!]));
    const noise = Math.min(...doublesOf(likelihood.conjugate!(tensors).variance));
    return spanningInputs(kernel, own, X, REST * noise, Math.floor(MOST_INPUTS * X.rows));
  });
}

/** Moments of the functions through representative inputs, which approximate those of the process; undefined without {@link representativeInputs}. */
export function sparseMoments(
  process: ApproximatedProcess,
  values: ParameterValues,
  X: Matrix,
  patterns: readonly ObservedPattern[],
): MomentsAt | undefined {
  const inducing = representativeInputs(process, values, X);
  return inducing && process.through?.(inducing).momentsAt({ ...values, inducing }, X, patterns);
}
