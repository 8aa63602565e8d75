import { type Command, InvalidArgumentError, Option } from 'commander';
import { InvalidInputError, type OwnParts } from '../../index.ts';
import { readParts } from '../workers/index.ts';

/** A flag as shown in help, its description, how its text is read or its choices, and its default. The description of a required flag begins with '(required)'. */
type Flag = readonly [
  flags: string,
  description: string,
  reading?: ((text: string, previous?: never) => unknown) | readonly string[] | undefined,
  value?: unknown,
];

type Word<S> = S extends `${infer First} ${string}` ? First : S;
type CamelCase<S> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<CamelCase<B>>}` : S;
type NameOf<S> = S extends `${string}--no-${infer Rest}` | `${string}--${infer Rest}` ? CamelCase<Word<Rest>> : never;
type ValueOf<F extends Flag> = F[2] extends (...given: never[]) => infer T
  ? T
  : F[2] extends readonly (infer Choice)[]
    ? Choice
    : F[0] extends `${string}[${string}`
      ? true | string[]
      : F[0] extends `${string}<${string}`
        ? string
        : boolean;

/** Values of flags by option name; values with a default, and negated flags, are always present. */
export type Given<F extends readonly Flag[]> = {
  readonly [One in F[number] as One extends readonly [string, string, unknown, unknown]
    ? never
    : NameOf<One[0]>]?: ValueOf<One>;
} & {
  readonly [One in F[number] as One extends readonly [string, string, unknown, unknown]
    ? NameOf<One[0]>
    : never]: ValueOf<One>;
};

const optionOf = ([flags, description, reading, value]: Flag): Option => {
  const option = new Option(flags, description);
  if (typeof reading === 'function') option.argParser(reading as (text: string) => unknown);
  else if (reading !== undefined) {
    const words = reading.map(kebabCase);
    option.choices(words).argParser((text: string) => {
      if (reading.includes(camelCase(text))) return camelCase(text);
      throw new InvalidArgumentError(`Allowed choices are ${words.join(', ')}.`);
    });
  }
  return value === undefined ? option : option.default(value);
};

/**
 * Adds flags to a command, which then does not run without the required ones. Commander would check these before unknown flags, which may be
 * misspelled required ones.
 *
 * @throws InvalidInputError if one is missing, when the command runs
 */
export function addFlags(command: Command, ...flags: readonly Flag[]): Command {
  for (const flag of flags) command.addOption(optionOf(flag));
  const required = flags.filter(([, description]) => description.startsWith('(required)')).map(optionOf);
  return command.hook('preAction', () => {
    const missing = required.find((option) => command.getOptionValue(option.attributeName()) === undefined);
    if (missing === undefined) return;
    throw new InvalidInputError(`required option '${missing.flags.replace(/^-\w, /, '')}' not specified.`);
  });
}

/** Values of these flags that were set, by option name. */
export const chosen = <const F extends readonly Flag[]>(given: NoInfer<Given<F>>, ...flags: F): Given<F> =>
  Object.fromEntries(
    flags.flatMap((flag) => {
      const name = optionOf(flag).attributeName();
      const value = given[name as keyof Given<F>];
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Given<F>;

/** Reads a whole number of at least `smallest`; `other` describes other accepted values. */
export const wholeFrom =
  (smallest: number, other = '') =>
  (text: string) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(value) && value >= smallest) return value;
    throw new InvalidArgumentError(
      `It must be a whole number${Number.isFinite(smallest) ? ` from ${smallest}` : ''}${other}.`,
    );
  };

/** Reads a positive whole number, or a word. */
export const wholeOr =
  <W extends string>(word: W) =>
  (text: string): number | W =>
    text === word ? word : wholeFrom(1, `, or '${word}'`)(text);

/** Reads a finite nonnegative number. */
export function fromZero(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('It must be a number from 0.');
}

/** Reads a finite positive number. */
export function aboveZero(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
}

/** Collects the values of a flag that may be repeated. */
export const several = (value: string, previous: string[] = []): string[] => [...previous, value];

/** A name in camel case: bayesian-gplvm becomes bayesianGplvm. */
export const camelCase = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Name of a library object on the command line: bayesianGplvm becomes bayesian-gplvm. */
const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

// Flags of several commands.
export const PARTS = [
  '--parts <file.mjs>',
  'a module with your own kernels, priors, maps, likelihoods or models',
] as const;
export const SEED = [
  '-s, --seed <s>',
  'seed of everything random (default: 0)',
  wholeFrom(Number.NEGATIVE_INFINITY),
] as const;
export const JSON_OUTPUT = ['--json', 'print one JSON object'] as const;
export const FORCE = ['--force', 'replace existing files'] as const;
export const LABELS = [
  '--labels <file|column>',
  'labels: a file with one per row, or a column of the table by name or number from 0; some may be missing',
] as const;
export const DIM = ['-d, --dim <q>', 'number of latent dimensions (default: 2)', wholeFrom(1)] as const;
export const MAX_ITERATIONS = ['--max-iterations <n>', 'limit on the iterations of each fit', wholeFrom(0)] as const;
export const STANDARDIZE = [
  '--standardize',
  'bring each column to mean 0 and standard deviation 1 for the fit',
] as const;
export const NO_NOISE = ['--no-noise', 'predict the function rather than new observations'] as const;
/** Flags for the treatment of missing entries, which are accepted by default. */
export const MISSING = [
  '--missing <how>',
  "'ignore': use the entries that are there (default where the model can); 'error': refuse tables with missing entries",
  ['ignore', 'error'],
] as const;
/** Flags about the model of a table. */
export const MODEL_FLAGS = [
  DIM,
  ['--kernel <text>', 'covariance of the mapping, such as "rbf(lengthscale=[1,2]) + bias(0.1)"'],
  LABELS,
  ['--options <json|file>', 'options of the model: \'{"dynamics":true}\', or a file with them'],
  STANDARDIZE,
  ['--no-scale', 'leave columns as they are, even if their deviations differ by more than ten times'],
  MISSING,
  PARTS,
] as const;

/** Flags about the size of the model. */
export const SPARSE_FLAGS = [
  ['--inducing <m>', 'number of inducing inputs of the mapping: cost O(N·m²); or none', wholeOr('none')],
  ['--centers <m>', 'number of centers of tpslvm: cost O(N·m²)', wholeFrom(1)],
  ['--likelihood <name>', 'distribution of the observations: poisson, bernoulli, … (default: gaussian)'],
] as const;

/** Module passed to `--parts`. */
export type PartsArguments = Given<readonly [typeof PARTS]>;

/** Exports of the module passed to `--parts`; empty without a module. */
export const partsOf = async (file: string | undefined): Promise<OwnParts> =>
  file === undefined ? {} : readParts(file);

/** Options of the library that differ in name from their flags. */
const CALLED: Readonly<Record<string, (value: string) => [name: string, value: string]>> = {
  latentDim: (value) => ['dim', value],
  allowMissing: () => ['missing', 'ignore'],
  allowAbsent: () => ['missing', 'ignore'],
  models: () => ['parts', 'FILE'],
};

/**
 * Replaces options in backticks in a text of the library by the flags of a command: `maxBytes: 100` becomes --max-bytes 100, and an option of models
 * without a flag becomes JSON for --options.
 */
export const inFlags = (text: string, options: readonly Option[]): string =>
  text.replace(/`(\w+)(?:: ([^`]*))?`/g, (span, said: string, given = '') => {
    const [name, value] = CALLED[said]?.(given) ?? [said, given];
    const of = (attribute: string) => options.filter((option) => option.attributeName() === attribute);
    const flag = of(name).find(({ negate }) => negate === (value === 'false')) ?? of(name)[0];
    const json = value !== '' && of('options')[0] !== undefined;
    const inJson = value.replaceAll("'", '"').replace(/^fixed\((.*)\)$/, '{"fixed": $1}');
    if (flag === undefined) return json ? `--options '{"${name}": ${inJson}}'` : span.slice(1, -1);
    if (value === '' || !flag.required) return flag.long!;
    const list = Array.from(value.matchAll(/'([^']*)'/g), ([, entry]) => entry);
    const word = list.length > 0 ? list.join(',') : value.replace(/^\[(.*)\]$/, '$1');
    const choices = flag.argChoices ?? [];
    const named = choices.includes(kebabCase(word)) ? kebabCase(word) : word;
    const chosen = choices.includes('yes') ? (word === 'true' ? 'yes' : 'no') : named;
    return `${flag.long} ${/^[\w.,:*%@/…-]+$/.test(chosen) ? chosen : `"${chosen}"`}`;
  });
