/**
 * Probabilistic latent variable models from composable parts, in double precision.
 *
 * @packageDocumentation
 */
export {
  differInUnits,
  type ErrorCode,
  type FittedTable,
  InvalidInputError,
  type KnownColumns,
  LatentFieldError,
  type LatentFieldErrorOptions,
  Matrix,
  type MatrixLike,
  type NamedTable,
  type NormalizedCounts,
  NumericalError,
  type ObservationsLike,
  OptimizationError,
  type PlainMatrix,
  type ProgressiveWork,
  type Random,
  type RowSource,
  type ScaleOption,
  type Standardization,
  seededRandom,
} from './core/index.ts';
export * from './engine/index.ts';
export * from './engine/tensors/index.ts';
export * from './fields/index.ts';
export * from './inference/index.ts';
export * from './kernels/index.ts';
export * from './latents/index.ts';
export * from './model/index.ts';
export * from './models/index.ts';
export * from './priors/index.ts';
export * from './processes/index.ts';
