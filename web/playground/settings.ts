import { modelOptions } from '../../src/app/cli/modelOptions.ts';

/** Everything that decides a fit, beside a visitor's own table: plain data, which a link holds. */
export interface Settings {
  /** A set that comes with the page, or 'own'. */
  readonly set: string;
  /** The column of an own table that holds labels; '' for none. */
  readonly labels: string;
  readonly model: string;
  /** Options of the model by name; those that are not here are the library's own choice. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
  readonly standardize: boolean;
  readonly maxIterations: number;
  readonly seed: number;
}

export const DEFAULTS: Settings = {
  set: 'pipeFlow',
  labels: '',
  model: 'gplvm',
  options: { latentDim: 2 },
  standardize: false,
  maxIterations: 2000,
  seed: 0,
};

/** A control for one option. */
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
  batchSize: slider('Rows of a step', [undefined, 100, 200, 500, 1000, 2000], 'all'),
  centers: slider('Centers of the spline', [undefined, 10, 20, 30, 50, 75, 100], 'one a row'),
  strength: slider('Strength of the prior', strengths),
  perplexity: slider('Perplexity', [undefined, 5, 10, 15, 20, 30, 40, 50]),
  neighbors: slider('Neighbors', [undefined, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30]),
  basePrecision: slider('Base precision', [undefined, 1e-4, 1e-3, 1e-2, 1e-1, 1]),
  penalty: slider('Penalty', [undefined, 1e-4, 1e-3, 1e-2, 1e-1, 1]),
};

const neighbors = slider('Neighbors', [3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30]);
const scale = (label: string) => slider(label, strengths.slice(1));
const strength = scale('Strength');

/** Priors that a model can be given together, each with its sliders. */
export const PRIORS: Readonly<
  Record<string, { readonly about: string; readonly fields: Readonly<Record<string, Field>> }>
> = {
  standardNormal: { about: 'near the origin', fields: { precision: scale('Precision') } },
  laplacian: { about: 'neighboring rows lie near each other', fields: { neighbors, strength } },
  locality: {
    about: 'a row lies among its neighbors, as in locally linear embedding',
    fields: { neighbors, strength },
  },
  tsne: {
    about: 'the neighborhoods of t-SNE',
    fields: { perplexity: slider('Perplexity', [undefined, 5, 10, 15, 20, 30, 40, 50]), strength },
  },
  rank: { about: 'few dimensions', fields: { beta: scale('Beta'), strength } },
  markov: {
    about: 'rows are a sequence of small steps',
    fields: { variance: scale('Variance of a step') },
  },
  discriminative: { about: 'labels lie apart', fields: { strength } },
};

/** The option that says whether a prior is chosen, and those of its sliders. */
export const priorOption = (prior: string, field?: string) =>
  field === undefined ? `prior.${prior}` : `prior.${prior}.${field}`;

/** The models that the page offers. */
export const MODELS = modelOptions;

/** The options of a model that have controls. */
export const fieldsOf = (model: string): string[] =>
  Object.keys(FIELDS).filter(
    (name) => name in MODELS[model]!.options || (name === 'batchSize' && model === IN_BATCHES.model),
  );

/** Models to begin with, and what they are called. */
export const CARDS: Readonly<Record<string, string>> = {
  gplvm: 'GPLVM',
  bayesianGplvm: 'Bayesian GPLVM',
  tsne: 't-SNE',
  umap: 'UMAP',
  pca: 'PCA',
};

/** True if the model, with these options, forms matrices of N × N numbers. */
export const isDense = ({ model, options }: Settings): boolean =>
  MODELS[model]!.ofMany !== undefined && options.inducing === undefined;
/** Rows up to which a page forms them: a matrix takes 0.2 GB, and a fit several of them. */
export const MOST_DENSE = 5000;

/** The models that take an option: of `missing` those that take missing cells, of `scale` those that divide columns in different units. */
export const modelsWith = (option: string): string[] =>
  Object.keys(MODELS).filter((name) => option in MODELS[name]!.options);

/** Rows from which a fit that goes through inducing inputs takes a minute to its first step, and models that do not. */
const LARGE = 50_000;
const QUICK = ['pca', 'ppca', 'lda', 'lpp', 'slpp', 'lle', 'laplacianEigenmaps', 'meu', 'tsne', 'umap'];

/** Whether the first step of a fit of so many rows takes a minute and more. */
export const isSlow = ({ model, options }: Settings, rows: number): boolean =>
  rows >= LARGE && !QUICK.includes(model) && options.batchSize === undefined;

/** A model with error bars whose steps see some of the rows only: an epoch of 100 000 rows takes seconds. */
export const IN_BATCHES = {
  model: 'bayesianGplvm',
  options: { latentDim: 2, inducing: 30, batchSize: 1000 },
} satisfies Partial<Settings>;

/** Inducing inputs that a likelihood without closed form gets unless a number is chosen. */
export const INDUCING = 30;

/** What choosing an option brings with it: a likelihood without closed form takes inducing inputs. */
export function withNeeded(options: Settings['options'], model: string): Settings['options'] {
  const isSum = typeof options.likelihood === 'string' && options.likelihood !== '';
  if (!isSum || options.inducing !== undefined || !('inducing' in MODELS[model]!.options)) return options;
  return { ...options, inducing: INDUCING };
}

/** The part of a link behind #: settings, and a packed table that they are for. */
export const linkOf = (settings: Settings, table?: string): string =>
  `#${encodeURIComponent(JSON.stringify({ ...settings, ...(table !== undefined && { table }) }))}`;

export interface Linked {
  readonly settings: Settings;
  /** A small table, packed. */
  readonly table: string | undefined;
  /** Whether the fit begins by itself. */
  readonly run: boolean;
  /** Whether only the fit and its picture are shown: within another page. */
  readonly compact: boolean;
}

/** Settings of which each has its type, completed by the usual ones; undefined unless the page offers the model. */
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

/** What a link holds; undefined where it holds nothing that can be read. */
export function settingsOf(hash: string): Linked | undefined {
  try {
    const { table, run, compact, ...found } = JSON.parse(
      decodeURIComponent(hash.replace(/^#/, '')),
    ) as Partial<Linked> & Partial<Settings>;
    const settings = checkedSettings(found);
    if (settings === undefined) return undefined;
    return {
      settings,
      table: typeof table === 'string' ? table : undefined,
      run: run === true,
      compact: compact === true,
    };
  } catch {
    return undefined;
  }
}
