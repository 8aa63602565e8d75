import { InvalidInputError, type ModelOptions } from '../../index.ts';
import { camelCase } from './flags.ts';
import { descriptionOf, isDescribed, isModelName, LABELED_MODELS, MODEL_NAMES, OPTIONS } from './modelDescriptions.ts';

/** Descriptions of a model's options by name. */
export function optionsOf(model: string): Record<string, string> {
  const { options, own = {} } = descriptionOf(model);
  return Object.fromEntries(['latentDim', ...options].map((name) => [name, own[name] ?? OPTIONS[name]!]));
}

/** @throws InvalidInputError for a built-in model that does not take missing entries */
export function checkTakesMissing(model: string): void {
  if (!isDescribed(model) || 'missing' in optionsOf(model)) return;
  const able = MODEL_NAMES.filter((name) => 'missing' in optionsOf(name));
  throw new InvalidInputError(
    `${model} cannot use a table with missing entries. Drop their rows or columns, or take one of ${able.join(', ')}.`,
  );
}

/** @throws InvalidInputError for a built-in model that predicts nothing */
export function checkPredicts(model: string, flag: string): void {
  if (!descriptionOf(model).predictsNothing) return;
  throw new InvalidInputError(
    `${model} predicts nothing at latent points, which ${flag} shows. Leave out ${flag}, or fit a model with a map to the data, such as gplvm.`,
  );
}

/** Number of points from which an evaluation with N×N matrices takes a second or more. */
const MANY_POINTS = 3000;

const SPARSE_OPTIONS = ['inducing', 'centers', 'landmarks', 'neighbors'] as const;

/** Suggests a form of the model without N×N matrices if there are many points. */
export function sizeNotes(model: string, points: number, options: ModelOptions): string[] {
  const { many } = descriptionOf(model);
  const isSparse = SPARSE_OPTIONS.some((name) => options[name] !== undefined && many?.includes(name));
  return points < MANY_POINTS || many === undefined || isSparse ? [] : [`note: ${points} points ${many}`];
}

/** Help of one model: its options, for `--options`. */
export function modelHelp(model: string): string {
  const options = Object.entries(optionsOf(model)).map(([name, text]) => `  ${name.padEnd(17)} ${text}\n`);
  return `${model}: ${descriptionOf(model).summary}\nOptions, for a JSON object in --options, or a file of it (defaults in brackets):\n${options.join('')}
Example:
  latentfield fit DATA.csv --model ${model}${LABELED_MODELS.includes(model) ? ' --labels COLUMN' : ''} --out results
Flags are listed by 'latentfield fit --help'.
`;
}

/** Help of all models, printed below the flags of `fit`. */
export function modelsHelp(): string {
  const models = MODEL_NAMES.map((name) => {
    const { own = {}, summary } = descriptionOf(name);
    const names = Object.keys(optionsOf(name));
    const differing = Object.entries(own).map(([option, text]) => `      ${option}: ${text}\n`);
    return `  ${name}: ${summary}\n    ${names.join(' ')}\n${differing.join('')}`;
  });
  const shared = Object.entries(OPTIONS).map(([name, text]) => `  ${name.padEnd(17)} ${text}\n`);
  return `
Models, and the options that the JSON of --options may hold:
${models.join('')}
Options (defaults in brackets, unless a model says otherwise above):
${shared.join('')}
Examples:
  latentfield fit flowers.csv --model gplvm --labels species --out results
  latentfield fit income.csv --model meu --drop 'note*' --out results
  latentfield fit holes.csv --model gplvm --out results
  zcat big.csv.gz | latentfield fit - --model gplvm --inducing 50 --out results
  latentfield fit counts.csv --model bayesian-gplvm --likelihood poisson --batch-size 256 --out results
  latentfield info mpme
`;
}

/** The model that a word on the command line names: bayesian-gplvm is bayesianGplvm. */
export function modelCalled(word: string): string | undefined {
  const model = camelCase(word);
  return isModelName(model) ? model : undefined;
}

/** Suggestion for an unknown command that is the name of a model. */
export function hintForCommand(word: string): string | undefined {
  const model = modelCalled(word);
  if (model === undefined) return undefined;
  return `${model} is a model: 'latentfield fit DATA --model ${model} --out DIR' fits it, 'latentfield info ${model}' lists its options.`;
}

/** Suggestion for an unknown flag that is an option of models. */
export function hintForOption(flag: string): string | undefined {
  const option = camelCase(flag.replace(/^--?|=.*$/g, ''));
  if (!Object.hasOwn(OPTIONS, option)) return undefined;
  if (option === 'latentDim') return 'The number of latent dimensions is --dim.';
  return `${option} is an option of models: give it as JSON, --options '{"${option}": …}', or in a file of it.`;
}
