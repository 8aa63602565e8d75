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

const GP = ['latentDim', 'kernel', 'likelihood', 'backConstraint', 'dynamics', 'inducing'];

/** The models that the page offers, what each is for, and the options that have controls. */
export const MODELS: Readonly<Record<string, { readonly about: string; readonly fields: readonly string[] }>> = {
  gplvm: { about: 'a smooth mapping with error bars', fields: [...GP, 'priors'] },
  tpslvm: {
    about: 'thin plate spline: no lengthscale to choose',
    fields: ['latentDim', 'backConstraint', 'dynamics', 'centers', 'priors'],
  },
  gplrf: { about: 'points of one label stay together', fields: [...GP, 'strength'] },
  dgplvm: { about: 'labels are kept apart', fields: [...GP, 'strength'] },
  llGplvm: { about: 'keeps local linear neighborhoods', fields: [...GP, 'neighbors', 'strength'] },
  rankGplvm: { about: 'few dimensions: those that are not needed shrink to zero', fields: [...GP, 'strength'] },
  tsneGplvm: { about: 'keeps the neighborhoods of t-SNE', fields: [...GP, 'perplexity', 'strength'] },
  bayesianGplvm: {
    about: 'distributions as latents: finds the dimension',
    fields: ['latentDim', 'kernel', 'inducing', 'batchSize'],
  },
  meu: { about: 'maximum entropy unfolding', fields: ['latentDim', 'neighbors', 'basePrecision'] },
  mpme: { about: 'maximum entropy over all pairs', fields: ['latentDim', 'neighbors', 'basePrecision'] },
  alle: { about: 'acyclic locally linear embedding', fields: ['latentDim', 'neighbors', 'basePrecision'] },
  drill: { about: 'sparse inverse covariance between points', fields: ['latentDim', 'neighbors', 'penalty'] },
  tsne: { about: 'a map of neighborhoods, in seconds for thousands of rows', fields: ['latentDim', 'perplexity'] },
  umap: { about: 'a map of the graph of neighbors', fields: ['latentDim', 'neighbors'] },
  pca: { about: 'principal components', fields: ['latentDim'] },
  ppca: { about: 'probabilistic principal components', fields: ['latentDim'] },
  isomap: { about: 'keeps distances along the graph', fields: ['latentDim', 'neighbors'] },
  lle: { about: 'locally linear embedding', fields: ['latentDim', 'neighbors'] },
  laplacianEigenmaps: { about: 'keeps neighbors near', fields: ['latentDim', 'neighbors'] },
  kernelPca: { about: 'principal components in the space of a kernel', fields: ['latentDim', 'kernel'] },
  classicalMds: { about: 'classical scaling of distances', fields: ['latentDim'] },
  lda: { about: 'directions in which labels differ most', fields: ['latentDim'] },
  kernelLda: { about: 'labels set apart in the space of a kernel', fields: ['latentDim', 'kernel'] },
  lpp: { about: 'keeps neighbors near, by a linear map', fields: ['latentDim', 'neighbors'] },
  slpp: { about: 'keeps points of one label near, by a linear map', fields: ['latentDim'] },
  sammon: { about: 'keeps distances, small ones above all', fields: ['latentDim'] },
};

/** Models to begin with, and what they are called. */
export const CARDS: Readonly<Record<string, string>> = {
  gplvm: 'GPLVM',
  bayesianGplvm: 'Bayesian GPLVM',
  tsne: 't-SNE',
  umap: 'UMAP',
  pca: 'PCA',
};

/** Models that form matrices of N × N numbers, unless the option is given; gplvm and tpslvm go through inducing inputs by themselves. */
export const DENSE: Readonly<Record<string, string | undefined>> = {
  ...{ gplrf: 'inducing', dgplvm: 'inducing', llGplvm: 'inducing', rankGplvm: 'inducing' },
  tsneGplvm: 'inducing',
  ...{ mpme: undefined, drill: undefined, isomap: undefined, kernelPca: undefined, classicalMds: undefined },
  ...{ kernelLda: undefined, sammon: undefined },
};
/** Rows up to which a page forms them: a matrix takes 0.2 GB, and a fit several of them. */
export const MOST_DENSE = 5000;

const WITH_PROCESS = ['gplvm', 'bayesianGplvm', 'tpslvm', 'gplrf', 'dgplvm', 'llGplvm', 'rankGplvm', 'tsneGplvm'];
/** Models with the option `missing`, and those that take missing cells. */
export const TAKES_HOLES: readonly string[] = [...WITH_PROCESS, 'meu'];
export const FILLS_HOLES: readonly string[] = ['gplvm', 'ppca', ...TAKES_HOLES.slice(1)];

/** Models that divide columns in different units by their deviations themselves. */
export const DIVIDES_COLUMNS: readonly string[] = [...WITH_PROCESS, 'meu', 'ppca', 'alle', 'drill'];

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
  if (!isSum || options.inducing !== undefined || !MODELS[model]!.fields.includes('inducing')) return options;
  return { ...options, inducing: INDUCING };
}

export const TAKES_LABELS: readonly string[] = ['gplrf', 'dgplvm', 'lda', 'kernelLda', 'slpp'];

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
