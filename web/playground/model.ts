import {
  type AnyModel,
  bernoulli,
  discriminative,
  type FitJSON,
  InvalidInputError,
  knnGraph,
  laplacian,
  locality,
  type Matrix,
  markov,
  namedModels,
  negativeBinomial,
  ordinal,
  type Prior,
  parseKernel,
  poisson,
  rank,
  standardNormal,
  studentT,
  tsneNeighbors,
} from 'latentfield';
import { standardize } from 'latentfield/io';
import { fieldsOf, isDense, MODELS, MOST_DENSE, modelsWith, PRIORS, priorOption, type Settings } from './settings.ts';

const LIKELIHOODS = { bernoulli, poisson, negativeBinomial, studentT };

/** Rows as a model sees them. */
interface Rows {
  readonly seen: Matrix;
  readonly labels: readonly string[] | undefined;
}

/** The options that are given and belong to the model: as values, and as the code that says the same of `rows` and `labels`. */
function optionsOf(
  { model, options }: Settings,
  rows: Rows,
): { values: Record<string, unknown>; code: string[]; imports: string[] } {
  const values: Record<string, unknown> = {};
  const code: string[] = [];
  const imports: string[] = [];
  const take = (name: string, value: unknown, text: string, ...imported: string[]) => {
    values[name] = value;
    code.push(`${name}: ${text}`);
    imports.push(...imported);
  };
  for (const name of fieldsOf(model)) {
    const value = options[name];
    if (name === 'batchSize' || value === undefined || value === '' || value === false) continue;
    if (name === 'kernel')
      take(name, parseKernel(String(value)), `parseKernel(${JSON.stringify(value)})`, 'parseKernel');
    else if (value === 'ordinal') {
      const levels = Math.max(2, 1 + rows.seen.data.reduce((most, y) => (y > most ? y : most), 0));
      take(name, ordinal({ levels }), `ordinal({ levels: ${levels} })`, 'ordinal');
    } else if (name === 'likelihood') {
      take(name, LIKELIHOODS[value as keyof typeof LIKELIHOODS](), `${value}()`, String(value));
    } else if (name === 'priors') {
      const chosen =
        value === 'none' ? [] : Object.keys(PRIORS).filter((prior) => options[priorOption(prior)] === true);
      const made = chosen.map((prior) => priorOf(prior, options, rows));
      take(
        name,
        made.map(({ prior }) => prior),
        `[${made.map((prior) => prior.code).join(', ')}]`,
        ...made.flatMap((prior) => prior.imports),
      );
    } else take(name, value, JSON.stringify(value));
  }
  return { values, code, imports: [...new Set(imports)] };
}

/** Neighbors where the slider was not moved. */
const NEIGHBORS = 6;

/** A chosen prior with its numbers, and the code that makes it. */
function priorOf(
  name: string,
  options: Settings['options'],
  { seen, labels }: Rows,
): { prior: Prior; code: string; imports: string[] } {
  const numbers = Object.fromEntries(
    Object.keys(PRIORS[name]!.fields).flatMap((field) => {
      const value = options[priorOption(name, field)];
      return typeof value === 'number' ? [[field, value]] : [];
    }),
  );
  const { neighbors = NEIGHBORS, ...others } = numbers as Record<string, number>;
  const text = Object.keys(others).length === 0 ? '' : `, ${JSON.stringify(others)}`;
  if (name === 'laplacian') {
    const prior = laplacian(knnGraph(seen, neighbors), others);
    return { prior, code: `laplacian(knnGraph(rows, ${neighbors})${text})`, imports: ['laplacian', 'knnGraph'] };
  }
  if (name === 'locality') {
    return { prior: locality(neighbors, others), code: `locality(${neighbors}${text})`, imports: ['locality'] };
  }
  if (name === 'discriminative') {
    if (labels === undefined) {
      throw new InvalidInputError(
        'The prior by labels takes labels. Choose the column that holds them, or other priors.',
      );
    }
    return {
      prior: discriminative(labels, others),
      code: `discriminative(labels${text})`,
      imports: ['discriminative'],
    };
  }
  const [factory, make] = {
    standardNormal: ['standardNormal', standardNormal],
    tsne: ['tsneNeighbors', tsneNeighbors],
    rank: ['rank', rank],
    markov: ['markov', markov],
  }[name] as [string, (options: object) => Prior];
  return { prior: make(others), code: `${factory}(${text.slice(2)})`, imports: [factory] };
}

/** Whether the code of a model names the labels. */
const speaksOfLabels = ({ model, options }: Settings) =>
  MODELS[model]!.takesLabels || (options.priors === 'chosen' && options[priorOption('discriminative')] === true);

/** Options of the search: its limit of iterations is that of each round. */
export function searchOf({ model, options, seed }: Settings, maxIterations: number) {
  const { batchSize } = options;
  const isInBatches = typeof batchSize === 'number' && fieldsOf(model).includes('batchSize');
  return { ...(isInBatches && { batchSize }), maxIterations, seed };
}

