import { InvalidInputError } from './errors.ts';

/** An N×N matrix of doubles takes 3.2 GB at this N. */
const MOST_POINTS = 20_000;

/**
 * Throws if there are too many points for an N×N matrix. Call it before allocating one.
 *
 * @param who - the method, as the subject of the message
 * @param instead - a sentence that says what to use instead
 */
export function checkAllPairs(who: string, points: number, instead: string, most = MOST_POINTS): void {
  if (points <= most) return;
  throw new InvalidInputError(
    `${who} keeps a number for each two points, and takes up to ${most} of them: ${points} points would need ` +
      `${Math.ceil((8 * points * points) / 1e9)} GB for one such matrix. ${instead}`,
  );
}
