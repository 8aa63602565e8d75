import { camelCase } from './flags.ts';
import { isModelName, OPTIONS } from './modelDescriptions.ts';

/** Commands that take options of a model as JSON. */
const WITH_MODELS = ['fit', 'select'];

/** What to write instead of an option or a command that is not known, or nothing to say. */
export function usageHint(argv: readonly string[], message: string): string | undefined {
  const [, kind, given] = /unknown (option|command) '([^']+)'/.exec(message) ?? [];
  if (given === undefined) return undefined;
  if (kind === 'command') {
    const model = camelCase(given);
    if (!isModelName(model)) return undefined;
    return `${model} is a model: 'latentfield fit DATA --model ${model} --out DIR' fits it, 'latentfield info ${model}' lists its options.`;
  }
  const option = camelCase(given.replace(/^--?/, ''));
  if (!WITH_MODELS.includes(argv[0]!) || !Object.hasOwn(OPTIONS, option)) return undefined;
  if (option === 'latentDim') return 'The number of latent dimensions is --dim.';
  return `${option} is an option of models: give it as JSON, --options '{"${option}": …}', or in a file of it.`;
}
