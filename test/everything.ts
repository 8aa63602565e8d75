/** All that the modules export, the root and the subpaths of the package. */

export * from '../src/engine/index.ts';
export * from '../src/engine/tensors/index.ts';
export * from '../src/fields/index.ts';
export * from '../src/index.ts';
export * from '../src/inference/index.ts';
export * from '../src/kernels/index.ts';
export * from '../src/latents/index.ts';
export * from '../src/model/index.ts';
export * from '../src/models/index.ts';
export * from '../src/priors/index.ts';
export * from '../src/processes/index.ts';
