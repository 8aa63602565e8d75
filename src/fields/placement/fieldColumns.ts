import type { Graph } from '../../numerics/graph/graph.ts';
import { laplacianFactor } from '../../numerics/sparse/index.ts';

/** Parts of the covariance U = (L + λI)⁻¹ of a field, less 11ᵀ/(λN), what all of its points have in common. */
export interface FieldSolver {
  /** Column j, N numbers; not to be written to. */
  column(j: number): Float64Array;
  /** The diagonal. */
  variances(): Float64Array;
}

/** Columns kept so that neighbouring rows share them; as many numbers at most, not N². */
const KEPT_NUMBERS = 4e6;

/** Solves with the sparse factor of a learned field; no N×N array is made. */
export function fieldSolver(graph: Graph, basePrecision: number): FieldSolver {
  const { size: N, weights } = graph;
  const factor = laplacianFactor(graph);
  factor.update(weights, basePrecision);
  const kept = new Map<number, Float64Array>();
  let diagonal: Float64Array | undefined;
  return {
    column: (j) => {
      const known = kept.get(j);
      if (known !== undefined) return known;
      if ((kept.size + 1) * N > KEPT_NUMBERS) kept.clear();
      const column = new Float64Array(N).fill(-1 / N);
      column[j]! += 1;
      factor.solve(column, column);
      const mean = column.reduce((sum, entry) => sum + entry, 0) / N;
      for (let i = 0; i < N; i++) column[i]! -= mean;
      kept.set(j, column);
      return column;
    },
    variances: () => {
      diagonal ??= factor.variances().map((variance) => variance - 1 / (basePrecision * N));
      return diagonal;
    },
  };
}
