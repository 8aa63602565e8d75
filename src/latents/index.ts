export { type Initialization, initialLatents } from '../model/initialization.ts';
export { backConstrained, kernelRegression } from './backConstrained.ts';
export { circle, sphere, torus } from './charts.ts';
export { defineMap, type LatentMap, type MapDefinition, type MapFactory } from './defineMap.ts';
export { type AnyMapFactory, builtInMaps, type MapCatalog } from './json.ts';
export {
  encoded,
  type GaussianLatentsOptions,
  gaussianLatents,
} from './latentDistribution.ts';
export { type LayersNetwork, type LayersWeight, layersMap, linearMap, mlpMap } from './layersMap.ts';
export { fixedAt } from './pointLatents.ts';
