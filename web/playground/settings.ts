import { modelOptions } from '../../src/app/cli/modelOptions.ts';

/** Use of a table column, if it is not left to the reader. */
export type Role = 'fit' | 'count' | 'categories' | 'season' | 'names' | 'out';

/** Everything that determines a fit, except a visitor's table: plain data that fits into a link. */
export interface Settings {
  /** Name of a built-in data set, or 'own'. */
  readonly set: string;
  /** Column of a visitor's table with labels; '' for none. */
  readonly labels: string;
  /** Uses of a visitor's table columns, by name. */
  readonly roles: Readonly<Record<string, Role>>;
  readonly model: string;
  /** Options of the model by name; options that are not set have the library's defaults. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
  readonly standardize: boolean;
  readonly maxIterations: number;
  readonly seed: number;
}

export const DEFAULTS: Settings = {
  set: 'pipeFlow',
  labels: '',
  roles: {},
  model: 'gplvm',
  options: { latentDim: 2 },
  standardize: false,
  maxIterations: 2000,
  seed: 0,
};

/** Control for one option. */
export type Field =
  | {
      readonly kind: 'slider';
      readonly label: string;
      readonly values: readonly (number | undefined)[];
      readonly unset: string;
    }
  | { readonly kind: 'kernel'; readonly label: string; readonly example: string }
  | { readonly kind: 'choice'; readonly label: string; readonly choices: readonly string[] }
  | { readonly kind: 'check'; readonly label: string };

const strengths = [undefined, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000];
const slider = (label: string, values: readonly (number | undefined)[], unset = 'automatic'): Field => ({
  ...{ kind: 'slider', label, values, unset },
});

export const FIELDS: Readonly<Record<string, Field>> = {
  latentDim: slider('Latent dimensions', [1, 2, 3, 4, 5, 6]),
  kernel: { kind: 'kernel', label: 'Kernel', example: 'rbf + bias' },
  priors: { kind: 'choice', label: 'Priors of the latents', choices: ['', 'none', 'chosen'] },
  likelihood: {
    kind: 'choice',
    label: 'Likelihood',
    choices: ['', 'bernoulli', 'poisson', 'negativeBinomial', 'ordinal', 'studentT'],
  },
  backConstraint: {
    kind: 'choice',
    label: 'Latents as a function of the rows',
    choices: ['', 'kernel', 'mlp', 'linear'],
  },
  dynamics: { kind: 'check', label: 'Rows are a sequence (dynamics)' },
  inducing: slider('Inducing inputs', [undefined, 10, 20, 30, 50, 75, 100], 'none'),
  batchSize: slider('Rows per step', [undefined, 100, 200, 500, 1000, 2000], 'all'),
  centers: slider('Centers of the spline', [undefined, 10, 20, 30, 50, 75, 100], 'one per row'),
  strength: slider('Strength of the prior', strengths),
  perplexity: slider('Perplexity', [undefined, 5, 10, 15, 20, 30, 40, 50]),
  neighbors: slider('Neighbors', [undefined, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30]),
  basePrecision: slider('Base precision', [undefined, 1e-4, 1e-3, 1e-2, 1e-1, 1]),
  penalty: slider('Penalty', [undefined, 1e-4, 1e-3, 1e-2, 1e-1, 1]),
};

const neighbors = slider('Neighbors', [3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30]);
const scale = (label: string) => slider(label, strengths.slice(1));
const strength = scale('Strength');

/** Priors that can be combined in a model, each with its sliders. */
export const PRIORS: Readonly<
  Record<string, { readonly about: string; readonly fields: Readonly<Record<string, Field>> }>
> = {
  standardNormal: { about: 'near the origin', fields: { precision: scale('Precision') } },
  laplacian: { about: 'neighboring rows lie near each other', fields: { neighbors, strength } },
  locality: {
    about: 'each row is near a combination of its neighbors, as in locally linear embedding',
    fields: { neighbors, strength },
  },
  tsne: {
    about: 'the neighborhoods of t-SNE',
    fields: { perplexity: slider('Perplexity', [undefined, 5, 10, 15, 20, 30, 40, 50]), strength },
  },
  rank: { about: 'few dimensions', fields: { beta: scale('Beta'), strength } },
  markov: {
    about: 'rows are a sequence of small steps',
    fields: { variance: scale('Variance per step') },
  },
  discriminative: { about: 'labels are separated', fields: { strength } },
};

/** Name of the option that selects a prior, or of one of its sliders. */
export const priorOption = (prior: string, field?: string) =>
  field === undefined ? `prior.${prior}` : `prior.${prior}.${field}`;

/** Models that the page offers. */
export const MODELS = modelOptions;

/** Options of a model that have controls. */
export const fieldsOf = (model: string): string[] =>
  Object.keys(FIELDS).filter(
    (name) => name in MODELS[model]!.options || (name === 'batchSize' && model === IN_BATCHES.model),
  );

/** Suggested models with their titles. */
export const CARDS: Readonly<Record<string, string>> = {
  gplvm: 'GPLVM',
  bayesianGplvm: 'Bayesian GPLVM',
  tsne: 't-SNE',
  umap: 'UMAP',
  pca: 'PCA',
};

/** Models with densities by the kinds of columns. */
export const BY_KIND: readonly string[] = ['gplvm', 'bayesianGplvm'];

/** Columns that are modeled as counts. */
export const countsOf = ({ roles }: Pick<Settings, 'roles'>, columns: readonly string[]): string[] =>
  columns.filter((column) => roles[column] === 'count');

/** True if the model, with these options, needs N×N matrices. */
export const isDense = ({ model, options }: Settings): boolean =>
  MODELS[model]!.ofMany !== undefined && options.inducing === undefined;
/** Maximum number of rows for N×N matrices in a page: a matrix takes 0.2 GB, and a fit several of them. */
export const MOST_DENSE = 5000;

/** Models with an option: `missing` selects those that support missing cells, `scale` those that divide columns in different units. */
export const modelsWith = (option: string): string[] =>
  Object.keys(MODELS).filter((name) => option in MODELS[name]!.options);

/** Number of rows above which the first step of a fit with inducing inputs takes a minute, and models without such fits. */
const LARGE = 50_000;
const QUICK = ['pca', 'ppca', 'lda', 'lpp', 'slpp', 'lle', 'laplacianEigenmaps', 'meu', 'tsne', 'umap'];

/** True if the first step of a fit with this many rows takes more than a minute. */
export const isSlow = ({ model, options }: Settings, rows: number): boolean =>
  rows >= LARGE && !QUICK.includes(model) && options.batchSize === undefined;

/** Model with error bars and mini-batch steps: an epoch of 100 000 rows takes seconds. */
export const IN_BATCHES = {
  model: 'bayesianGplvm',
  options: { latentDim: 2, inducing: 30, batchSize: 1000 },
} satisfies Partial<Settings>;

/** Default number of inducing inputs for a likelihood without closed form. */
export const INDUCING = 30;

/** Applies consequences of an option: a likelihood without closed form needs inducing inputs. */
export function withNeeded(options: Settings['options'], model: string): Settings['options'] {
  const isSum = typeof options.likelihood === 'string' && options.likelihood !== '';
  if (!isSum || options.inducing !== undefined || !('inducing' in MODELS[model]!.options)) return options;
  return { ...options, inducing: INDUCING };
}

/** Part of a link after #: settings, and their packed table, which is fitted where the link is opened. */
export const linkOf = (settings: Settings, table?: string): string =>
  `#${encodeURIComponent(JSON.stringify({ ...settings, ...(table !== undefined && { table, run: true }) }))}`;

export interface Linked {
  readonly settings: Settings;
  /** Small table in packed form. */
  readonly table: string | undefined;
  /** True if the fit starts automatically. */
  readonly run: boolean;
  /** True if only the fit and its picture are shown, as within another page. */
  readonly compact: boolean;
  /** True if the cross tours the map automatically until the visitor moves it. */
  readonly tour: boolean;
  /** Column that colors the map at first; empty for the labels. */
  readonly color: string;
}

/** Settings with checked types, completed by defaults; undefined if the page does not offer the model. */
export function checkedSettings(given: unknown): Settings | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const known = Object.fromEntries(
    Object.entries(given).filter(
      ([key, value]) => key in DEFAULTS && typeof value === typeof DEFAULTS[key as keyof Settings],
    ),
  );
  const settings: Settings = { ...DEFAULTS, ...known };
  return settings.model in MODELS ? settings : undefined;
}

/** Content of a link; undefined if it is unreadable. */
export function settingsOf(hash: string): Linked | undefined {
  try {
    const { table, run, compact, tour, color, ...found } = JSON.parse(
      decodeURIComponent(hash.replace(/^#/, '')),
    ) as Partial<Linked> & Partial<Settings>;
    const settings = checkedSettings(found);
    if (settings === undefined) return undefined;
    return {
      settings,
      table: typeof table === 'string' ? table : undefined,
      run: run === true,
      compact: compact === true,
      tour: tour === true,
      color: typeof color === 'string' ? color : '',
    };
  } catch {
    return undefined;
  }
}
