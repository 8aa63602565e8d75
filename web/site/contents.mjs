// The pages of the site in the order of its sidebar: by what each is called there, and the words that people type who look for it and its own text does not say.
const GROUPS = {
  Begin: [
    [
      'first-picture',
      'First picture',
      'getting started tutorial quickstart install beginner example plot open read my own csv file table excel text columns labels classes share send map to somebody',
    ],
    [
      'which-model',
      'Which model',
      'choose algorithm recommend best method number of dimensions compare dimensionality reduction techniques large dataset slow big data how long does it take for thousands of rows speed memory hyperparameters counts single cell rna time series classification supervised',
    ],
    ['commands', 'Command reference', 'cli flags options help terminal shell'],
    ['gallery', 'Gallery', 'demo examples live interactive'],
    [
      'troubleshooting',
      'Troubleshooting',
      'error warning does not converge convergence failed stuck nan singular cholesky not positive definite jitter crash out of memory disconnected graph components all points collapse same point',
    ],
  ],
  Articles: [
    [
      'articles/gplvm',
      'What a GPLVM does',
      'explain intuition gaussian process latent variable model uncertainty interpret tutorial',
    ],
    [
      'articles/maximum-entropy',
      'Maximum entropy, from MEU to MPME',
      'explain unfolding field graph laplacian embedding intuition spectral',
    ],
    [
      'articles/trust',
      'How far to trust a map',
      'interpret t-SNE UMAP plot cluster sizes euclidean distances between clusters in the embedding meaning similar data far apart same region reliable artifact different results every run variations caused by random state evaluate quality of embedding trustworthiness perplexity n_neighbors tune global structure',
    ],
  ],
  'Coming from': [
    [
      'from-scikit-learn',
      'scikit-learn',
      'sklearn python PCA TSNE Isomap fit_transform inverse_transform port migrate',
    ],
    ['from-gpy', 'GPy', 'python GPLVM BayesianGPLVM kern optimize migrate'],
    ['from-gpflow', 'GPflow', 'python tensorflow GPLVM BayesianGPLVM SVGP set_trainable migrate'],
    ['project/same-model', 'Pyro, NumPyro, GPflow, Stan', 'probabilistic programming pyro numpyro stan'],
    ['from-umap-js', 'umap-js', 'javascript UMAP n_neighbors min_dist nearest browser migrate'],
    ['from-druidjs', 'DruidJS', 'javascript dimensionality reduction druid migrate'],
    [
      'project/other-explorers',
      'Embedding Atlas, Projector, Distill',
      'apple embedding atlas tensorflow tensorboard projector distill misread alternative explorer',
    ],
  ],
  Guides: [
    [
      'models',
      'Gaussian-process models',
      'perplexity n_neighbors min_dist tune t-SNE UMAP parameters number of dimensions how many components to keep dimensionality intrinsic dimension ARD relevance inducing points sparse likelihood counts binary labels supervised back constraints dynamics time series',
    ],
    [
      'fields',
      'Fields and spectral embeddings',
      'isomap lle laplacian eigenmaps spectral embedding mds precomputed distance matrix dissimilarity precomputed neighborhood graph radius neighbors connected components kernel pca gamma inverse transform',
    ],
    ['kernels', 'Kernels', 'covariance function rbf matern periodic ARD lengthscale custom kernel'],
    [
      'new-points',
      'New points, missing data',
      'missing values NaN null empty cells impute fill in holes transform new data out of sample unseen test set inverse transform reconstruct error bars uncertainty confidence intervals variance prediction save load restore model serialize pickle persist bayesian gplvm',
    ],
    [
      'inference',
      'Inference',
      'optimizer learning rate iterations early stopping restarts local optima random_state seed reproducible same 2D result every run progress trustworthiness of an embedding callback fix parameter constraint prior mcmc hmc nuts sampling mini-batch stochastic score metric trustworthiness cross validation model selection',
    ],
    ['trust', 'Assess a map', 'evaluate quality assess fit stability points not to trust'],
    [
      'geometry',
      'Geometry of a map',
      'distance geodesic shortest path metric magnification distances between points riemannian interpolation',
    ],
    ['pictures', 'Pictures', 'plot scatter colors labels svg png interactive hover ellipses error bars visualize 3d'],
    [
      'by-url',
      'By URL, and in notebooks',
      'cdn script tag html run in the browser without a server offline client side observable quarto deno jupyter python anywidget jsr no build esbuild',
    ],
    ['your-own-model', 'Your own model', 'custom model prior likelihood probabilistic programming'],
    ['extending', 'Extending', 'custom kernel plugin'],
  ],
  Numbers: [
    [
      'numbers-and-traps',
      'Numbers and traps',
      'float32 float64 precision do I need to normalize scale standardize my data features columns units before a fit reproducible across machines same random_state',
    ],
    ['project/engines', 'Engines, threads and precision', 'gpu parallel multithreading n_jobs fast speed up blas wasm'],
    ['project/distributed', 'Several machines', 'cluster redis parallel sweep grid search'],
    ['project/benchmarks', 'Benchmarks', 'how fast speed comparison time memory large'],
    ['project/reliability', 'What can be relied on'],
    ['project/reproductions/overview', 'Results of the papers'],
    ['project/reproductions/README', 'Tables and figures of the papers'],
  ],
  'The project': [
    ['notation', 'Notation'],
    ['every-error-sentence', 'Every error sentence'],
    ['project/stability', 'What may change'],
    ['project/package', 'What the package weighs', 'bundle size esbuild vite webpack kilobytes'],
    ['project/dependencies', 'Dependencies', 'license'],
    ['readme', 'README'],
    ['contributing', 'Contributing'],
  ],
};

export const sidebar = [
  ...Object.entries(GROUPS).map(([text, pages]) => ({
    text,
    items: pages.map(([page, name]) => ({ text: name, link: `/${page}` })),
  })),
  { text: 'Reference', link: '/reference/' },
  { text: 'Playground: fit your own table', link: '/playground/index.html', target: '_self' },
];

const ASKED = new Map(Object.values(GROUPS).flatMap((pages) => pages.map(([page, , words]) => [`${page}.md`, words])));

/** What people type who look for a page, beside its own words. */
export const askedOf = (page) => ASKED.get(page);

/** Pages in order, without the reference. */
export const pages = Object.entries(GROUPS).flatMap(([group, list]) =>
  list.map(([page, name]) => ({ group, page, name })),
);
