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
export { InvalidInputError, LatentFieldError, NumericalError, OptimizationError } from './errors.ts';
export { type Evaluation, evaluate, type GivenValues } from './evaluate.ts';
export type { Float64Backend, NumericType, Values } from './float64/backend.ts';
export type { Float64Memory } from './float64/memory.ts';
export { withFloat64 } from './float64/scope.ts';
export * from './graph/index.ts';
export type { EngineChoice, EngineName } from './linalg/index.ts';
export { Matrix, type MatrixLike } from './matrix.ts';
export type {
  Assembly,
  Embedding,
  EmbeddingProgress,
  EmbeddingSearch,
  EmbeddingSteps,
  EvaluationReport,
  Factor,
  Model,
  ModelJSON,
  ParameterValues,
  Posterior,
  Prediction,
  PredictiveDensity,
  Projection,
  Refinement,
  RefinementOptions,
  RefinementPoint,
  RefinementStep,
  StartKind,
  TensorMap,
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
export { type Random, seededRandom } from './random.ts';
export { startThreads, type Threads } from './threads.ts';
export type { PositiveTransform, Transform } from './transform.ts';
