import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';

/** Moments of the noise-free functions at n inputs, for a group of columns that share their covariance. */
export interface FunctionMoments {
  /** Indices of these c columns among D. */
  readonly columns: Int32Array;
  /** n×c */
  readonly mean: Tensor2D;
  /** n×c, or n×1 if all columns share it. */
  readonly variance: Tensor2D;
  /** n×n covariance between the inputs of the function of one column of the group. */
  covariance(column: number): Tensor2D;
}

/** Moments of the functions at inputs (n×q), for each group of columns. Called on the float64 backend. */
export type MomentsAt = (A: Tensor2D) => readonly FunctionMoments[];

/** Mean and variance of all D columns, n×D each, in their order. */
export function allColumns(groups: readonly FunctionMoments[], D: number): { mean: Tensor2D; variance: Tensor2D } {
  const wide = groups.map(({ mean, variance }) =>
    variance.shape[1] === mean.shape[1] ? variance : op.mul<Tensor2D>(variance, op.ones([1, mean.shape[1]])),
  );
  if (groups.length === 1) return { mean: groups[0]!.mean, variance: wide[0]! };
  const places = new Int32Array(D);
  groups
    .flatMap(({ columns }) => Array.from(columns))
    .forEach((column, place) => {
      places[column] = place;
    });
  const ordered = (parts: Tensor2D[]) => op.gather<Tensor2D>(op.concat(parts, 1), places, 1);
  return { mean: ordered(groups.map(({ mean }) => mean)), variance: ordered(wide) };
}

/** Covariances of the functions between new rows: one for all columns, or one per column. */
export function covariancesOf(groups: readonly FunctionMoments[]): Tensor2D[] {
  if (groups.length === 1 && groups[0]!.variance.shape[1] === 1) return [groups[0]!.covariance(0)];
  const byColumn: Tensor2D[] = [];
  for (const group of groups) {
    const shared = group.variance.shape[1] === 1 ? group.covariance(0) : undefined;
    group.columns.forEach((column, c) => {
      byColumn[column] = shared ?? group.covariance(c);
    });
  }
  return byColumn;
}
