// All models of the library that need observations only, by the name that files, workers and the command line use:
// one line exports and registers a model. Models that also need labels are in builtInLabeled.ts.

export type { Metric } from '../engine/neighbors/index.ts';
export { type AlleOptions, alle } from './field/alle.ts';
export { type DrillOptions, drill } from './field/drill.ts';
export { type MeuOptions, meu } from './field/meu.ts';
export { type MpmeOptions, mpme } from './field/mpme.ts';
export { type BayesianGplvmOptions, bayesianGplvm } from './gp/bayesianGplvm.ts';
export { type GplvmOptions, gplvm } from './gp/gplvm.ts';
export {
  type LlGplvmOptions,
  llGplvm,
  type RankGplvmOptions,
  rankGplvm,
  type TsneGplvmOptions,
  tsneGplvm,
} from './gp/neighborhoodGplvm.ts';
export { type TpslvmOptions, tpslvm } from './gp/tpslvm.ts';
export type { DecodedMap, DecoderOptions } from './maps/decoder.ts';
export type { MapModel, StartOfMap } from './maps/mapModel.ts';
export { type SammonOptions, sammon } from './maps/sammon.ts';
export { tsne } from './maps/tsne.ts';
export type { TsneOptions } from './maps/tsneMap.ts';
export { type UmapOptions, umap } from './maps/umap.ts';
export { type ClassicalMdsOptions, classicalMds } from './spectral/classicalMds.ts';
export { type IsomapOptions, isomap } from './spectral/isomap.ts';
export { type KernelPcaOptions, kernelPca } from './spectral/kernelPca.ts';
export { type LaplacianEigenmapsOptions, laplacianEigenmaps } from './spectral/laplacianEigenmaps.ts';
export { type LleOptions, lle } from './spectral/lle.ts';
export { type LppOptions, lpp } from './spectral/lpp.ts';
export { type MvuOptions, mvu } from './spectral/mvu.ts';
export { type PcaOptions, pca } from './spectral/pca.ts';
export { type PpcaOptions, ppca } from './spectral/ppca.ts';
