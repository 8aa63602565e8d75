export { type Initialization, initialLatents } from '../model/initialization.ts';
export { backConstrained, kernelRegression } from './backConstrained.ts';
export { circle, sphere, torus } from './charts.ts';
export { defineMap, type LatentMap, type MapDefinition, type MapFactory } from './defineMap.ts';
export { type AnyMapFactory, builtInMaps, type LatentsCatalog, latentsFromJSON, type MapCatalog } from './json.ts';
export {
  encoded,
  type GaussianLatentsOptions,
  gaussianLatents,
  type LatentDistribution,
} from './latentDistribution.ts';
export {
  defineLatents,
  type Latents,
  type LatentsDefinition,
  type LatentsFactory,
  type LatentsJSON,
  type LatentsStart,
} from './latents.ts';
export { type LayersNetwork, type LayersWeight, layersMap, linearMap, mlpMap } from './layersMap.ts';
export { fixedAt, free } from './pointLatents.ts';
