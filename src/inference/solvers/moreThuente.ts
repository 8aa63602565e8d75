import { cubicOrSecantStep, type Interval } from './moreThuenteStep.ts';

/** Constants of a line search; those of L-BFGS-B are the default. */
export interface WolfeConditions {
  /** Sufficient decrease: φ(α) ≤ φ(0) + decrease·α·φ′(0). */
  readonly decrease: number;
  /** Curvature: |φ′(α)| ≤ curvature·|φ′(0)|. */
  readonly curvature: number;
  /** Relative width of the bracketing interval at which the search gives up narrowing it. */
  readonly width: number;
}

/** What to do with the step just evaluated: take it, evaluate `step` next, or settle for the best one seen. */
export type Verdict = 'found' | 'evaluate' | 'stalled';

/** A search for a step length in reverse communication: evaluate φ at `step`, call `advance` or `retreat`, repeat. */
export interface StepSearch {
  readonly step: number;
  begin(value: number, slope: number, firstStep: number, longestStep: number): void;
  /** Takes φ and φ′ at `step`. */
  advance(value: number, slope: number): Verdict;
  /** φ is not finite at `step`. */
  retreat(): Verdict;
}

const STRONG_WOLFE: WolfeConditions = { decrease: 1e-3, curvature: 0.9, width: 0.1 };
const MOST_EVALUATIONS = 20;
const MOST_RETREATS = 40;

/**
 * The line search of Moré and Thuente: a step that satisfies the strong Wolfe conditions.
 *
 * A step where φ is not finite is answered by going back towards the best step so far, and nothing beyond nine tenths of
 * the way to it is tried again.
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

      // The auxiliary function ψ(α) = φ(α) − φ(0) − decrease·α·φ′(0) drives the interval to a place where sufficient decrease
      // holds; once there is one with φ′ ≥ 0, lower values of φ than at it are sufficient, so that ψ is not asked again.
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
