import { namedModels } from '../../index.ts';

/** Descriptions of options with their defaults, which apply to all models that take the option unless a model overrides them. */
export const OPTIONS: Readonly<Record<string, string>> = {
  latentDim: 'number of latent dimensions (2; flag --dim)',
  kernel: 'covariance of the mapping ("rbf + bias" with fixed scales; flag --kernel)',
  noise: 'variance of the noise, or { "fixed": number } (a hundredth of the mean variance)',
  likelihood:
    'distribution of the observations, instead of noise: "gaussian", or { "likelihood": "gaussian", "variance": [one per column] }; others with inducing (gaussian; flag --likelihood)',
  priors: 'priors on the latents (["standardNormal"]; [] for none)',
  missing: '"ignore" uses the observed entries (a missing entry is an error; flag --missing)',
  center: 'whether column means are removed (true)',
  scale:
    'whether columns are divided by their deviations: true, false, or where these differ by more than ten times ("auto")',
  init: '"pca", "tsne" (a t-SNE map), or N×q numbers to start at ("pca")',
  backConstraint: 'latents as a function of the data: "kernel", "mlp" or "linear" (none)',
  dynamics: 'true, or { "order", "segments", "kernel" }: latents follow each other in time (false)',
  strength: 'weight of the prior ("auto": by the size of the data)',
  neighbors: 'nearest neighbors of each point (7, or all others of fewer points)',
  neighborSearch: '"exact", "descent" (approximate), or "auto": descent from 50 000 points in many dimensions ("auto")',
  radius: 'points at most this far apart are neighbors, instead of neighbors (none)',
  basePrecision: 'precision of the field apart from its graph (small enough to connect the graph)',
  slackPenalty: 'penalty for exceeding a distance; "Infinity" in JSON (Infinity: none may be exceeded)',
  copies: 'number of copies of the field (the number of columns)',
  start: 'initial weights, as a graph (none)',
  embedding:
    'how eigenvectors become latents, for spectral clustering { "vectors": k, "rows": "unit" }; fields have "method" too: "kernelPca" or "eigenmap" (as they are; "kernelPca")',
  input: '"points", or "distances" N×N ("points")',
  disconnected:
    'for a graph that is not connected: "connect" its parts by their shortest edges, keep the "largest", or "error" ("connect")',
  regularization: 'part of the trace added to each local Gram matrix (1e-3)',
  landmarks: 'number of landmarks, whose distances place all other points; for large N (none)',
  inducing:
    'number of inducing inputs of the mapping, for large N, or "none" (none; 50 per dimension for gplvm of more than 1000 points; flag --inducing)',
  latentVariance: "start of the latents' variances (0.5)",
  perplexity: 'effective number of neighbors (30, or a third of the others)',
  exaggeration: 'factor of the attraction in the first steps (12)',
  metric: '"euclidean", "cosine", "correlation", "hamming", or "precomputed" for N×N distances ("euclidean")',
  steps: 'steps of the schedule (750)',
  decoder: 'true, or { "inducing", "strength" }: predicts the columns from the map (false)',
  minDist: 'distance below which points count as touching (0.1)',
  spread: 'scale of the distances beyond (1)',
  negatives: 'negative samples per edge: how strongly points repel each other (5)',
  jitter:
    'added to the covariance of the inducing inputs (1e-8 of its mean, and 1e-6 of the variance of a default kernel)',
};

const FAMILY = [
  'kernel',
  'noise',
  'likelihood',
  'priors',
  'missing',
  'center',
  'scale',
  'init',
  'backConstraint',
  'dynamics',
  'inducing',
  'jitter',
];

interface Description {
  readonly summary: string;
  readonly options: readonly string[];
  /** Descriptions that differ from OPTIONS. */
  readonly own?: Readonly<Record<string, string>>;
  /** How to fit many points; printed after their number. */
  readonly many?: string;
  /** True if fits predict nothing at latent points: fields, and embeddings without a map back. */
  readonly predictsNothing?: true;
  /** True if each latent column is scaled separately, so that distances between latents mean nothing. */
  readonly hasUnitColumns?: true;
}

