import { Help } from 'commander';
import { InvalidInputError } from '../../index.ts';
import type { ModelOptions } from '../../models/index.ts';
import { camelCase } from './flags.ts';
import { modelOptions } from './modelOptions.ts';

/** Names of all built-in models. */
export const MODEL_NAMES: readonly string[] = Object.keys(modelOptions);

/** Names of the built-in models that require labels. */
export const LABELED_MODELS = MODEL_NAMES.filter((name) => modelOptions[name]!.takesLabels);

export const isModelName = (name: string): boolean => Object.hasOwn(modelOptions, name);

/** True if a model has an option; undefined for custom models. */
export const takesOption = (model: string, option: string): boolean | undefined =>
  isModelName(model) ? Object.hasOwn(modelOptions[model]!.options, option) : undefined;

/** True for a built-in model that does not choose the number of latent dimensions itself. */
export const needsDim = (model: string): boolean => isModelName(model) && modelOptions[model]!.needsDim;

/** Built-in models with an option. */
export const modelsWith = (option: string): string[] => MODEL_NAMES.filter((name) => takesOption(name, option));

/** Options of models that have flags, with their flags. */
export const FLAGGED: Readonly<Record<string, string>> = {
  ...{ latentDim: 'dim', kernel: 'kernel', missing: 'missing', likelihood: 'likelihood' },
  ...{ inducing: 'inducing', centers: 'centers' },
};

/** @throws InvalidInputError for a built-in model that does not support missing entries */
export function checkTakesMissing(model: string): void {
  if (takesOption(model, 'missing') !== false) return;
  throw new InvalidInputError(
    `${model} cannot use a table with missing entries. Drop their rows or columns, or take one of ${modelsWith('missing').join(', ')}.`,
  );
}

/** @throws InvalidInputError for a built-in model that cannot predict */
export function checkPredicts(model: string, { decoder }: ModelOptions, flag: string): void {
  if (!isModelName(model) || modelOptions[model]!.predicts || decoder) return;
  throw new InvalidInputError(
    `${model} predicts nothing at latent points, which ${flag} shows. Leave out ${flag}, or fit a model with a map to the data, such as gplvm.`,
  );
}

/** Number of points above which an evaluation with N×N matrices needs a second or more. */
const MANY_POINTS = 3000;

/** Suggests a form of the model without N×N matrices if there are many points. */
export function sizeNotes(model: string, points: number, options: ModelOptions): string[] {
  const ofMany = isModelName(model) ? modelOptions[model]!.ofMany : undefined;
  if (points < MANY_POINTS || ofMany === undefined) return [];
  const isSparse = Object.keys(options).some((name) => options[name] !== undefined && ofMany.includes(`\`${name}: `));
  return isSparse ? [] : [`note: ${points} points are many for ${model}. ${ofMany}`];
}

const WIDEST = 100;
const JSON_FORMS = `In JSON, a kernel is a text such as "rbf(lengthscale=2) + bias"; a parameter is a number, a list of numbers, or {"fixed": number}; a prior or a likelihood is its name, or an object such as {"prior": "rank", "strength": 10}.`;

/** Help of one model: its options, for `--options`. */
export function modelHelp(model: string): string {
  const { summary, options, takesLabels } = modelOptions[model]!;
  const help = Object.assign(new Help(), { helpWidth: WIDEST });
  const flagged = (name: string) => (FLAGGED[name] === undefined ? '' : ` (flag --${FLAGGED[name]})`);
  const lines = Object.entries(options).map(([name, text]) =>
    help.formatItem(name, 18, `${text}${flagged(name)}`, help),
  );
  return `${model}: ${summary}
Options, for a JSON object in --options, or a file of it:
${lines.join('\n')}

${help.boxWrap(JSON_FORMS, WIDEST)}

Example:
  latentfield fit DATA.csv --model ${model}${takesLabels ? ' --labels COLUMN' : ''} --out results
Flags are listed by 'latentfield fit --help'.
`;
}

/** Help of all models, printed below the flags of `fit`. */
export function modelsHelp(): string {
  const models = MODEL_NAMES.map((name) => {
    const { summary, options } = modelOptions[name]!;
    return `  ${name}: ${summary}\n    ${Object.keys(options).join(' ')}\n`;
  });
  return `
Models, and the options that the JSON of --options accepts ('latentfield info MODEL' describes them):
${models.join('')}
Examples:
  latentfield fit flowers.csv --model gplvm --labels species --out results
  latentfield fit income.csv --model meu --drop 'note*' --out results
  latentfield fit holes.csv --model gplvm --out results
  zcat big.csv.gz | latentfield fit - --model gplvm --inducing 50 --out results
  latentfield fit counts.csv --model bayesian-gplvm --likelihood poisson --batch-size 256 --out results
  latentfield info mpme
`;
}

/** Model named by a word on the command line: bayesian-gplvm is bayesianGplvm. */
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
  if (modelsWith(option).length === 0) return undefined;
  if (option === 'latentDim') return 'The number of latent dimensions is --dim.';
  return `${option} is an option of models: give it as JSON, --options '{"${option}": …}', or in a file of it.`;
}
