import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';

/** Pixels a picture may be wide or high: more than paper shows, and few enough to be drawn. */
export const LARGEST = 10_000;

/** @throws InvalidInputError that names the size that is no number of pixels from 1 to {@link LARGEST} */
export function checkPictureSize(sizes: Readonly<Record<string, unknown>>): void {
  for (const [name, given] of Object.entries(sizes)) {
    if (typeof given === 'number' && given >= 1 && given <= LARGEST) continue;
    throw new InvalidInputError(
      `The ${name} of a picture is a number of pixels from 1 to ${LARGEST}, but ${describe(given)} was given.`,
    );
  }
}
