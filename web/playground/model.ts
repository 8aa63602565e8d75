import {
  type AnyModel,
  bernoulli,
  InvalidInputError,
  type Matrix,
  namedModels,
  parseKernel,
  poisson,
  studentT,
} from 'latentfield';
import { standardise } from 'latentfield/io';
import type { Dataset } from './data/dataset.ts';
import { MODELS, type Settings, TAKES_LABELS } from './settings.ts';

const LIKELIHOODS = { bernoulli, poisson, studentT };

/** The options that are given and belong to the model: as values, and as the code that says the same. */
export function optionsOf({ model, options }: Settings): {
  values: Record<string, unknown>;
  code: string[];
  imports: string[];
} {
  const values: Record<string, unknown> = {};
  const code: string[] = [];
  const imports: string[] = [];
  const take = (name: string, value: unknown, text: string, imported?: string) => {
    values[name] = value;
    code.push(`${name}: ${text}`);
    if (imported !== undefined) imports.push(imported);
  };
  for (const name of MODELS[model]!.fields) {
    const value = options[name];
    if (value === undefined || value === '' || value === false) continue;
    if (name === 'kernel')
      take(name, parseKernel(String(value)), `parseKernel(${JSON.stringify(value)})`, 'parseKernel');
    else if (name === 'likelihood') {
      take(name, LIKELIHOODS[value as keyof typeof LIKELIHOODS](), `${value}()`, String(value));
    } else if (name === 'priors') take(name, [], '[]');
    else take(name, value, JSON.stringify(value));
  }
  return { values, code, imports };
}

/** The rows as the model sees them, and the model. */
export function modelOf(settings: Settings, { observations, labels }: Dataset): { model: AnyModel; seen: Matrix } {
  const seen = settings.standardise ? standardise(observations).apply(observations) : observations;
  if (TAKES_LABELS.includes(settings.model) && labels === undefined) {
    throw new InvalidInputError(
      `${settings.model} is made from labels. Choose the column that holds them, or another model.`,
    );
  }
  const missing = seen.data.some(Number.isNaN) ? { missing: 'ignore' } : {};
  const model = namedModels[settings.model]!.make(seen, labels, { ...optionsOf(settings).values, ...missing });
  return { model, seen };
}

/** A TypeScript program that fits the exported table again. */
export function programOf(settings: Settings, { observations, labels }: Dataset, objective: number): string {
  const { code, imports } = optionsOf(settings);
  const hasHoles = observations.data.some(Number.isNaN);
  const takesLabels = TAKES_LABELS.includes(settings.model);
  const options = [...code, ...(hasHoles ? ["missing: 'ignore'"] : [])].join(', ');
  const reading = [
    `columns: Array.from({ length: ${observations.columns} }, (_, j) => j)`,
    ...(labels === undefined ? [] : ["labels: 'label'"]),
    ...(hasHoles ? ['allowMissing: true'] : []),
  ];
  const rows = settings.standardise ? 'standardise(observations).apply(observations)' : 'observations';
  const table = labels === undefined || !takesLabels ? '{ observations }' : '{ observations, labels = [] }';
  return `// Fits data.csv as the playground of latentfield did, where the objective was ${objective}.
import { ${['fit', settings.model, ...imports].sort().join(', ')} } from 'latentfield';
import { readTable${settings.standardise ? ', standardise' : ''} } from 'latentfield/io';

const ${table} = await readTable('data.csv', { ${reading.join(', ')} });
const model = ${settings.model}(${rows}, ${takesLabels ? 'labels, ' : ''}{ ${options} });
const result = await fit(model, { maxIterations: ${settings.maxIterations}, seed: ${settings.seed} });
console.log(result.objective);
`;
}
