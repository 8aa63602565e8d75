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

/** The flag of an option without its dashes: maxSeconds becomes max-seconds. */
export const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Options of the library that flags of another name stand for. */
const CALLED: Readonly<Record<string, (value: string) => [name: string, value: string]>> = {
  latentDim: (value) => ['dim', value],
  allowMissing: () => ['missing', 'ignore'],
  allowAbsent: () => ['missing', 'ignore'],
};

/**
 * A text of the library, which has options in backticks, with the flags of a command: `maxBytes: 100` becomes --max-bytes 100, and an option of models
 * without a flag JSON for --options.
 */
export const inFlags = (text: string, options: readonly Option[]): string =>
  text.replace(/`(\w+)(?:: ([^`]*))?`/g, (span, said: string, given = '') => {
    const [name, value] = CALLED[said]?.(given) ?? [said, given];
    const of = (attribute: string) => options.filter((option) => option.attributeName() === attribute);
    const flag = of(name).find(({ negate }) => negate === (value === 'false')) ?? of(name)[0];
    const json = value !== '' && of('options')[0] !== undefined;
    if (flag === undefined) return json ? `--options '{"${name}": ${value.replaceAll("'", '"')}}'` : span.slice(1, -1);
    if (value === '' || !flag.required) return flag.long!;
    const list = Array.from(value.matchAll(/'([^']*)'/g), ([, entry]) => entry);
    const word = list.length > 0 ? list.join(',') : value.replace(/^\[\]$/, '');
    const chosen = flag.argChoices?.includes('yes') ? (word === 'true' ? 'yes' : 'no') : word;
    return `${flag.long} ${/^[\w.,:*%@/…-]+$/.test(chosen) ? chosen : `"${chosen}"`}`;
  });

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
