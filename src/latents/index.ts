export { backConstrained } from './backConstrained.ts';
export { defineMap, type LatentMap, type MapDefinition, type MapFactory, type MapStart } from './defineMap.ts';
export { free } from './free.ts';
export type { Initialization } from './initialization.ts';
export { type AnyMapFactory, builtInMaps, latentsFromJSON, type MapCatalogue } from './json.ts';
export { kernelRegression } from './kernelRegression.ts';
export type { Latents, LatentsJSON } from './latents.ts';
export { linearMap } from './linearMap.ts';
export { mlpMap } from './mlpMap.ts';
