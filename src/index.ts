/**
 * Probabilistic latent variable models from composable parts, in double precision.
 *
 * @packageDocumentation
 */
export * from './core/index.ts';
export * from './inference/index.ts';
export * from './kernels/index.ts';
export * from './models/index.ts';
export * from './priors/index.ts';
