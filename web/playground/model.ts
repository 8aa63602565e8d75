import {
  type AnyModel,
  bernoulli,
  discriminative,
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
  tsneNeighbours,
} from 'latentfield';
import { standardise } from 'latentfield/io';
import type { Dataset } from './data/dataset.ts';
import { DENSE, MODELS, MOST_DENSE, PRIORS, priorOption, type Settings, TAKES_LABELS } from './settings.ts';

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
  for (const name of MODELS[model]!.fields) {
    const value = options[name];
    if (value === undefined || value === '' || value === false) continue;
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

/** Neighbours where the slider was not moved. */
const NEIGHBOURS = 6;

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
  const { neighbours = NEIGHBOURS, ...others } = numbers as Record<string, number>;
  const text = Object.keys(others).length === 0 ? '' : `, ${JSON.stringify(others)}`;
  if (name === 'laplacian') {
    const prior = laplacian(knnGraph(seen, neighbours), others);
    return { prior, code: `laplacian(knnGraph(rows, ${neighbours})${text})`, imports: ['laplacian', 'knnGraph'] };
  }
  if (name === 'locality') {
    return { prior: locality(neighbours, others), code: `locality(${neighbours}${text})`, imports: ['locality'] };
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
  const prior = { standardNormal, tsne: tsneNeighbours, rank, markov }[name]!(others) as Prior;
  return { prior, code: `${name}(${text.slice(2)})`, imports: [name] };
}

/** Whether the code of a model names the labels. */
const speaksOfLabels = ({ model, options }: Settings) =>
  TAKES_LABELS.includes(model) || (options.priors === 'chosen' && options[priorOption('discriminative')] === true);

/** The rows as the model sees them, and the model. */
export function modelOf(
  settings: Settings,
  { observations, labels }: Pick<Dataset, 'observations' | 'labels'>,
): { model: AnyModel; seen: Matrix } {
  const { model: name, options } = settings;
  const seen = settings.standardise ? standardise(observations).apply(observations) : observations;
  if (TAKES_LABELS.includes(name) && labels === undefined) {
    throw new InvalidInputError(`${name} is made from labels. Choose the column that holds them, or another model.`);
  }
  if (name in DENSE && seen.rows > MOST_DENSE && options[DENSE[name] ?? ''] === undefined) {
    throw new InvalidInputError(
      `${name} of ${seen.rows} rows takes matrices of ${seen.rows} × ${seen.rows} numbers, too large for a page. ${
        DENSE[name] === undefined ? 'Choose' : `Choose ${DENSE[name] === 'centres' ? 'centres' : 'inducing inputs'}, or`
      } a model such as pca, lle or laplacianEigenmaps.`,
    );
  }
  const missing = seen.data.some(Number.isNaN) ? { missing: 'ignore' } : {};
  const given = { ...optionsOf(settings, { seen, labels }).values, ...missing };
  return { model: namedModels[name]!.make(seen, labels, given), seen };
}

/** A TypeScript program that fits the exported table again. */
export function programOf(settings: Settings, { observations, labels }: Dataset, objective: number): string {
  const rows = settings.standardise ? standardise(observations).apply(observations) : observations;
  const { code, imports } = optionsOf(settings, { seen: rows, labels });
  const hasHoles = observations.data.some(Number.isNaN);
  const takesLabels = TAKES_LABELS.includes(settings.model);
  const options = [...code, ...(hasHoles ? ["missing: 'ignore'"] : [])].join(', ');
  const reading = [
    `columns: Array.from({ length: ${observations.columns} }, (_, j) => j)`,
    ...(labels === undefined ? [] : ["labels: 'label'"]),
    ...(hasHoles ? ['allowMissing: true'] : []),
  ];
  const table = speaksOfLabels(settings) ? '{ observations, labels = [] }' : '{ observations }';
  return `// Fits data.csv as the playground of latentfield did, where the objective was ${objective}.
import { ${['fit', settings.model, ...imports].sort().join(', ')} } from 'latentfield';
import { readTable${settings.standardise ? ', standardise' : ''} } from 'latentfield/io';

const ${table} = await readTable('data.csv', { ${reading.join(', ')} });
const rows = ${settings.standardise ? 'standardise(observations).apply(observations)' : 'observations'};
const model = ${settings.model}(rows, ${takesLabels ? 'labels, ' : ''}{ ${options} });
const result = await fit(model, { maxIterations: ${settings.maxIterations}, seed: ${settings.seed} });
console.log(result.objective);
`;
}
