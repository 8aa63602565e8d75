import { Matrix } from '../../../core/matrix.ts';
import { nearestNeighbours } from '../../../engine/neighbours/index.ts';
import { neighbourWeights } from '../neighbourhood/localReconstruction.ts';

/** How a new row is made of its nearest points. */
export interface RowReconstruction {
  readonly neighbours: Int32Array;
  /** Those of one row add up to 1. */
  readonly weights: Float64Array;
  /** ‖y_* − Σ_j w_j·y_j‖² */
  readonly residual: number;
}

/** Whether the row is in the very place of a point. */
export const isPoint = ({ neighbours, residual }: RowReconstruction): boolean =>
  neighbours.length === 1 && residual === 0;

/**
 * The weights that reconstruct every new row from its k nearest points. A row in the very place of a point is made of that point, the first of
 * several.
 *
 * @param regularization - as for `reconstructionFactor`
 */
export function reconstructedRows(
  points: Matrix,
  rows: Matrix,
  k: number,
  regularization: number | 'auto',
): RowReconstruction[] {
  const { rows: N, columns: D } = points;
  const { indices, distances } = nearestNeighbours(points, k, { queries: rows });
  const all = new Matrix(new Float64Array((N + rows.rows) * D), N + rows.rows, D);
  all.data.set(points.data);
  all.data.set(rows.data, N * D);
  const none = new Int32Array(0);
  const lists = Array.from({ length: all.rows }, (_, i) => {
    if (i < N) return none;
    const first = (i - N) * k;
    return distances[first] === 0 ? indices.slice(first, first + 1) : indices.slice(first, first + k);
  });
  const { reconstruction, residuals } = neighbourWeights(all, lists, regularization, (i) => `Row ${i - N} of Y`);
  const { starts, neighbours, weights } = reconstruction;
  return Array.from({ length: rows.rows }, (_, i) => {
    const [from, to] = [starts[N + i]!, starts[N + i + 1]!];
    return {
      neighbours: neighbours.slice(from, to),
      weights: weights.slice(from, to),
      residual: residuals[N + i]!,
    };
  });
}
