export type { Inducing } from '../mapping/variational/inducingInputs.ts';
export { type NamedModel, namedModels } from './catalogue.ts';
export {
  type ComparedFit,
  type Comparison,
  type ComparisonOptions,
  type ComparisonRow,
  compareModels,
} from './compareModels.ts';
export { describedModel, kindOf } from './described/describedModel.ts';
export type { ModelOptions } from './described/parts.ts';
export { type AlleOptions, alle } from './field/alle.ts';
export { type DrillOptions, drill } from './field/drill.ts';
export { type MeuOptions, meu } from './field/meu.ts';
export { type MpmeOptions, mpme } from './field/mpme.ts';
export { type BayesianGplvmOptions, bayesianGplvm } from './gp/bayesianGplvm.ts';
export { type DgplvmOptions, dgplvm } from './gp/dgplvm.ts';
export type { DistributedViewsModel, DistributedViewsOptions } from './gp/distributedViews.ts';
export type { FamilyOptions } from './gp/family.ts';
export { type GplrfOptions, gplrf } from './gp/gplrf.ts';
export { gplvm } from './gp/gplvm.ts';
export {
  type LatentOptions,
  type LatentVariableModelOptions,
  latentVariableModel,
  type ViewsModelOptions,
} from './gp/latentVariableModel.ts';
export {
  type LlGplvmOptions,
  llGplvm,
  type RankGplvmOptions,
  rankGplvm,
  type TsneGplvmOptions,
  tsneGplvm,
} from './gp/neighbourhoodGplvm.ts';
export type { Strength } from './gp/strengths.ts';
export { type TpslvmOptions, tpslvm } from './gp/tpslvm.ts';
export type { ViewOptions } from './gp/views.ts';
export { type GpScoreOptions, gpScore } from './gpScore.ts';
export { type LoadedWith, loadFit } from './loadFit.ts';
export type { OwnParts } from './ownParts.ts';
export { builtInPriors } from './priorCatalogue.ts';
export { type ClassicalMdsOptions, classicalMds } from './spectral/classicalMds.ts';
export type { Preset } from './spectral/embedding/preset.ts';
export { type IsomapOptions, isomap } from './spectral/isomap.ts';
export { type KernelPcaOptions, kernelPca } from './spectral/kernelPca.ts';
export { type LaplacianEigenmapsOptions, laplacianEigenmaps } from './spectral/laplacianEigenmaps.ts';
export { type LleOptions, lle } from './spectral/lle.ts';
export { type MvuOptions, mvu } from './spectral/mvu.ts';
export type { NeighbourhoodOptions } from './spectral/neighbourhood/neighbourhood.ts';
export { type PcaOptions, pca } from './spectral/pca.ts';
export { type PpcaOptions, ppca } from './spectral/ppca.ts';
export type { UnfoldingConstraints } from './spectral/unfolding/unfoldingProblem.ts';
