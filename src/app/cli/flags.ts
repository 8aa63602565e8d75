import { InvalidArgumentError, Option } from 'commander';
import { InvalidInputError } from '../../index.ts';

/** Reads a whole number that is no less than the smallest; `other` says what else is taken. */
export const wholeFrom =
  (smallest: number, other = '') =>
  (text: string) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(value) && value >= smallest) return value;
    throw new InvalidArgumentError(
      `It must be a whole number${Number.isFinite(smallest) ? ` from ${smallest}` : ''}${other}.`,
    );
  };

/** Reads a whole number from 1, or 'auto'. */
export const wholeOrAuto = (text: string): number | 'auto' =>
  text === 'auto' ? text : wholeFrom(1, ", or 'auto'")(text);

/** A name as the library has it: bayesian-gplvm is bayesianGplvm. */
export const camelCase = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Reads a finite number from 0. */
export function fromZero(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('It must be a number from 0.');
}

/** Reads a finite number above 0. */
export function aboveZero(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
}

/** Lets data have holes: without it an empty, NaN or NA cell is an error. */
export const missingFlag = (): Option =>
  new Option(
    '--missing <how>',
    "'ignore': use the entries that are there (default: missing ones are an error)",
  ).choices(['ignore']);

/**
 * Checks flags that a command cannot do without. Commander would look for them before it looks for flags that it does not know, one of which
 * may be the one that is missing, mistyped.
 *
 * @param flags - as they are written in the help, such as '--model <name>'
 * @throws InvalidInputError when one of them is missing
 */
export function checkRequired(given: object, flags: readonly string[]): void {
  const missing = flags.find((flag) => !Object.hasOwn(given, flag.replace(/^--| .*$/g, '')));
  if (missing !== undefined) throw new InvalidInputError(`required option '${missing}' not specified.`);
}
