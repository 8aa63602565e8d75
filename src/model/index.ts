export type {
  AnyAbilities,
  DistributedLatents,
  DistributedViewed,
  FieldLearning,
  FieldShowing,
  Forecasting,
  GraphLearning,
  Imputing,
  LatentPlace,
  Mapped,
  Placing,
  PredictedLatents,
  Predicting,
  ProjectOptions,
  Reconstructing,
  Sampling,
  Spectral,
  Viewed,
  ViewMatrices,
} from './abilities.ts';
export {
  type Computation,
  type ComputationContext,
  type ComputationStep,
  type Embedding,
  type Optimality,
  type Standing,
  stage,
} from './computation.ts';
export type { DefinedMoments } from './definedMapping.ts';
export { type ComputedModel, type DefinedModel, defineModel, type ModelFactory } from './defineModel.ts';
export * from './distributions/index.ts';
export {
  type EvaluateOptions,
  type Evaluation,
  type EvaluationByTerm,
  evaluate,
  type GivenValues,
  type Gradients,
} from './evaluate.ts';
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
  Solved,
  SourcedModel,
  StartKind,
  TensorMap,
  TermContext,
} from './model.ts';
export { START_KINDS } from './model.ts';
export type {
  AbilitiesWith,
  ComputedDefinition,
  DataFormat,
  Found,
  LatentsOf,
  ModelContext,
  ModelDefinition,
  PartsOptions,
  PosteriorDefinition,
  Term,
  Terms,
  TermsDefinition,
} from './modelDefinition.ts';
export { type OpenEvaluation, type OpenModel, type OpenOptions, open } from './open.ts';
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
  real,
  type Support,
} from './parameter.ts';
export type { ParameterJSON, ParameterPriorJSON } from './parameterToJson.ts';
export type { AbilitiesOfParts, OwnParameters, Part, Parts, PathsBelow, PathsOfParts, ValuesOf } from './part.ts';
export type {
  AnyPosterior,
  DistributedPosterior,
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
  Posterior,
  Prediction,
  PredictiveDensity,
  Projection,
  SequencePosterior,
  SpectralPosterior,
  ViewedPosterior,
} from './posterior.ts';
export type { Curvature } from './solver.ts';
export type { LogJacobian, PositiveTransform, Transform } from './transform.ts';
