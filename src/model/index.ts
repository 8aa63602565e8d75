export {
  gamma,
  halfNormal,
  inverseGamma,
  logNormal,
  normal,
  type ParameterPrior,
  type ParameterPriorFactory,
} from './distributions/index.ts';
export type { ParameterPriorJSON } from './distributions/json.ts';
export type { PriorPlace } from './distributions/parameterPrior.ts';
export { type Evaluation, evaluate, type GivenValues } from './evaluate.ts';
export type {
  Assembly,
  Batch,
  Embedding,
  EmbeddingProgress,
  EmbeddingSearch,
  EmbeddingSteps,
  Findings,
  Model,
  ModelJSON,
  ParameterValues,
  Posterior,
  Prediction,
  PredictiveDensity,
  Projection,
  StartKind,
  TensorMap,
  TermContext,
} from './model.ts';
export { START_KINDS } from './model.ts';
export {
  bounded,
  box,
  fixed,
  type Parameter,
  type ParameterJSON,
  type ParameterLike,
  type ParameterOptions,
  type ParameterValue,
  type ParameterValueJSON,
  type PositiveOptions,
  positive,
  real,
  type Support,
} from './parameter.ts';
export type { OwnParameters } from './part.ts';
export type { PositiveTransform, Transform } from './transform.ts';
