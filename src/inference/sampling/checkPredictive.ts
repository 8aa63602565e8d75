import { InvalidInputError } from '../../core/errors.ts';
import { checkFunction, checkGiven } from '../../core/given.ts';
import type { Matrix } from '../../core/matrix.ts';
import type { Draws } from './draws.ts';

/** A statistic of observations beside that of observations that the model makes. */
export interface PredictiveCheck {
  /** The statistic of the observations. */
  readonly observed: number;
  /** The statistic of replicated observations, one for each draw. */
  readonly replicated: Float64Array;
  /** The fraction of replicated statistics that are at least the observed one; near 0 or 1 the model does not generate observations like these. */
  readonly pValue: number;
  /** A sentence on it. */
  readonly message: string;
}

/** Below this tail probability the message says that the model misses the statistic. */
const SUSPICIOUS = 0.025;

/**
 * A posterior predictive check: a statistic of the observations beside the same of observations that are drawn from the model at each of some draws.
 *
 * @param draws - what `draw` returned
 * @param statistic - a number from observations N×D
 * @param options - `seed` of the replicated observations (0); `draws`: how many of them (200)
 * @throws InvalidInputError for a model with several observed variables or views, and a statistic that is not finite
 * @see Gelman, Meng & Stern, Posterior predictive assessment, Statistica Sinica 6 (1996)
 * @example
 * ```ts
 * const largest = checkPredictive(draws, (observations) => Math.max(...observations.data));
 * largest.pValue;
 * ```
 */
export function checkPredictive(
  draws: Draws,
  statistic: (observations: Matrix) => number,
  options: { readonly seed?: number | undefined; readonly draws?: number | undefined } = {},
): PredictiveCheck {
  checkFunction(statistic, 'checkPredictive', 'a function of observations');
  checkGiven(
    draws,
    'checkPredictive',
    'what draw returned',
    ({ toJSON, predictive }) => typeof toJSON === 'function' && typeof predictive === 'function',
  );
  const { observations } = draws;
  if (observations === undefined) {
    throw new InvalidInputError(
      `The model '${draws.model}' has several observed variables or views: compare draws.predictive({ view }) with the observations of each yourself.`,
    );
  }
  const of = (Y: Matrix) => {
    const value = statistic(Y);
    if (Number.isFinite(value)) return value;
    throw new InvalidInputError(`The statistic given to checkPredictive is ${value}: it takes a finite number.`);
  };
  const observed = of(observations);
  const replicated = Float64Array.from(draws.predictive(options), of);
  const pValue = replicated.filter((entry) => entry >= observed).length / replicated.length;
  const isMissed = Math.min(pValue, 1 - pValue) < SUSPICIOUS;
  const message = isMissed
    ? `The model misses this statistic: ${(100 * pValue).toFixed(1)} % of ${replicated.length} replicated ones are as large as that of the observations.`
    : `The model makes this statistic: ${(100 * pValue).toFixed(1)} % of ${replicated.length} replicated ones are as large as that of the observations.`;
  return Object.freeze({ observed, replicated, pValue, message });
}
