import { cosh, exp, log, sinh } from '../core/elementary/index.ts';
import { LatentFieldError } from '../core/errors.ts';
import type { Random } from '../core/random.ts';
import {
  boundsOf,
  type DensitySupport,
  isInterval,
  type ObservationInterval,
  type ObservationSupport,
} from '../model/language/support.ts';

/** Support of an observation: any real number, a count from 0, one of some values, or an interval. */
export type Support = DensitySupport;

/** A count above all values of a list. */
const LARGE = 1000;

/** Support that is no interval. */
export type DiscreteOrReal = Exclude<Support, ObservationInterval>;

/** Support of observations, as a definition names it or from what is refused. */
export const supportBy = ({ values, refuses }: Pick<ObservationSupport, 'values' | 'refuses'>): Support =>
  values ?? supportByRefusals(refuses);

/** Support of observations, from what is refused. */
export function supportByRefusals(refuses: ObservationSupport['refuses']): DiscreteOrReal {
  if (refuses(0.5, 1) === undefined) return 'real';
  if (refuses(LARGE, 1) === undefined) return 'counts';
  const list = Array.from({ length: LARGE }, (_, k) => k).filter((k) => refuses(k, 1) === undefined);
  return list.length === 0 ? 'real' : list;
}

/** True for real numbers and intervals, which are integrated over. */
export const isContinuous = (support: Support): support is 'real' | ObservationInterval =>
  support === 'real' || isInterval(support);

/** Change of variables from the real numbers u to a support, x(u) with log x′(u) and its inverse. */
interface Change {
  readonly at: (u: number) => number;
  readonly logSlope: (u: number) => number;
  readonly inverse: (x: number) => number;
}

const UNCHANGED: Change = { at: (u) => u, logSlope: () => 0, inverse: (x) => x };

function changeTo(support: 'real' | ObservationInterval): Change {
  if (support === 'real') return UNCHANGED;
  const { low, high } = boundsOf(support);
  if (Number.isFinite(low) && Number.isFinite(high)) {
    const width = high - low;
    const logistic = (u: number) => 1 / (1 + exp(-u));
    return {
      at: (u) => (u < 0 ? low + width * logistic(u) : high - width * logistic(-u)),
      logSlope: (u) => log(width) - Math.abs(u) - 2 * log(1 + exp(-Math.abs(u))),
      inverse: (x) => log((x - low) / (high - x)),
    };
  }
  const [end, sign] = Number.isFinite(low) ? [low, 1] : [high, -1];
  return { at: (u) => end + sign * exp(u), logSlope: (u) => u, inverse: (x) => log(sign * (x - end)) };
}

/** A random number of a support. */
export function randomEntry(support: Support, random: Random): number {
  if (isContinuous(support)) return changeTo(support).at(random.normal());
  return support === 'counts' ? random.integer(4) : support[random.integer(support.length)]!;
}

/** Node of an integral or a sum over observations, with its weight. */
export interface SupportNode {
  /** For a real observation its distance from the function, otherwise the observation. */
  readonly value: number;
  readonly weight: number;
}

/** Number of counts that are summed. */
const COUNTS = 4000;

/**
 * Nodes and weights of a sum over all values, or of an integral over the reals whose integrand may have a corner or heavy tails at the function: the
 * exp–sinh rule on either side of it.
 *
 * @param step - distance between nodes of the rule; 7.5 is a multiple of it
 *
 * @see Takahasi & Mori, Double exponential formulas for numerical integration, Publ. RIMS 9 (1974)
 */
export function supportNodes(support: DiscreteOrReal, step = 1 / 20): SupportNode[] {
  if (support !== 'real') {
    const values = support === 'counts' ? Array.from({ length: COUNTS }, (_, k) => k) : support;
    return Array.from(values, (value) => ({ value, weight: 1 }));
  }
  return Array.from({ length: 7.5 / step + 1 }, (_, k) => -4 + k * step).flatMap((t) => {
    const value = exp((Math.PI / 2) * sinh(t));
    const weight = step * (Math.PI / 2) * cosh(t) * value;
    return [
      { value, weight },
      { value: -value, weight },
    ];
  });
}

