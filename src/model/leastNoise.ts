import type { Matrix } from '../core/matrix.ts';
import { hasCopies } from '../core/rowMatrices.ts';
import { entriesOf, flooredParameter, type Parameter, type ParameterValue } from './parameter.ts';

/** Least noise variance in a search, relative to the observations' mean variance: with less, the mapping interpolates all of them, and its covariance has no factor. */
const LEAST_NOISE = 1e-6;

/** The same if many rows repeat others. Equal rows suggest that there is no noise, and with almost none a search continues for thousands of iterations, or fails by rounding. */
const LEAST_NOISE_OF_COPIES = 1e-3;

/** Initial noise variance, relative to the observations' mean variance. */
const FIRST_NOISE = 0.01;

/** Initial noise variance for observations. */
export const noiseStart = (observations: Matrix): number => FIRST_NOISE * meanVariance(observations);

/**
 * A variance of noise that a search keeps above a millionth of the observations' mean variance, and above a thousandth where a tenth of the rows or
 * more repeat others.
 */
export function flooredNoise(variance: Parameter, observations: Matrix): Parameter {
  if (!variance.free) return variance;
  const above = (least: number) => flooredParameter(variance, (least / FIRST_NOISE) * noiseStart(observations));
  const ofCopies = hasCopies(observations) ? above(LEAST_NOISE_OF_COPIES) : variance;
  return ofCopies.floor === undefined ? above(LEAST_NOISE) : ofCopies;
}

/** Paths of the parameters at the lower bound of the noise. */
export const flooredPaths = (
  parameters: Readonly<Record<string, Parameter>>,
  at: (path: string) => ParameterValue | undefined,
): string[] =>
  Object.keys(parameters).filter((path) => {
    const { floor } = parameters[path]!;
    const found = floor === undefined ? undefined : at(path);
    return found !== undefined && entriesOf(found).some((entry) => entry < 1.01 * floor!);
  });

/** Note in a fit's message about parameters at the lower bound of the noise. */
export const noiseNote = (...of: Parameters<typeof flooredPaths>): string =>
  flooredPaths(...of)
    .map(
      (path) =>
        ` The noise reached its lower limit (${of[0][path]!.floor!.toExponential(1)}): the mapping passes through the observations, and its ` +
        'variances are too small. Take a smaller `latentDim`, leave repeated rows out, or fix the noise, such as `noise: fixed(0.01)`.',
    )
    .join('');

/** Mean square of the observed entries, which is the columns' mean variance if they are centered; 1 if all are 0. */
export function meanVariance({ data }: Matrix): number {
  let [sum, count] = [0, 0];
  for (let p = 0; p < data.length; p++) {
    const entry = data[p]!;
    if (Number.isNaN(entry)) continue;
    sum += entry * entry;
    count++;
  }
  return sum / count || 1;
}
