import { square } from '../../core/elementary/index.ts';
import { shortNumber } from '../../core/wording.ts';
import { dot, norm } from '../../engine/vectors.ts';
import type { Box, Ending, Evaluation, Iterate, Step } from '../../model/solver.ts';

/** Likely causes of a descent direction along which the value does not decrease. */
const CAUSES =
  'It is lost in rounding: raise the noise, or scale the data. Or the gradient of a part or function of your own is wrong: check the gradient.';

/** Number of rounding units that a decrease must exceed to be detectable. */
const ROUNDINGS = 100;
/** Largest relative change of a value over tiny steps that counts as rounding of a smooth function. */
const MOST_ROUNDING = 1e-8;
/** Tiny steps, relative to the size of the variables, over which a smooth function changes only by rounding. */
const TINY_STEPS = [1e-10, 2e-10, 3e-10];
/** Step, relative to the size of the variables, over which the change of the gradient measures curvature, well above rounding. */
const CURVATURE_STEP = 1e-6;

/**
 * Ending of a run if no line search reaches a lower value: a minimum up to rounding if the expected decrease was too small to be detected, and a
 * failure otherwise. Rounding is the larger of the rounding of doubles and the variation of the value over tiny steps.
 *
 * If the slope of a direction predicted a larger decrease, the prediction is checked: a curvature model that was learned from changes within rounding
 * can overestimate it. Gradients keep more digits than differences of values, and along a direction of slope s and curvature c no step gains more
 * than s²/2c.
 *
 * @param expected - decrease predicted by the slope along the search direction
 * @param tried - directions that were searched without success
 * @param box - box that tiny steps stay within
 */
export function* cannotDescend(
  iterate: Iterate,
  expected: number,
  tried: readonly Float64Array[] = [],
  box?: Box,
): Generator<Step, Ending, Evaluation> {
  const size = Math.max(1, Math.abs(iterate.value));
  const rounding = Number.EPSILON * size;
  if (expected <= ROUNDINGS * rounding) return atMinimum(expected, rounding);
  const measured = yield* measuredRounding(iterate, box);
  if (measured <= MOST_ROUNDING * size) {
    let within = expected;
    if (within > ROUNDINGS * measured && tried.length > 0) {
      within = 0;
      for (const direction of tried) within = Math.max(within, yield* mostAlong(iterate, direction));
    }
    if (within <= ROUNDINGS * measured) return atMinimum(within, measured);
  }
  return {
    status: 'failed',
    reason: `no step along the gradient improves the value, although its slope is ${shortNumber(expected)}`,
    advice: CAUSES,
  };
}

/** Largest decrease s²/2c along a direction of slope s, with curvature c from gradients; infinite if c is not positive. */
function* mostAlong({ x, gradient }: Iterate, direction: Float64Array): Generator<Step, number, Evaluation> {
  const reach = Math.min(1, (CURVATURE_STEP * largestOf(x)) / norm(direction));
  const { gradient: there } = yield { kind: 'evaluate', point: x.map((entry, i) => entry + reach * direction[i]!) };
  const slope = dot(direction, gradient);
  const curvature = (dot(direction, there) - slope) / reach;
  return curvature > 0 ? square(slope) / (2 * curvature) : Infinity;
}

const largestOf = (x: Float64Array): number => x.reduce((largest, entry) => Math.max(largest, Math.abs(entry)), 1);

const atMinimum = (expected: number, rounding: number): Ending => ({
  status: 'converged',
  test: 'rounding',
  reason: `the improvement still to be expected, ${shortNumber(expected)}, is lost in the rounding error of the value, ${shortNumber(rounding)}`,
});

/** Largest change of the value over tiny steps. */
function* measuredRounding({ x, value, gradient }: Iterate, box?: Box): Generator<Step, number, Evaluation> {
  const unit = largestOf(x) / norm(gradient);
  const point = new Float64Array(x.length);
  let largest = 0;
  for (const step of TINY_STEPS) {
    for (let i = 0; i < x.length; i++) {
      const moved = x[i]! - step * unit * gradient[i]!;
      point[i] = Math.min(Math.max(moved, box?.lower[i] ?? -Infinity), box?.upper[i] ?? Infinity);
    }
    const { value: there } = yield { kind: 'evaluate', point };
    largest = Math.max(largest, Number.isNaN(there) ? Infinity : Math.abs(there - value));
  }
  return largest;
}

