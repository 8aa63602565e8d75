import { cosh, exp, sinh } from '../core/elementary/index.ts';

/** What an observation may be: any real number, a count from 0, or one of some values. */
export type Support = 'real' | 'counts' | readonly number[];

/** A place of an integral or a sum over observations, with its weight. */
export interface SupportNode {
  /** The distance from the function for a real observation; otherwise the observation. */
  readonly value: number;
  readonly weight: number;
}

/** Counts that are summed over. */
const COUNTS = 4000;

/**
 * Places and weights of an integral over the reals, which may have a corner or heavy tails at the function: the exp–sinh rule to either side of
 * it; or of a sum over all values.
 *
 * @see Takahasi & Mori, Double exponential formulas for numerical integration, Publ. RIMS 9 (1974)
 */
export function supportNodes(support: Support): SupportNode[] {
  if (support !== 'real') {
    const values = support === 'counts' ? Array.from({ length: COUNTS }, (_, k) => k) : support;
    return Array.from(values, (value) => ({ value, weight: 1 }));
  }
  const step = 1 / 20;
  return Array.from({ length: 151 }, (_, k) => -4 + k * step).flatMap((t) => {
    const value = exp((Math.PI / 2) * sinh(t));
    const weight = step * (Math.PI / 2) * cosh(t) * value;
    return [
      { value, weight },
      { value: -value, weight },
    ];
  });
}

/** Places and weights of expectations under the standard normal: the trapezoidal rule, which is exact to rounding for smooth functions. */
export function normalNodes(): SupportNode[] {
  const step = 1 / 4;
  return Array.from({ length: 73 }, (_, k) => -9 + k * step).map((value) => ({
    value,
    weight: (step * exp(-0.5 * value * value)) / Math.sqrt(2 * Math.PI),
  }));
}
