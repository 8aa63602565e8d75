import { InvalidInputError } from './errors.ts';

/** One number for each two of so many points takes 3.2 GB. */
const MOST_POINTS = 20_000;

/**
 * Refuses what keeps a number for each two points where these cannot be held; to be asked before anything is allocated.
 *
 * @param who - keeps them, the beginning of a sentence
 * @param instead - a sentence: what works
 */
export function checkAllPairs(who: string, points: number, instead: string, most = MOST_POINTS): void {
  if (points <= most) return;
  throw new InvalidInputError(
    `${who} keeps a number for each two points, and takes up to ${most} of them: ${points} points would need ` +
      `${Math.ceil((8 * points * points) / 1e9)} GB for one such matrix. ${instead}`,
  );
}
