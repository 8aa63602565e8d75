import { InvalidArgumentError, Option } from 'commander';

/** Reads a whole number that is no less than the smallest. */
export const wholeFrom = (smallest: number) => (text: string) => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= smallest) return value;
  throw new InvalidArgumentError(`It must be a whole number${Number.isFinite(smallest) ? ` from ${smallest}` : ''}.`);
};

/** Reads a finite number from 0. */
export function fromZero(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('It must be a number from 0.');
}

/** Lets data have holes: without it an empty, NaN or NA cell is an error. */
export const missingFlag = (): Option =>
  new Option(
    '--missing <how>',
    "'ignore': use the entries that are there (default: missing ones are an error)",
  ).choices(['ignore']);
