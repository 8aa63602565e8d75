export type { Inducing } from '../processes/variational/inducingVariables.ts';
export { type AssessOptions, assess } from './assess.ts';
export * from './builtIn.ts';
export * from './builtInLabeled.ts';
export { type NamedModel, namedModels } from './catalog.ts';
export { checkVariational, type VariationalCheck, type VariationalCheckOptions } from './checkVariational.ts';
export { comparedRows } from './comparedRows.ts';
export {
  type ComparedFit,
  type Comparison,
  type ComparisonOptions,
  type ComparisonRow,
  compareModels,
  type DrawsComparison,
  type DrawsComparisonRow,
} from './compareModels.ts';
export { describedModel, kindOf, type ModelOptions, withKnownRows } from './describedModel.ts';
export type { Distances } from './field/distances.ts';
export { type ByKindOptions, byKind, type ColumnsByKind } from './gp/byKind.ts';
export type { ColumnKind, ColumnKindsByName } from './gp/columnKinds.ts';
export { type Covariates, covariates } from './gp/covariates.ts';
export type { FamilyOptions } from './gp/family.ts';
export {
  type DistributedViewsModel,
  type DistributedViewsOptions,
  type LatentOptions,
  type LatentVariableModelOptions,
  latentVariableModel,
  type ViewsModelOptions,
} from './gp/latentVariableModel.ts';
export type { KernelsByView, ViewOptions, ViewsOptions } from './gp/process.ts';
export type { Strength } from './gp/strengths.ts';
export { type GpScoreOptions, gpScore } from './gpScore.ts';
export { type LoadedWith, loadDraws, loadFit } from './loadFit.ts';
export { modelFromJSON } from './modelFromJSON.ts';
export { isAtNoiseFloor } from './noiseFloor.ts';
export type { OwnModel, OwnParts } from './ownParts.ts';
export { builtInPriors } from './priorCatalog.ts';
export { type HeldOutScore, type ScoreOptions, score } from './score.ts';
export type { Preset, SpectralModel } from './spectral/embedding/options.ts';
export type { FieldReadOut, ReadOut, ReadOutOptions } from './spectral/embedding/readOut.ts';
export type { NeighborhoodOptions } from './spectral/neighborhood/neighborhood.ts';
export type { UnfoldingConstraints } from './spectral/unfolding/unfoldingProblem.ts';