/** The rows as the model sees them, and the model. */
export function modelOf(
  settings: Settings,
  { observations, labels }: { readonly observations: Matrix; readonly labels: readonly string[] | undefined },
): { model: AnyModel; seen: Matrix } {
  const { model: name } = settings;
  const seen = settings.standardize ? standardize(observations).apply(observations) : observations;
  if (MODELS[name]!.takesLabels && labels === undefined) {
    throw new InvalidInputError(`${name} is made from labels. Choose the column that holds them, or another model.`);
  }
  if (seen.rows > MOST_DENSE && isDense(settings)) {
    const sparser = 'inducing' in MODELS[name]!.options ? 'inducing inputs, or ' : '';
    throw new InvalidInputError(
      `${name} of ${seen.rows} rows takes matrices of ${seen.rows} × ${seen.rows} numbers, too large for a page. Choose ${sparser}a model such as pca, lle or laplacianEigenmaps.`,
    );
  }
  const holes = seen.data.reduce((count, value) => count + (Number.isNaN(value) ? 1 : 0), 0);
  const takesHoles = 'missing' in MODELS[name]!.options;
  if (holes > 0 && !takesHoles) {
    const cells = holes === 1 ? '1 cell is missing' : `${holes} cells are missing`;
    throw new InvalidInputError(
      `${name} takes no tables with missing cells, and ${cells}. Choose ${modelsWith('missing').slice(0, 3).join(', ')} or another model that does, or leave out these rows or columns.`,
    );
  }
  const missing = holes > 0 && takesHoles ? { missing: 'ignore' } : {};
  const given = { ...optionsOf(settings, { seen, labels }).values, ...missing };
  return { model: namedModels[name]!.make(seen, labels, given), seen };
}

const searchCode = (settings: Settings, maxIterations: number) =>
  Object.entries(searchOf(settings, maxIterations))
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');

/** A TypeScript program that fits the exported table again: `rounds` are the limits of a fit that went on. */
export function programOf(
  settings: Settings,
  table: {
    readonly observations: Matrix;
    readonly labels: readonly string[] | undefined;
    readonly labelColumn: string;
    readonly ids: readonly string[] | undefined;
    readonly idColumn: string;
  },
  objective: number,
  rounds: readonly number[],
): string {
  const { observations, labels, labelColumn, ids, idColumn } = table;
  const rows = settings.standardize ? standardize(observations).apply(observations) : observations;
  const { code, imports } = optionsOf(settings, { seen: rows, labels });
  const hasHoles = observations.data.some(Number.isNaN);
  const takesLabels = MODELS[settings.model]!.takesLabels;
  const options = [...code, ...(hasHoles && 'missing' in MODELS[settings.model]!.options ? ["missing: 'ignore'"] : [])];
  const first = ids === undefined ? 0 : 1;
  const reading = [
    `columns: Array.from({ length: ${observations.columns} }, (_, j) => j${first === 0 ? '' : ' + 1'})`,
    ...(ids === undefined ? [] : [`id: ${JSON.stringify(idColumn)}`]),
    ...(labels === undefined ? [] : [`labels: ${JSON.stringify(labelColumn)}`]),
    ...(hasHoles ? ['allowMissing: true'] : []),
  ];
  const names = speaksOfLabels(settings) ? '{ observations, labels = [] }' : '{ observations }';
  const goOn = rounds
    .slice(1)
    .map((most) => `result = await fit(model, { ${searchCode(settings, most)}, start: result });\n`);
  return `// Fits data.csv as the playground of latentfield did, where the objective was ${objective}.
import { ${['fit', settings.model, ...imports].sort().join(', ')} } from 'latentfield';
import { readTable${settings.standardize ? ', standardize' : ''} } from 'latentfield/io';

const ${names} = await readTable('data.csv', { ${reading.join(', ')} });
const rows = ${settings.standardize ? 'standardize(observations).apply(observations)' : 'observations'};
const model = ${settings.model}(rows, ${takesLabels ? 'labels, ' : ''}{ ${options.join(', ')} });
${goOn.length === 0 ? 'const' : 'let'} result = await fit(model, { ${searchCode(settings, rounds[0]!)} });
${goOn.join('')}console.log(result.objective);
`;
}

/** A program that fits again what a saved fit holds: its rows and its model. */
export function programOfSaved({
  objective,
  diagnostics: { iterations, seed = 0, batchSize },
}: Pick<FitJSON, 'objective' | 'diagnostics'>): string {
  return `// Fits the model of fit.json again, from its rows, where the objective was ${objective}.
import { readFileSync } from 'node:fs';
import { fit, modelFromJSON } from 'latentfield';

const saved = JSON.parse(readFileSync('fit.json', 'utf8'));
const model = modelFromJSON(saved.model, {});
const result = await fit(model, { ${batchSize === undefined ? '' : `batchSize: ${batchSize}, `}maxIterations: ${Math.max(1, iterations)}, seed: ${seed} });
console.log(result.objective);
`;
}
