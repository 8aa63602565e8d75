import { type AnyModel, byKind, type FitJSON, InvalidInputError, type Matrix } from 'latentfield';
import { standardize } from 'latentfield/io';
import { describedModel } from 'latentfield/models';
import { seasonColumns } from '../../src/app/io/dates.ts';
import {
  BY_KIND,
  countsOf,
  fieldsOf,
  isDense,
  MODELS,
  MOST_DENSE,
  modelsWith,
  PRIORS,
  priorOption,
  type Settings,
} from './settings.ts';

/** Default number of neighbors. */
const NEIGHBORS = 6;

/** Options that are set and belong to the model, in JSON form. */
function optionsOf({ model, options }: Settings, { data }: Matrix): Record<string, unknown> {
  const given = (name: string): unknown => {
    const value = options[name];
    if (name === 'batchSize' || value === '' || value === false) return undefined;
    if (value === 'ordinal') {
      return { likelihood: value, levels: Math.max(2, 1 + data.reduce((most, y) => (y > most ? y : most), 0)) };
    }
    if (name !== 'priors' || value === undefined) return value;
    return value === 'none' ? [] : Object.keys(PRIORS).flatMap((prior) => priorOf(prior, options));
  };
  const all = fieldsOf(model).map((name) => [name, given(name)] as const);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** Prior with its numbers, if it is chosen. */
function priorOf(prior: string, options: Settings['options']): object[] {
  if (options[priorOption(prior)] !== true) return [];
  const fields = Object.keys(PRIORS[prior]!.fields);
  const numbers = fields.map((field) => [field, options[priorOption(prior, field)]] as const);
  return [
    {
      prior,
      ...(fields.includes('neighbors') && { neighbors: NEIGHBORS }),
      ...Object.fromEntries(numbers.filter(([, value]) => typeof value === 'number')),
    },
  ];
}

/** True if the code of a model refers to the labels. */
const speaksOfLabels = ({ model, options }: Settings) =>
  MODELS[model]!.takesLabels || (options.priors === 'chosen' && options[priorOption('discriminative')] === true);

/** Options of the search: the limit of iterations applies to each round. */
export function searchOf({ model, options, seed }: Settings, maxIterations: number) {
  const { batchSize } = options;
  const isInBatches = typeof batchSize === 'number' && fieldsOf(model).includes('batchSize');
  return { ...(isInBatches && { batchSize }), maxIterations, seed };
}

/**
 * Kinds of the columns of a table with counts: all others are numbers, except for the columns of a category, which the library recognizes by their
 * names.
 *
 * @throws InvalidInputError for a model without densities by kind, and for scaled columns, which would be no counts
 */
function kindsOf({ model, roles, standardize: isScaled }: Settings, columns: readonly string[]) {
  const counts = countsOf({ roles }, columns);
  if (counts.length === 0) return undefined;
  const named = counts.map((column) => `'${column}'`).join(', ');
  if (!BY_KIND.includes(model)) {
    throw new InvalidInputError(
      `${model} has no density of counts, and ${named} ${counts.length === 1 ? 'is' : 'are'} fitted as counts. Choose gplvm or bayesianGplvm, or fit them as numbers.`,
    );
  }
  if (isScaled) {
    throw new InvalidInputError(
      `${named} would be no counts after scaling. Do not scale the columns: columns of numbers are scaled anyway.`,
    );
  }
  const isNumber = (column: string) => {
    const prefix = column.slice(0, Math.max(0, column.indexOf('=')));
    return prefix === '' || seasonColumns(prefix).includes(column);
  };
  const kinds = columns.filter(isNumber).map((column) => [column, 'number'] as const);
  return Object.fromEntries([...kinds, ...counts.map((column) => [column, 'count'] as const)]);
}

/** Rows in the form that the model uses, and the model. */
export function modelOf(
  settings: Settings,
  {
    observations,
    labels,
    columns,
  }: {
    readonly observations: Matrix;
    readonly labels: readonly string[] | undefined;
    readonly columns: readonly string[];
  },
): { model: AnyModel; seen: Matrix } {
  const { model: name } = settings;
  const kinds = kindsOf(settings, columns);
  const seen = settings.standardize ? standardize(observations).apply(observations) : observations;
  if (MODELS[name]!.takesLabels && labels === undefined) {
    throw new InvalidInputError(`${name} needs labels. Choose the column that contains them, or another model.`);
  }
  if (seen.rows > MOST_DENSE && isDense(settings)) {
    const sparser = 'inducing' in MODELS[name]!.options ? 'inducing inputs, or ' : '';
    throw new InvalidInputError(
      `${name} of ${seen.rows} rows needs matrices of ${seen.rows} × ${seen.rows} numbers, too large for a page. Choose ${sparser}a model such as pca, lle or laplacianEigenmaps.`,
    );
  }
  const holes = seen.data.reduce((count, value) => count + (Number.isNaN(value) ? 1 : 0), 0);
  if (holes > 0 && !('missing' in MODELS[name]!.options)) {
    const cells = holes === 1 ? '1 cell is missing' : `${holes} cells are missing`;
    throw new InvalidInputError(
      `${name} does not support missing cells, and ${cells}. Choose ${modelsWith('missing').slice(0, 3).join(', ')} or another model that does, or leave out these rows or columns.`,
    );
  }
  const given = { ...optionsOf(settings, seen), ...(holes > 0 && { missing: 'ignore' }) };
  return {
    model:
      kinds === undefined
        ? describedModel(name, seen, labels, given)
        : byKind({ as: kinds }).model(name as 'gplvm', { observations: seen, columns }, given),
    seen,
  };
}

const searchCode = (settings: Settings, maxIterations: number) =>
  Object.entries(searchOf(settings, maxIterations))
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');

/** TypeScript program that refits the exported table: `rounds` are the limits of a fit that was continued. */
export function programOf(
  settings: Settings,
  table: {
    readonly observations: Matrix;
    readonly columns: readonly string[];
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
  const hasHoles = observations.data.some(Number.isNaN);
  const options = { ...optionsOf(settings, rows), ...(hasHoles && { missing: 'ignore' }) };
  const kinds = kindsOf(settings, table.columns);
  const first = ids === undefined ? 0 : 1;
  const reading = [
    `columns: Array.from({ length: ${observations.columns} }, (_, j) => j${first === 0 ? '' : ' + 1'})`,
    ...(ids === undefined ? [] : [`id: ${JSON.stringify(idColumn)}`]),
    ...(labels === undefined ? [] : [`labels: ${JSON.stringify(labelColumn)}`]),
    ...(hasHoles ? ['allowMissing: true'] : []),
  ];
  const names = `{ observations${kinds ? ', columns' : ''}${speaksOfLabels(settings) ? ', labels = []' : ''} }`;
  const model = kinds
    ? `byKind({ as: ${JSON.stringify(kinds)} }).model('${settings.model}', { observations: rows, columns }, ${JSON.stringify(options)})`
    : `describedModel('${settings.model}', rows, ${speaksOfLabels(settings) ? 'labels' : 'undefined'}, ${JSON.stringify(options)})`;
  const goOn = rounds
    .slice(1)
    .map((most) => `result = await fit(model, { ${searchCode(settings, most)}, start: result });\n`);
  return `// Fits data.csv as the playground of latentfield did, where the objective was ${objective}.
import { ${kinds ? 'byKind, ' : ''}fit } from 'latentfield';
${kinds ? '' : "import { describedModel } from 'latentfield/models';\n"}import { readTable${settings.standardize ? ', standardize' : ''} } from 'latentfield/io';

const ${names} = await readTable('data.csv', { ${reading.join(', ')} });
const rows = ${settings.standardize ? 'standardize(observations).apply(observations)' : 'observations'};
const model = ${model};
${goOn.length === 0 ? 'const' : 'let'} result = await fit(model, { ${searchCode(settings, rounds[0]!)} });
${goOn.join('')}console.log(result.objective);
`;
}

/** Program that refits the rows and the model of a saved fit. */
export function programOfSaved({
  objective,
  diagnostics: { iterations, seed = 0, batchSize },
}: Pick<FitJSON, 'objective' | 'diagnostics'>): string {
  return `// Fits the model of fit.json again, from its rows, where the objective was ${objective}.
import { readFileSync } from 'node:fs';
import { fit } from 'latentfield';
import { modelFromJSON } from 'latentfield/models';

const saved = JSON.parse(readFileSync('fit.json', 'utf8'));
const model = modelFromJSON(saved.model, {});
const result = await fit(model, { ${batchSize === undefined ? '' : `batchSize: ${batchSize}, `}maxIterations: ${Math.max(1, iterations)}, seed: ${seed} });
console.log(result.objective);
`;
}
