import { InvalidArgumentError, Option } from 'commander';
import { InvalidInputError, type OwnParts } from '../../index.ts';
import { readParts } from '../workers/index.ts';

/** Arguments of all commands that make or read a model. */
export interface PartsArguments {
  readonly parts?: string;
}

export const PARTS_FLAG = [
  '--parts <file.mjs>',
  'a module with your own kernels, priors, maps, likelihoods or models',
] as const;

/** Exports of the module given to `--parts`; none without a module. */
export const partsOf = async (file: string | undefined): Promise<OwnParts> =>
  file === undefined ? {} : readParts(file);

/** Reads a whole number from `smallest` on; `other` describes other accepted values. */
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

/** A name in camel case: bayesian-gplvm becomes bayesianGplvm. */
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

/** How missing entries are treated: used as missing unless the flag refuses them. */
export const missingFlag = (): Option =>
  new Option(
    '--missing <how>',
    "'ignore': use the entries that are there (default where the model can); 'error': refuse tables with missing entries",
  ).choices(['ignore', 'error']);

/**
 * Checks that required flags are given. Commander would check this before it looks for unknown flags, one of which may be the missing one with a
 * typing error.
 *
 * @param flags - as in the help, such as '--model <name>'
 * @throws InvalidInputError if one of them is missing
 */
export function checkRequired(given: object, flags: readonly string[]): void {
  const missing = flags.find((flag) => !Object.hasOwn(given, flag.replace(/^--| .*$/g, '')));
  if (missing !== undefined) throw new InvalidInputError(`required option '${missing}' not specified.`);
}
