export type {
  AnyAbilities,
  CalibrationOptions,
  DistributedLatents,
  DistributedViewed,
  FieldAbility,
  FieldLearning,
  Forecast,
  Forecasting,
  ForecastOptions,
  ForecastStart,
  GraphLearning,
  Imputing,
  Interpolate,
  KnownRowsOptions,
  LatentPlace,
  Mapped,
  OptionalIfEmpty,
  Placing,
  PredictedLatents,
  Predicting,
  PredictOptions,
  ProjectOptions,
  Reconstructing,
  SampleOptions,
  Sampling,
  Spectral,
  Viewed,
  ViewMatrices,
} from './abilities.ts';
export {
  type Computation,
  type ComputationContext,
  type ComputationProgress,
  type ComputationStep,
  type Embedding,
  type Optimality,
  stage,
} from './computation.ts';
export type {
  AbilitiesWith,
  ComputedDefinition,
  ComputedModel,
  ComputedSolution,
  DataFormat,
  ModelFactory,
} from './computedModel.ts';
export { type DefineModel, defineModel, type OptionedFactory, type OptionsSchema } from './defineModel.ts';
export * from './entrywise/index.ts';
export {
  type DensityDefinition,
  type DensityFactory,
  defineDensity,
  type EntrywiseFactory,
  type SaidBy,
} from './language/defineDensity.ts';
export type {
  Conditional,
  Density,
  DensityAbility,
  DensityContext,
  DensityLike,
  DensityStart,
  FieldOfRows,
  HasDensity,
  NextRow,
  RowMoments,
  Rows,
  SearchOfRows,
  SlopeMoments,
  SparsePrecision,
  UnderGaussianRows,
} from './language/density.ts';
export type { FittedVariables } from './language/derived.ts';
export type { Variables } from './language/graph.ts';
export { known } from './language/known.ts';
export { latent } from './language/latent.ts';
export { type Chart, type MapLike, type MapStart, mapped, type RowMap } from './language/mapped.ts';
export type { PullBack } from './language/metric.ts';
export { type MixtureOptions, mixture } from './language/mixture.ts';
export { type ObservationOptions, type Observations, readObservations } from './language/observations.ts';
export { type SamplePriorOptions, samplePrior } from './language/priorDraws.ts';
export type { DensitySupport, ObservationInterval, ObservationSupport } from './language/support.ts';
export type {
  AbilitiesOfVariables,
  FillingVariables,
  FitsOfVariables,
  FittedField,
  PathsOfVariables,
  PlacingVariables,
  PredictingVariables,
  SamplingVariables,
  ShowingVariables,
  Translating,
  VariablesModel,
} from './language/types.ts';
export {
  type DistributedRows,
  type EmbeddedOptions,
  type EmbeddedVariable,
  type EncodedRows,
  embedded,
  type FieldReading,
  type Given,
  type HeldRows,
  type KnownVariable,
  type LatentInit,
  type LatentPosterior,
  type LatentVariable,
  type LatentVariableOptions,
  type MappedOptions,
  type MappedVariable,
  type ObservedOptions,
  type ObservedVariable,
  observed,
  type PointRows,
  type PosteriorJSON,
  shared,
  type Variable,
} from './language/variable.ts';
export type { VariablesDefinition, VariablesPosterior } from './language/variablesModel.ts';
export type {
  AnyModel,
  AnyPaths,
  Assembly,
  Batch,
  Choice,
  ChoiceSettings,
  Findings,
  FreeEntries,
  Model,
  ModelJSON,
  ParameterValues,
  Search,
  Solved,
  SourcedModel,
  StartKind,
  TensorMap,
  TermContext,
} from './model.ts';
export {
  type EvaluateOptions,
  type Evaluation,
  type EvaluationByTerm,
  evaluate,
  type GivenValues,
  type Gradients,
  type LogDensityOptions,
  logDensityOf,
  type OpenEvaluation,
  type OpenModel,
} from './open.ts';
export {
  bounded,
  box,
  fixed,
  type Parameter,
  type ParameterLike,
  type ParameterOptions,
  type ParameterValue,
  type ParameterValueJSON,
  type PositiveOptions,
  positive,
  type RankOf,
  real,
  type Support,
} from './parameter.ts';
export {
  builtInLikelihoods,
  type DistributionCatalog,
  type LikelihoodCatalog,
  likelihoodFromJSON,
} from './parameterJson.ts';
export type { DistributionValue, OfParameter, ParameterPrior, PriorPlace } from './parameterPrior.ts';
export type { ParameterJSON, ParameterPriorJSON } from './parameterToJson.ts';
export type { Overrides, OwnParameters, PathsBelow } from './part.ts';
export type {
  Accuracy,
  AnyPosterior,
  DistributedPosterior,
  FieldCoordinates,
  FieldPosterior,
  FillingPosterior,
  GraphPosterior,
  LatentDistributions,
  LatentMoments,
  LayeredPosterior,
  LearnedByLayer,
  LearnedField,
  MappedPosterior,
  Mapping,
  MissingEntries,
  PlacedBound,
  PlacedPosterior,
  Placement,
  PlacePosterior,
  Posterior,
  Prediction,
  PredictiveDensity,
  Projection,
  SpectralPosterior,
} from './posterior.ts';
export type { PathsAhead, RowModel, RowsByName, VariableWidth } from './rowModel.ts';
export type { RowConstraint, RowTransform } from './rowTransforms.ts';
export type { Curvature, EndingKind } from './solver.ts';
export {
  choleskyFactor,
  defineTransform,
  ordered,
  simplex,
  type TransformDefinition,
  type TransformedParameter,
} from './structuredParameters.ts';
export type { LogJacobian, PositiveTransform, Transform } from './transform.ts';