/** Nodes and weights of expectations under the standard normal: the trapezoidal rule, which is exact up to rounding for smooth functions. */
export function normalNodes(): SupportNode[] {
  const step = 1 / 4;
  return Array.from({ length: 73 }, (_, k) => -9 + k * step).map((value) => ({
    value,
    weight: (step * exp(-0.5 * value * value)) / Math.sqrt(2 * Math.PI),
  }));
}

/** An integral with the mean and the variance of its normalised integrand. */
export interface Integral {
  readonly total: number;
  readonly mean: number;
  readonly variance: number;
}

/**
 * Integral of exp(f) over real numbers or an interval, or its sum over counts or values: by the exp–sinh rule around its mode, in units of its width. An interval is
 * the image of the real numbers, by the exponential or the logistic function.
 *
 * @param f - computes the values at some nodes
 * @param near - initial value of the search for the mode
 * @throws LatentFieldError if f is NaN
 */
export function integrated(f: (x: Float64Array) => Float64Array, support: Support, near: number): Integral {
  if (!isContinuous(support)) return weighed(f, supportNodes(support), UNCHANGED);
  const change = changeTo(support);
  const first = change.inverse(near);
  let centre = Number.isFinite(first) ? first : 0;
  let width = 1;
  for (let round = 0; round < 6; round++) {
    const nodes = placed(supportNodes('real'), centre, width);
    const { mode, area } = weighed(f, nodes, change);
    const wide = area / Math.sqrt(2 * Math.PI);
    const isSettled = Math.abs(mode - centre) <= 0.1 * wide && wide > 0.5 * width && wide < 2 * width;
    centre = mode;
    width = wide;
    if (isSettled) break;
  }
  return weighed(f, placed(supportNodes('real', 1 / 40), centre, width), change);
}

const placed = (nodes: readonly SupportNode[], centre: number, width: number): SupportNode[] =>
  nodes.map(({ value, weight }) => ({ value: centre + width * value, weight: width * weight }));

/** Moments of exp(f) at these nodes, which are changed to values; `area` is relative to its largest value, and `mode` is a node. */
function weighed(f: (x: Float64Array) => Float64Array, nodes: readonly SupportNode[], change: Change) {
  // A point that rounds to an end of the interval, or overflows, has no mass.
  const inside = change === UNCHANGED ? nodes : nodes.filter(({ value }) => isInside(value, change));
  const values = Float64Array.from(inside, ({ value }) => change.at(value));
  const densities = f(values);
  const at = densities.findIndex(Number.isNaN);
  if (at >= 0) throw new LatentFieldError(`the log density is not a number at ${values[at]}`);
  const heights = densities.map((density, k) => density + change.logSlope(inside[k]!.value));
  const highest = heights.reduce((most, height) => Math.max(most, height), Number.NEGATIVE_INFINITY);
  const top = heights.indexOf(highest);
  let [area, first, second] = [0, 0, 0];
  heights.forEach((height, k) => {
    const share = inside[k]!.weight * exp(height - highest);
    // Where the density underflows to 0, the square of the distance may overflow.
    if (!(share > 0)) return;
    const gap = values[k]! - values[top]!;
    area += share;
    first += share * gap;
    second += share * gap * gap;
  });
  const shift = first / area;
  return {
    mode: inside[top]!.value,
    area,
    total: area * exp(highest),
    mean: values[top]! + shift,
    variance: second / area - shift * shift,
  };
}

function isInside(u: number, { at }: Change): boolean {
  const x = at(u);
  return Number.isFinite(x) && x !== at(Number.NEGATIVE_INFINITY) && x !== at(Number.POSITIVE_INFINITY);
}
