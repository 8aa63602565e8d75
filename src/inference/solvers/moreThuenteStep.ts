import { square } from '../../core/elementary/index.ts';

/** The interval that holds an acceptable step: `best` has the least value so far, `other` is the far end. */
export interface Interval {
  best: number;
  bestValue: number;
  bestSlope: number;
  other: number;
  otherValue: number;
  otherSlope: number;
  /** Whether a minimiser is known to lie between the two ends. */
  bracketed: boolean;
}

/**
 * The next trial step from cubic and quadratic interpolation of two points, and the interval updated with the point just
 * evaluated (dcstep of MINPACK-2).
 *
 * @param interval - updated in place
 * @param step - step just evaluated, with its `value` and `slope`
 * @param tilt - slope that is taken off both values and slopes first; 0 to interpolate φ itself
 * @param least - lower limit of the next step
 * @param most - upper limit of the next step
 * @returns the next step
 * @see Moré, Thuente (1994), ACM TOMS 20(3), §4, cases 1–4
 */
export function cubicOrSecantStep(
  interval: Interval,
  step: number,
  value: number,
  slope: number,
  tilt: number,
  least: number,
  most: number,
): number {
  const { best, other } = interval;
  const bestValue = interval.bestValue - tilt * best;
  const bestSlope = interval.bestSlope - tilt;
  const otherValue = interval.otherValue - tilt * other;
  const otherSlope = interval.otherSlope - tilt;
  const f = value - tilt * step;
  const g = slope - tilt;
  const opposite = g * Math.sign(bestSlope) < 0;
  let next: number;

  if (f > bestValue) {
    // Case 1: higher value, so a minimum is bracketed; the cubic step unless the quadratic one is closer to best.
    const theta = (3 * (bestValue - f)) / (step - best) + bestSlope + g;
    const gamma = root(theta, bestSlope, g) * (step < best ? -1 : 1);
    const ratio = (gamma - bestSlope + theta) / (gamma - bestSlope + gamma + g);
    const cubic = best + ratio * (step - best);
    const quadratic = best + (bestSlope / ((bestValue - f) / (step - best) + bestSlope) / 2) * (step - best);
    const closer = Math.abs(cubic - best) < Math.abs(quadratic - best);
    next = closer ? cubic : cubic + (quadratic - cubic) / 2;
    interval.bracketed = true;
  } else if (opposite) {
    // Case 2: lower value, slopes of opposite sign: bracketed; the step farther from `step`.
    const theta = (3 * (bestValue - f)) / (step - best) + bestSlope + g;
    const gamma = root(theta, bestSlope, g) * (step > best ? -1 : 1);
    const ratio = (gamma - g + theta) / (gamma - g + gamma + bestSlope);
    const cubic = step + ratio * (best - step);
    const secant = step + (g / (g - bestSlope)) * (best - step);
    next = Math.abs(cubic - step) > Math.abs(secant - step) ? cubic : secant;
    interval.bracketed = true;
  } else if (Math.abs(g) < Math.abs(bestSlope)) {
    // Case 3: lower value, same sign, slope shrinks: the cubic may have no minimum ahead; then go to the limit.
    const theta = (3 * (bestValue - f)) / (step - best) + bestSlope + g;
    const gamma = root(theta, bestSlope, g) * (step > best ? -1 : 1);
    const ratio = (gamma - g + theta) / (gamma + (bestSlope - g) + gamma);
    const limit = step > best ? most : least;
    const cubic = ratio < 0 && gamma !== 0 ? step + ratio * (best - step) : limit;
    const secant = step + (g / (g - bestSlope)) * (best - step);
    const cubicCloser = Math.abs(cubic - step) < Math.abs(secant - step);
    if (interval.bracketed) {
      next = cubicCloser ? cubic : secant;
      const guard = step + 0.66 * (other - step);
      next = step > best ? Math.min(guard, next) : Math.max(guard, next);
    } else {
      next = Math.max(least, Math.min(most, cubicCloser ? secant : cubic));
    }
  } else if (interval.bracketed) {
    // Case 4: lower value, same sign, slope does not shrink: the cubic towards the other end.
    const theta = (3 * (f - otherValue)) / (other - step) + otherSlope + g;
    const gamma = root(theta, otherSlope, g) * (step > other ? -1 : 1);
    const ratio = (gamma - g + theta) / (gamma - g + gamma + otherSlope);
    next = step + ratio * (other - step);
  } else {
    next = step > best ? most : least;
  }

  if (f > bestValue) {
    Object.assign(interval, { other: step, otherValue: value, otherSlope: slope });
  } else {
    if (opposite) {
      Object.assign(interval, { other: best, otherValue: interval.bestValue, otherSlope: interval.bestSlope });
    }
    Object.assign(interval, { best: step, bestValue: value, bestSlope: slope });
  }
  return next;
}

/** √(θ² − a·b), without overflow and 0 when rounding makes it negative. */
function root(theta: number, a: number, b: number): number {
  const scale = Math.max(Math.abs(theta), Math.abs(a), Math.abs(b));
  if (scale === 0) return 0;
  return scale * Math.sqrt(Math.max(0, square(theta / scale) - (a / scale) * (b / scale)));
}
