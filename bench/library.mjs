// All that the modules of the built library export.

export * from '../dist/engine/index.js';
export * from '../dist/engine/tensors/index.js';
export * from '../dist/fields/index.js';
export * from '../dist/index.js';
export * from '../dist/inference/index.js';
export * from '../dist/kernels/index.js';
export * from '../dist/latents/index.js';
export * from '../dist/model/index.js';
export * from '../dist/models/index.js';
export * from '../dist/priors/index.js';
export * from '../dist/processes/index.js';