/** Searches along directions from successive iterates, with storage that is allocated once. */
interface LineSearch {
  /** Point accepted by the last successful search. */
  readonly accepted: Iterate;
  /**
   * Evaluates points iterate.x + α·direction until one satisfies the strong Wolfe conditions.
   *
   * @param iterate - start of the search; not changed
   * @param direction - a descent direction
   * @param slope - gradientᵀ·direction, negative
   * @param firstStep - α to try first
   * @param longestStep - largest α allowed
   * @returns true if a point of lower value was reached, which is then in `accepted`
   */
  along(
    iterate: Iterate,
    direction: Float64Array,
    slope: number,
    firstStep: number,
    longestStep: number,
  ): Generator<Step, boolean, Evaluation>;
}

/**
 * Strong Wolfe line search for vectors of length `size`. A point that leaves the box by rounding is moved to its boundary. If the search stalls, the
 * best point seen is accepted if its value is lower at all.
 */
export function lineSearch(size: number, box?: Box): LineSearch {
  const search = moreThuente();
  const point = new Float64Array(size);
  const accepted: Iterate = { x: new Float64Array(size), value: Number.NaN, gradient: new Float64Array(size) };
  const request: Step = { kind: 'evaluate', point };

  return {
    accepted,
    *along(iterate, direction, slope, firstStep, longestStep) {
      search.begin(iterate.value, slope, firstStep, longestStep);
      accepted.value = iterate.value;
      for (;;) {
        moveTo(point, iterate.x, search.step, direction, box);
        const { value, gradient } = yield request;
        const verdict = Number.isNaN(value) ? search.retreat() : search.advance(value, dot(gradient, direction));
        if (verdict === 'found' || value < accepted.value) {
          accepted.x.set(point);
          accepted.value = value;
          accepted.gradient.set(gradient);
        }
        if (verdict === 'found') return true;
        if (verdict === 'stalled') return accepted.value < iterate.value;
      }
    },
  };
}

/** point ← x + step·direction, moved to the boundary of the box if only rounding keeps it away. */
function moveTo(point: Float64Array, x: Float64Array, step: number, direction: Float64Array, box?: Box): void {
  for (let i = 0; i < point.length; i++) point[i] = x[i]! + step * direction[i]!;
  if (box === undefined) return;
  for (let i = 0; i < point.length; i++) {
    const rounding = 2 * Number.EPSILON * (Math.abs(x[i]!) + Math.abs(point[i]!));
    if (direction[i] === 0) point[i] = x[i]!;
    else if (point[i]! <= box.lower[i]! + rounding) point[i] = box.lower[i]!;
    else if (point[i]! >= box.upper[i]! - rounding) point[i] = box.upper[i]!;
  }
}

/** Constants of a line search; the defaults are those used by L-BFGS-B. */
interface WolfeConditions {
  /** Sufficient decrease: φ(α) ≤ φ(0) + decrease·α·φ′(0). */
  readonly decrease: number;
  /** Curvature: |φ′(α)| ≤ curvature·|φ′(0)|. */
  readonly curvature: number;
  /** Relative width of the bracketing interval at which the search stops narrowing it. */
  readonly width: number;
}

/** Verdict on the step just evaluated: accept it, evaluate `step` next, or settle for the best one seen. */
type Verdict = 'found' | 'evaluate' | 'stalled';

/** A search for a step length in reverse communication: evaluate φ at `step`, call `advance` or `retreat`, repeat. */
interface StepSearch {
  readonly step: number;
  begin(value: number, slope: number, firstStep: number, longestStep: number): void;
  /** Processes φ and φ′ at `step`. */
  advance(value: number, slope: number): Verdict;
  /** Reports that φ is not finite at `step`. */
  retreat(): Verdict;
}

const STRONG_WOLFE: WolfeConditions = { decrease: 1e-3, curvature: 0.9, width: 0.1 };
const MOST_EVALUATIONS = 20;
const MOST_RETREATS = 40;

/**
 * Line search of Moré and Thuente: a step that satisfies the strong Wolfe conditions.
 *
 * If φ is not finite at a step, the search goes back toward the best step so far, and never again tries more than nine tenths of that step.
 *
 * @see Moré, Thuente (1994), Line search algorithms with guaranteed sufficient decrease, ACM TOMS 20(3), §2–4
 */
