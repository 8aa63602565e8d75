import { cosh, exp, sinh } from '../core/elementary/index.ts';
import { LatentFieldError } from '../core/errors.ts';

/** Support of an observation: any real number, a count from 0, or one of some values. */
export type Support = 'real' | 'counts' | readonly number[];

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
export function supportNodes(support: Support, step = 1 / 20): SupportNode[] {
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
 * Integral of exp(f) over a real number, or its sum over counts or values: by the exp–sinh rule around its mode, in units of its width.
 *
 * @param f - computes the values at some nodes
 * @param near - initial value of the search for the mode
 * @throws LatentFieldError if f is NaN
 */
export function integrated(f: (x: Float64Array) => Float64Array, support: Support, near: number): Integral {
  if (support !== 'real') return weighed(f, supportNodes(support));
  let centre = near;
  let width = 1;
  for (let round = 0; round < 6; round++) {
    const nodes = placed(supportNodes('real'), centre, width);
    const { mode, area } = weighed(f, nodes);
    const wide = area / Math.sqrt(2 * Math.PI);
    const isSettled = Math.abs(mode - centre) <= 0.1 * wide && wide > 0.5 * width && wide < 2 * width;
    centre = mode;
    width = wide;
    if (isSettled) break;
  }
  return weighed(f, placed(supportNodes('real', 1 / 40), centre, width));
}

const placed = (nodes: readonly SupportNode[], centre: number, width: number): SupportNode[] =>
  nodes.map(({ value, weight }) => ({ value: centre + width * value, weight: width * weight }));

/** Moments of exp(f) at these nodes; `area` is relative to its largest value. */
function weighed(f: (x: Float64Array) => Float64Array, nodes: readonly SupportNode[]) {
  const heights = f(Float64Array.from(nodes, ({ value }) => value));
  const at = heights.findIndex(Number.isNaN);
  if (at >= 0) throw new LatentFieldError(`the log density is not a number at ${nodes[at]!.value}`);
  const highest = heights.reduce((most, height) => Math.max(most, height), Number.NEGATIVE_INFINITY);
  const mode = nodes[heights.indexOf(highest)]!.value;
  let [area, first, second] = [0, 0, 0];
  heights.forEach((height, k) => {
    const share = nodes[k]!.weight * exp(height - highest);
    // Where the density underflows to 0, the square of the distance may overflow.
    if (!(share > 0)) return;
    const gap = nodes[k]!.value - mode;
    area += share;
    first += share * gap;
    second += share * gap * gap;
  });
  const shift = first / area;
  return {
    mode,
    area,
    total: area * exp(highest),
    mean: mode + shift,
    variance: second / area - shift * shift,
  };
}
