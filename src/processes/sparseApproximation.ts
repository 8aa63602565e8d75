import type { Matrix } from '../core/matrix.ts';
import { doublesOf } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import type { ParameterValues } from '../model/model.ts';
import { valueTensors } from '../model/valueTensors.ts';
import { spanningInputs } from './covariance/spanningInputs.ts';
import { structureOf } from './covariance/structureOf.ts';
import type { MomentsAt } from './functionMoments.ts';
import type { GaussianProcess } from './gaussianProcess.ts';
import type { ObservedPattern } from './observedPatterns.ts';

/** From as many points on, predictions through fewer inputs are worth the preparation. */
const FEWEST_POINTS = 200;

/** Up to this part of the points may stand for all of them. */
const MOST_INPUTS = 1 / 4;

/** The variance that is left of the functions at the other points, as a part of the noise's. */
const REST = 0.01;

/** A process that may be taken through fewer inputs. */
type ApproximatedProcess = Pick<GaussianProcess, 'kernel' | 'likelihood' | 'parameters'> &
  Partial<Pick<GaussianProcess, 'through'>>;

/**
 * The inputs of a process through which it predicts nearly as it does, at cost O(M²) a point in place of O(N²): M of its own, given which the functions
 * at the others are known to a hundredth of the noise. For searches whose result is improved by the process itself.
 *
 * @param values - by the names of the process's own parameters
 * @param X - N×q
 * @returns undefined where no quarter of the points suffices, or where the process is as cheap by itself
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

/** Moments of the functions of a process through fewer inputs, nearly those of the process; undefined where {@link representativeInputs} is. */
export function sparseMoments(
  process: ApproximatedProcess,
  values: ParameterValues,
  X: Matrix,
  patterns: readonly ObservedPattern[],
): MomentsAt | undefined {
  const inducing = representativeInputs(process, values, X);
  return inducing && process.through?.(inducing).momentsAt({ ...values, inducing }, X, patterns);
}
