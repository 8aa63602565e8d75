export {
  gamma,
  halfNormal,
  inverseGamma,
  logNormal,
  normal,
  type ParameterPrior,
} from './distributions/index.ts';
export { InvalidInputError, LatentFieldError, NumericalError, OptimizationError } from './errors.ts';
export { type Evaluation, evaluate, type GivenValues } from './evaluate.ts';
export { withFloat64 } from './float64/scope.ts';
export * from './graph/index.ts';
export { Matrix, type MatrixLike } from './matrix.ts';
export type {
  Assembly,
  EvaluationReport,
  Factor,
  Model,
  ModelJSON,
  ParameterValues,
  Posterior,
  Prediction,
  TensorMap,
} from './model.ts';
export {
  bounded,
  box,
  fixed,
  type Parameter,
  type ParameterLike,
  type ParameterValue,
  positive,
  real,
  type Support,
} from './parameter.ts';
export { type Random, seededRandom } from './random.ts';
