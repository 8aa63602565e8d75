import { readFileSync } from 'node:fs';

// The pages of the site in the order of its sidebar: the title of each, and search terms that its text does not contain.
const GROUPS = {
  Begin: [
    [
      'first-map',
      'A first map',
      'getting started tutorial quickstart install beginner example open read my own csv file table excel text columns what happens labels classes share send map to somebody',
    ],
    [
      'first-model',
      'A first model of your own',
      'custom model prior latent input prior likelihood probabilistic programming tutorial batches covariates groups',
    ],
    [
      'concepts',
      'Concepts and glossary',
      'notation letters meaning float32 float64 precision do I need to normalize scale standardize my data features columns units before a fit reproducible reproducibility across machines random_state',
    ],
    [
      'which-model',
      'Which model',
      'choose algorithm recommend best method number of dimensions compare dimensionality reduction techniques large dataset slow big data 1M rows how long does it take thousands of rows 1000 rows 10000 rows 100000 rows seconds minutes speed memory hyperparameters counts single cell rna time series motion capture classification supervised',
    ],
    ['gallery', 'Gallery', 'demo examples live interactive'],
    [
      'troubleshooting',
      'Troubleshooting',
      'error warning does not converge convergence fit stopped failed stuck nan singular cholesky not positive definite jitter crash out of memory disconnected graph components all points collapse same point report a bug issue fault',
    ],
  ],
  Guides: [
    [
      'tables-and-commands',
      'Tables and the command line',
      'csv excel text columns cli terminal delimiter dates one hot sparse counts cell ranger parquet',
    ],
    [
      'pages-and-notebooks',
      'Pages, notebooks and pictures',
      'cdn script tag html run in the browser without a server offline client side observable quarto deno jupyter python anywidget no build esbuild plot scatter how to color the points by class colors labels svg png interactive hover ellipses visualize 3d',
    ],
    [
      'new-rows',
      'New rows, missing cells, trust',
      'missing values NaN null inf empty cells data imputation impute fill in holes transform function new data available out of sample unseen test set point instance x_star y_star representation inverse transform reconstruct error bars uncertainty confidence intervals variance prediction save load restore trained model embedding serialize pickle persist persisting bgplvm bayesian gplvm evaluate quality assess stability distance geodesic metric magnification',
    ],
    [
      'fitting',
      'Fitting and sampling',
      'optimizer learning rate iterations early stopping restarts local optima random_state seed reproducible same parameters same data same 2D result different results every run progress trustworthiness of an embedding callback fix constrain parameter constraint lengthscale prior mcmc hmc nuts sampling mini-batch stochastic score metric cross validation model selection gpu threads parallel',
    ],
    [
      'custom-components',
      'Custom components',
      'custom kernel plugin covariance function rbf matern periodic ARD lengthscale likelihood prior sampler solver',
    ],
  ],
  Reference: [
    [
      'models',
      'Model cards',
      'perplexity n_neighbors min_dist tune t-SNE UMAP parameters understanding number of dimensions how many components to keep dimensionality intrinsic dimension ARD relevance inducing points sparse likelihood counts binary labels supervised back constraints dynamics gaussian process prior over time series isomap lle laplacian eigenmaps spectral embedding mds precomputed distance matrix dissimilarity precomputed neighborhood graph radius neighbors number of connected components kernel pca gamma inverse transform',
    ],
    ['commands', 'Commands', 'cli flags options help terminal shell'],
    ['cheat-sheet', 'Cheat sheet', 'overview list names summary quick reference'],
  ],
  Articles: [
    [
      'articles/gplvm',
      'What a GPLVM does',
      'explain intuition gaussian process latent variable model uncertainty interpret',
    ],
    [
      'articles/maximum-entropy',
      'Maximum entropy, from MEU to MPME',
      'explain unfolding field graph laplacian embedding intuition spectral',
    ],
    [
      'articles/trust',
      'How far to trust a map',
      'interpret t-SNE UMAP plot cluster sizes euclidean distances between clusters in the embedding meaning similar data far apart same region reliable artifact different results every run variations caused by random state evaluate quality of embedding what does the trustworthiness score mean trustworthiness continuity perplexity n_neighbors tune global structure',
    ],
  ],
  'Coming from': [
    [
      'coming-from',
      'Other libraries',
      'sklearn python PCA TSNE Isomap fit_transform inverse_transform port migrate GPy GPLVM BayesianGPLVM kern optimize fix gpflow tensorflow SVGP set_trainable umap-js javascript n_neighbors min_dist druidjs',
    ],
    ['project/same-model', 'Pyro, NumPyro, GPflow, Stan', 'probabilistic programming pyro numpyro stan'],
    [
      'project/other-explorers',
      'Embedding Atlas, Projector, Distill',
      'apple embedding atlas tensorflow tensorboard projector distill misread alternative explorer',
    ],
  ],
  'The project': [
    ['project/benchmarks', 'Benchmarks', 'how fast speed comparison time memory large'],
    ['project/reliability', 'Reliability'],
    ['project/reproductions/overview', 'Results of the papers'],
    ['project/reproductions/README', 'Tables and figures of the papers'],
    ['project/engines', 'Engines, threads and precision', 'gpu parallel multithreading n_jobs fast speed up blas wasm'],
    ['project/distributed', 'Several machines', 'cluster redis parallel sweep grid search'],
    ['project/trust', 'Trust: measurements'],
    ['project/models', 'Gaussian-process models: details'],
    ['project/fields', 'Fields: details'],
    ['project/inference', 'Fitting: measurements'],
    ['project/abilities', 'Abilities of models'],
    ['project/notation', 'Notation'],
    ['every-error-sentence', 'Every error sentence'],
    ['project/stability', 'What may change'],
    ['project/package', 'What the package weighs', 'bundle size esbuild vite webpack kilobytes'],
    ['project/dependencies', 'Dependencies', 'license'],
    ['readme', 'README', 'install cite citation bibtex reference license'],
    ['contributing', 'Contributing'],
  ],
};

const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const { entryPoints } = JSON.parse(readFileSync(new URL('../../typedoc.json', import.meta.url), 'utf8'));

/** Import paths of the reference, in the order of package.json. */
const IMPORT_PATHS = Object.entries(exports)
  .filter(([, { types = '' }]) => entryPoints.includes(types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts')))
  .map(([path]) => path.replace('.', 'latentfield'));

/** Sidebars: of documents, and of the reference by import path. */
export const sidebar = {
  '/': [
    ...Object.entries(GROUPS).map(([text, pages]) => ({
      text,
      items: pages.map(([page, name]) => ({ text: name, link: `/${page}` })),
    })),
    { text: 'Reference', link: '/reference/' },
    { text: 'Playground: fit your own table', link: '/playground/index.html', target: '_self' },
  ],
  '/reference/': [
    { text: 'All exports', link: '/reference/' },
    {
      text: 'Import paths',
      items: IMPORT_PATHS.map((path) => ({ text: path, link: `/reference/${path}/` })),
    },
  ],
};

const ASKED = new Map(Object.values(GROUPS).flatMap((pages) => pages.map(([page, , words]) => [`${page}.md`, words])));

/** Search terms for a page that are not in its text. */
export const askedOf = (page) => ASKED.get(page);

/** Pages in order, without the reference. */
export const pages = Object.entries(GROUPS).flatMap(([group, list]) =>
  list.map(([page, name]) => ({ group, page, name })),
);
