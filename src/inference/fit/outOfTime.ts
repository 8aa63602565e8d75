import { OptimizationError } from '../../core/errors.ts';
import type { Watch } from '../../core/progressiveWork.ts';
import { shortNumber } from '../shortNumber.ts';

/** A limit of seconds that passed before there was anything to return. */
export class OutOfTime extends OptimizationError {
  /**
   * @param limit - maxSeconds
   * @param needed - how many seconds it takes to begin, as far as can be told
   */
  constructor(
    readonly limit: number,
    readonly needed: number,
  ) {
    super(
      `The limit of maxSeconds = ${limit} passed before the search had begun: its preparation, such as finding neighbours, takes about ${shortNumber(needed)} seconds. Raise the limit well above that, or give fewer points.`,
    );
  }
}

/** Work that is past the limit goes on if it will be done in so many milliseconds, or in this part of the limit. */
const SHORT = 100;
const SHORT_PART = 0.1;

/**
 * Watches what is computed before there is anything to return.
 *
 * @param limit - maxSeconds
 * @param left - milliseconds that are left of it
 * @returns a function that throws {@link OutOfTime} once the limit has passed, unless the work is as good as done
 */
export function beginsWithin(limit: number, left: () => number): Watch {
  let [began, first, done] = [0, 1, 1];
  return (part) => {
    const now = performance.now();
    // The time before the first pause of some work does not predict the rest.
    if (part <= done) [began, first] = [now, part];
    done = part;
    const late = -left();
    if (late < 0 || part === first) return;
    const rest = ((now - began) * (1 - part)) / (part - first);
    if (rest < Math.max(SHORT, 1000 * SHORT_PART * limit)) return;
    throw new OutOfTime(limit, limit + (late + rest) / 1000);
  };
}
