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
export { type AlleOptions, alle } from './maxEntropy/alle.ts';
export { type DrillOptions, drill } from './maxEntropy/drill.ts';
export { type MeuOptions, meu } from './maxEntropy/meu.ts';
export { type MpmeOptions, mpme } from './maxEntropy/mpme.ts';
export {
  type LlGplvmOptions,
  llGplvm,
  type RankGplvmOptions,
  rankGplvm,
  type TsneGplvmOptions,
  tsneGplvm,
} from './neighbourhoodGplvm.ts';
export { type ClassicalMdsOptions, classicalMds } from './spectral/classicalMds.ts';
export { type IsomapOptions, isomap } from './spectral/isomap.ts';
export { type KernelPcaOptions, kernelPca } from './spectral/kernelPca.ts';
export { type LaplacianEigenmapsOptions, laplacianEigenmaps } from './spectral/laplacianEigenmaps.ts';
export { type LleOptions, lle } from './spectral/lle.ts';
export { type MvuOptions, mvu } from './spectral/mvu.ts';
export type { NeighbourhoodOptions } from './spectral/neighbourhood.ts';
export { type PcaOptions, pca } from './spectral/pca.ts';
export { type PpcaOptions, ppca } from './spectral/ppca.ts';
export type { UnfoldingConstraints } from './spectral/unfoldingProblem.ts';
export { tpslvm } from './tpslvm.ts';
