/** Purposes, with the folders that serve them: the first one that a source file's path begins with. */
const PURPOSES = [
  ['src/models/gpScore', 'Score, compare and select'],
  ['src/models/compareModels', 'Score, compare and select'],
  ['src/models/', 'Choose a model'],
  ['src/inference/scores', 'Score, compare and select'],
  ['src/inference/selection', 'Score, compare and select'],
  ['src/inference/minimize', 'Minimize functions, choose solvers'],
  ['src/inference/solvers', 'Minimize functions, choose solvers'],
  ['src/inference/', 'Fit it, and continue'],
  ['src/model/fit', 'Fit it, and continue'],
  ['src/model/abilities', 'Fit it, and continue'],
  ['src/model/evaluate', 'Fit it, and continue'],
  ['src/model/', 'Define models and parameters'],
  ['src/kernels/', 'Describe a covariance'],
  ['src/latents/', 'Latents and their priors'],
  ['src/priors/', 'Latents and their priors'],
  ['src/processes/', 'Mappings and likelihoods'],
  ['src/fields/', 'Fields over points'],
  ['src/engine/', 'Graphs, neighbors, engines and threads'],
  ['src/core/', 'Matrices, random numbers, errors'],
  // Separate entry points, which the reference keeps apart.
  ['src/app/io/', 'Read and write tables'],
  ['src/app/data/', 'Generate data'],
  ['src/app/plot/', 'Draw'],
  ['src/testing/', 'Check parts of your own'],
  ['src/engine/tensors/', 'Operations on tensors'],
  ['src/app/workers/', 'Fit in workers'],
  ['src/app/queue/', 'Fit on several machines'],
  ['src/app/cli/', 'The command line'],
];

export const purposeOf = (file) => PURPOSES.find(([start]) => file.includes(start))?.[1];