const BOUND = 'cost O(N³) per evaluation. --inducing 50 fits a bound of the model at cost O(N·50²).';

/** Descriptions by model name. A model without one can be fitted too; the help then only lists its name. */
const MODELS: Readonly<Record<string, Description>> = {
  gplvm: {
    summary: 'Gaussian process latent variable model: smooth nonlinear mapping, predictions with error bars',
    options: FAMILY,
  },
  bayesianGplvm: {
    summary: 'GPLVM with distributions as latents: finds how many dimensions are needed; large N',
    options: [
      'inducing',
      'kernel',
      'noise',
      'likelihood',
      'init',
      'latentVariance',
      'missing',
      'center',
      'scale',
      'jitter',
      'bound',
    ],
    own: {
      kernel: 'covariance of the mapping (an rbf with one lengthscale per dimension)',
      noise: 'variance of the noise, or { "fixed": number } (a hundredth of the mean variance)',
      inducing: 'number of inducing inputs (at most 50; flag --inducing)',
      init: '"pca", "tsne" (a t-SNE map), or N×q numbers to start at ("pca")',
      bound: '"collapsed" or "uncollapsed" (collapsed where the noise allows it)',
    },
  },
  tpslvm: {
    summary: 'thin plate spline latent variable model: no lengthscale to choose',
    options: [...FAMILY, 'centers'],
    own: {
      kernel:
        'covariance of the mapping (a thin plate spline times the mean variance; "thinPlateSpline" is the one of the paper)',
      centers: 'number of centers of the spline, for many points (one per point; flag --centers)',
      inducing:
        'number of inducing inputs of the mapping, or "none" (none; 50 per dimension for more than 1000 points without centers)',
    },
  },
  gplrf: {
    summary: 'GPLVM whose latents keep points of one label together; some labels may be missing',
    options: [...FAMILY, 'strength', 'neighbors'],
    own: {
      priors: 'further priors on the latents (none)',
      strength: 'weight of the prior, or "validate" to choose it by held-out points ("auto": by the size of the data)',
      neighbors: 'number of nearest neighbors joined to each point too, for points without a label (none)',
      backConstraint: 'latents as a function of the data ("kernel")',
    },
    many: BOUND,
  },
  dgplvm: {
    summary: 'GPLVM whose latents separate labels as discriminant analysis does',
    options: [...FAMILY, 'strength', 'form', 'r'],
    own: {
      strength: 'weight of the prior (1)',
      form: '"published" or "paper" ("published")',
      r: 'added to the scatter between classes (1)',
      priors: 'further priors on the latents (none)',
      backConstraint: 'latents as a function of the data ("kernel")',
    },
    many: BOUND,
  },
  llGplvm: {
    summary: 'GPLVM whose latents keep local linear neighborhoods',
    options: [...FAMILY, 'neighbors', 'strength'],
    own: { priors: 'further priors on the latents (none)' },
    many: BOUND,
  },
  rankGplvm: {
    summary: 'GPLVM that shrinks latent dimensions that are not needed',
    options: [...FAMILY, 'strength', 'beta'],
    own: { beta: 'how soon a direction counts as one (1)', priors: 'further priors on the latents (none)' },
    many: BOUND,
  },
  tsne: {
    summary: 't-SNE: a map on which neighbors stay neighbors, with placement of new rows',
    options: ['latentDim', 'perplexity', 'neighbors', 'metric', 'init', 'exaggeration', 'steps', 'decoder'],
    own: {
      neighbors: 'neighbors of each point that attract it, or "all" (3·perplexity)',
      init: '"pca", "eigenmaps", or N×q numbers to start at ("pca")',
    },
    predictsNothing: true,
  },
  umap: {
    summary: 'UMAP: a map of the neighbor graph, with placement of new rows; many points',
    options: ['latentDim', 'neighbors', 'minDist', 'spread', 'negatives', 'metric', 'init', 'steps', 'decoder'],
    own: {
      neighbors: 'nearest neighbors of each point (15, or all others of fewer points)',
      init: '"pca", "eigenmaps", or N×q numbers to start at ("pca")',
    },
    predictsNothing: true,
  },
  tsneGplvm: {
    summary: 'GPLVM whose latents keep the neighborhoods of t-SNE',
    options: [...FAMILY, 'strength', 'perplexity'],
    own: {
      perplexity: 'effective number of neighbors (30, or a third of the points)',
      priors: 'further priors on the latents (none)',
    },
    many: BOUND,
  },
  meu: {
    summary: 'maximum entropy unfolding: keeps distances to neighbors, learns the graph; fills in missing entries',
    options: [
      'neighbors',
      'basePrecision',
      'slackPenalty',
      'disconnected',
      'copies',
      'missing',
      'scale',
      'embedding',
      'start',
    ],
    predictsNothing: true,
  },
  mpme: {
    summary: 'maximum entropy over all pairs: learns a sparse graph among all points',
    options: ['neighbors', 'basePrecision', 'slackPenalty', 'distances', 'disconnected', 'embedding', 'start'],
    own: {
      neighbors: 'pairs that may be joined: "all", or so many nearest neighbors ("all")',
      distances: '"squared", "plain", or a kernel as text ("squared")',
    },
    many: 'have N² pairs. {"neighbors": 20} in --options joins neighbors only.',
    predictsNothing: true,
  },
  alle: {
    summary: 'acyclic locally linear embedding: a fast one-pass field',
    options: ['neighbors', 'regularization', 'basePrecision', 'order', 'preset', 'scale', 'embedding'],
    own: {
      preset: '"lawrence2012": parents by a sparse factor, fill included (none)',
      basePrecision:
        'added to the precision of the field before its inverse is embedded (1e-4 over the mean variance of the columns)',
      order: 'order of the points, a list of row numbers (in the order of the rows)',
      regularization: 'part of the trace added to each local Gram matrix, or "auto" ("auto")',
    },
    predictsNothing: true,
    hasUnitColumns: true,
  },
  drill: {
    summary: 'sparse inverse covariance between points, with a penalty',
    options: ['neighbors', 'penalty', 'disconnected', 'preset', 'scale', 'embedding'],
    own: {
      preset: '"lawrence2012": penalty 0 by default (none)',
      neighbors: 'nearest neighbors that may be joined, or "all" (7, or all others of fewer points)',
      penalty: "penalty on each entry (a hundredth of the mean of S's diagonal, less where that leaves components)",
    },
    many: 'are many for this model. meu learns a graph of neighbors too.',
    predictsNothing: true,
    hasUnitColumns: true,
  },
  pca: {
    summary: 'principal components',
    options: [],
  },
  ppca: {
    summary: 'probabilistic principal components; fills in missing entries',
    options: ['dual', 'scale', 'missing'],
    own: {
      latentDim: 'number of latent dimensions (2, or 1 where the data vary in two directions; flag --dim)',
      dual: 'whether the weights are integrated out instead of the latents (false)',
    },
  },
  kernelPca: {
    summary: 'principal components in the space of a kernel',
    options: ['kernel', 'embedding'],
    own: { kernel: 'the kernel (an rbf as wide as the data; flag --kernel)' },
    many: 'take an N×N matrix. pca takes none.',
    predictsNothing: true,
  },
  classicalMds: {
    summary: 'classical scaling of distances',
    options: ['input', 'embedding'],
    many: 'take an N×N matrix. pca shows the same without it.',
    predictsNothing: true,
  },
  lda: {
    summary: 'linear discriminant analysis: directions in which labels differ most, shrunk where columns are many',
    options: ['shrinkage'],
    own: {
      latentDim: 'number of latent dimensions, at most the classes less one (2, or 1 of two classes; flag --dim)',
      shrinkage: 'part of the scatter within classes that its diagonal replaces, or "auto" ("auto": Ledoit and Wolf)',
    },
    predictsNothing: true,
  },
  kernelLda: {
    summary: 'discriminant analysis in the space of a kernel',
    options: ['kernel', 'regularization'],
    own: {
      latentDim: 'number of latent dimensions, at most the classes less one (2, or 1 of two classes; flag --dim)',
      kernel: 'the kernel (an rbf as wide as the data; flag --kernel)',
      regularization: 'part of the total variance added to each direction (1e-3)',
    },
    many: 'take an N×N matrix. lda takes none.',
    predictsNothing: true,
  },
  lpp: {
    summary: 'locality preserving projections: Laplacian eigenmaps by a linear map',
    options: ['neighbors', 'radius', 'neighborSearch', 'weights', 'width', 'regularization', 'kernel'],
    own: {
      kernel: 'projects from the feature space of this kernel (none; flag --kernel)',
      weights: '"binary" or "heat" ("binary")',
      width: 'width of the heat kernel',
      regularization: 'part of the mean diagonal added to the metric (0)',
    },
    predictsNothing: true,
  },
  slpp: {
    summary: 'locality preserving projections of the graph of labels',
    options: ['neighbors', 'regularization', 'kernel'],
    own: {
      kernel: 'projects from the feature space of this kernel (none; flag --kernel)',
      neighbors: 'nearest points of the class that each is joined to (all of the class)',
      regularization: 'part of the mean diagonal added to the metric (0)',
    },
    predictsNothing: true,
  },
  sammon: {
    summary: "Sammon's mapping: keeps distances, small ones above all",
    options: ['init'],
    own: { init: '"pca", "eigenmaps", or N×q numbers to start at ("pca")' },
    many: 'have N² pairs. tsne and umap take many.',
    predictsNothing: true,
  },
  isomap: {
    summary: 'distances along the neighborhood graph',
    options: ['neighbors', 'radius', 'neighborSearch', 'input', 'disconnected', 'landmarks', 'embedding'],
    many: 'take an N×N matrix. {"landmarks": 300} in --options takes N×300.',
    predictsNothing: true,
  },
  mvu: {
    summary: 'maximum variance unfolding',
    options: [
      'neighbors',
      'radius',
      'neighborSearch',
      'constraints',
      'slackPenalty',
      'commonNeighbors',
      'rank',
      'input',
      'disconnected',
    ],
    own: {
      constraints: '"inequality", "equality" or "slack" ("inequality")',
      slackPenalty: 'penalty of "slack" (N²)',
      commonNeighbors: 'whether points with a common neighbor are joined too (false)',
      rank: 'columns of the factor at the start (6)',
    },
    many: 'are many for this model. isomap with {"landmarks": 300} in --options lays a sheet flat too.',
    predictsNothing: true,
  },
  lle: {
    summary: 'locally linear embedding',
    options: ['neighbors', 'regularization', 'generalized', 'disconnected', 'embedding'],
    own: { generalized: 'whether well reconstructed points count more (false)' },
    predictsNothing: true,
    hasUnitColumns: true,
  },
  laplacianEigenmaps: {
    summary: 'eigenvectors of the graph Laplacian',
    options: [
      'neighbors',
      'radius',
      'neighborSearch',
      'weights',
      'width',
      'normalized',
      'disconnected',
      'preset',
      'embedding',
    ],
    own: {
      weights: '"binary" or "heat" ("binary")',
      width: 'width of the heat kernel',
      normalized: 'whether the Laplacian is normalized by degrees (true)',
      preset: '"lawrence2012": heat, mutual edges twice (none)',
    },
    predictsNothing: true,
    hasUnitColumns: true,
  },
};

export const isDescribed = (model: string): boolean => Object.hasOwn(MODELS, model);

export const descriptionOf = (model: string): Description =>
  isDescribed(model) ? MODELS[model]! : { summary: 'no description', options: [] };

/** Names of all built-in models, those with a description first. */
export const MODEL_NAMES: readonly string[] = [...new Set([...Object.keys(MODELS), ...Object.keys(namedModels)])];

export const isModelName = (name: string): boolean => MODEL_NAMES.includes(name);

/** Names of the built-in models that take labels. */
export const LABELED_MODELS = MODEL_NAMES.filter((name) => namedModels[name]!.takesLabels);
