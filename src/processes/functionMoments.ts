import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';

/** Moments of the noise-free functions of columns that are treated alike, at n inputs. */
export interface FunctionMoments {
  /** Which c of the D columns they are. */
  readonly columns: Int32Array;
  /** n×c */
  readonly mean: Tensor2D;
  /** n×c, or n×1 where all columns have the same. */
  readonly variance: Tensor2D;
  /** Between the inputs, n×n, of the function of the column at this place. */
  covariance(column: number): Tensor2D;
}

/** Moments of the functions at inputs (n×q), group by group. Called on the float64 backend. */
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

/** Covariances of the functions between new rows: one for all columns, or one a column. */
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
