export { type GplvmOptions, gplvm } from './gplvm.ts';
export { free } from './latents/free.ts';
export type { Initialization } from './latents/initialization.ts';
export type { Latents } from './latents/latents.ts';
export { type LatentVariableModelOptions, latentVariableModel } from './latentVariableModel.ts';
export { loadFit } from './loadFit.ts';