export function moreThuente(conditions: Partial<WolfeConditions> = {}): StepSearch {
  const { decrease, curvature, width } = { ...STRONG_WOLFE, ...conditions };
  const interval: Interval = {
    best: 0,
    bestValue: 0,
    bestSlope: 0,
    other: 0,
    otherValue: 0,
    otherSlope: 0,
    bracketed: false,
  };
  let step = 0;
  let startValue = 0;
  let startSlope = 0;
  let longest = 0;
  let least = 0;
  let most = 0;
  let lastWidth = 0;
  let widthBefore = 0;
  let evaluations = 0;
  let retreats = 0;

  const narrow = () => interval.bracketed && (step <= least || step >= most || most - least <= width * most);

  return {
    get step() {
      return step;
    },

    begin(value, slope, firstStep, longestStep) {
      Object.assign(interval, { best: 0, bestValue: value, bestSlope: slope });
      Object.assign(interval, { other: 0, otherValue: value, otherSlope: slope, bracketed: false });
      step = Math.min(firstStep, longestStep);
      startValue = value;
      startSlope = slope;
      longest = longestStep;
      least = 0;
      most = 5 * step;
      lastWidth = longestStep;
      widthBefore = 2 * longestStep;
      evaluations = 0;
      retreats = 0;
    },

    advance(value, slope) {
      evaluations++;
      const testSlope = decrease * startSlope;
      const enough = value <= startValue + step * testSlope;
      if (enough && Math.abs(slope) <= -curvature * startSlope) return 'found';
      if (enough && step >= longest && slope <= testSlope) return 'found';
      if (narrow() || evaluations >= MOST_EVALUATIONS) return 'stalled';

      // The auxiliary function ψ(α) = φ(α) − φ(0) − decrease·α·φ′(0) drives the interval to a point of sufficient
      // decrease. Once such a point has φ′ ≥ 0, lower values of φ suffice, and ψ is no longer needed.
      const auxiliary = value <= interval.bestValue && !enough ? testSlope : 0;
      step = cubicOrSecantStep(interval, step, value, slope, auxiliary, least, most);

      if (interval.bracketed) {
        const current = Math.abs(interval.other - interval.best);
        if (current >= 0.66 * widthBefore) step = interval.best + 0.5 * (interval.other - interval.best);
        widthBefore = lastWidth;
        lastWidth = current;
        least = Math.min(interval.best, interval.other);
        most = Math.max(interval.best, interval.other);
      } else {
        least = step + 1.1 * (step - interval.best);
        most = step + 4 * (step - interval.best);
      }
      step = Math.min(step, longest);
      return narrow() ? 'stalled' : 'evaluate';
    },

    retreat() {
      if (++retreats >= MOST_RETREATS) return 'stalled';
      const { best } = interval;
      const reach = step - best;
      if (reach > 0) {
        longest = best + 0.9 * reach;
        most = Math.min(most, longest);
        least = Math.min(least, best);
      }
      step = best + 0.3 * reach;
      return step === best ? 'stalled' : 'evaluate';
    },
  };
}

/** Interval that contains an acceptable step: `best` has the least value so far, `other` is the far end. */
export interface Interval {
  best: number;
  bestValue: number;
  bestSlope: number;
  other: number;
  otherValue: number;
  otherSlope: number;
  /** True if a minimizer is known to lie between the two ends. */
  bracketed: boolean;
}

/**
 * Next trial step from cubic and quadratic interpolation of two points, and the interval updated with the point just
 * evaluated (dcstep of MINPACK-2).
 *
 * @param interval - updated in place
 * @param step - step just evaluated, with its `value` and `slope`
 * @param tilt - slope that is subtracted from values and slopes first; 0 to interpolate φ itself
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
    // Case 4: lower value, same sign, slope does not shrink: the cubic toward the other end.
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

/** √(θ² − a·b), without overflow and 0 if rounding makes it negative. */
function root(theta: number, a: number, b: number): number {
  const scale = Math.max(Math.abs(theta), Math.abs(a), Math.abs(b));
  if (scale === 0) return 0;
  return scale * Math.sqrt(Math.max(0, square(theta / scale) - (a / scale) * (b / scale)));
}
