export { type DgplvmOptions, dgplvm } from './dgplvm.ts';
export type { FamilyOptions } from './family.ts';
export { type GplrfOptions, gplrf } from './gplrf.ts';
export { gplvm } from './gplvm.ts';
export { type GpScoreOptions, gpScore } from './gpScore.ts';
export { backConstrained } from './latents/backConstrained.ts';
export { defineMap, type LatentMap, type MapDefinition, type MapFactory, type MapStart } from './latents/defineMap.ts';
export { free } from './latents/free.ts';
export type { Initialization } from './latents/initialization.ts';
export { type AnyMapFactory, builtInMaps, latentsFromJSON, type MapCatalogue } from './latents/json.ts';
export { kernelRegression } from './latents/kernelRegression.ts';
export type { Latents, LatentsJSON } from './latents/latents.ts';
export { linearMap } from './latents/linearMap.ts';
export { mlpMap } from './latents/mlpMap.ts';
export { type LatentVariableModelOptions, latentVariableModel } from './latentVariableModel.ts';
export type { OwnParts } from './loadFit.ts';
export { loadFit } from './loadFit.ts';
export {
  type LlGplvmOptions,
  llGplvm,
  type RankGplvmOptions,
  rankGplvm,
  type TsneGplvmOptions,
  tsneGplvm,
} from './neighbourhoodGplvm.ts';
export { tpslvm } from './tpslvm.ts';
