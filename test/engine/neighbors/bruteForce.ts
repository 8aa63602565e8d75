import type { Matrix } from '../../../src/core/matrix.ts';

/** For each query every row, but its own where the rows are the queries, by (squared distance, row). */
export function allByDistance(Y: Matrix, queries: Matrix = Y): { row: number; distance: number }[][] {
  return Array.from({ length: queries.rows }, (_, i) =>
    Array.from({ length: Y.rows }, (_, row) => ({ row, square: squaredDistance(queries.row(i), Y.row(row)) }))
      .filter(({ row }) => queries !== Y || row !== i)
      .sort((a, b) => a.square - b.square || a.row - b.row)
      .map(({ row, square }) => ({ row, distance: Math.sqrt(square) })),
  );
}

function squaredDistance(x: Float64Array, y: Float64Array): number {
  return x.reduce((sum, value, d) => sum + (value - y[d]!) ** 2, 0);
}
