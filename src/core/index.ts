export {
  type ErrorCode,
  InvalidInputError,
  LatentFieldError,
  type LatentFieldErrorOptions,
  NumericalError,
  OptimizationError,
} from './errors.ts';
export { systemReason } from './host.ts';
export { Matrix, type MatrixLike, type PlainMatrix } from './matrix.ts';
export type {
  FittedTable,
  GivenColumns,
  KnownColumns,
  NamedTable,
  NormalizedCounts,
  ObservationsLike,
  OffsetColumn,
} from './namedTable.ts';
export { differInUnits, type ScaleOption, type Standardization, savedObservations } from './observations.ts';
export type { ProgressiveWork } from './progressiveWork.ts';
export { type Random, seededRandom, shuffled } from './random.ts';
export { joinedColumns, type RowSource, rowsOf } from './rowMatrices.ts';
export { checksum } from './saved.ts';
export { secondsOfRows } from './secondsOfRows.ts';
export { type CompressedRows, SparseMatrix } from './sparseMatrix.ts';
export { aligned, counted } from './wording.ts';
