import { square } from '../../../core/elementary/index.ts';
import type { Graph } from '../../../engine/graph/graph.ts';
import type { EdgeList } from '../../../engine/sparse/index.ts';

/** Kinds of constraints on the distances between neighbors: exact, upper bounds, or up to a squared penalty. */
export type UnfoldingConstraints = 'equality' | 'inequality' | 'slack';

/**
 * max ‖Y‖² − ν·Σ_e s_e² over centered Y and s, with ‖y_i − y_j‖² − s_e equal to (or at most) φ_e for every edge e = (i, j), in the
 * unit of length that makes the mean of φ 1.
 */
export interface UnfoldingProblem extends EdgeList {
  /** φ, of mean 1. */
  readonly squaredLengths: Float64Array;
  /** True if distances may shrink: multipliers are then at least 0. */
  readonly mayShrink: boolean;
  /** Compliance 1/(2ν), the stretch of a squared distance per unit of its multiplier: s_e = w_e/(2ν). 0 without slack. */
  readonly compliance: number;
}

/** Unfolding problem of a graph with lengths as weights, and the mean of their squares. */
export function unfoldingProblem(
  { size, sources, targets, weights }: Graph,
  constraints: UnfoldingConstraints,
  slackPenalty: number,
): { problem: UnfoldingProblem; unit: number } {
  const unit = weights.reduce((sum, length) => sum + length * length, 0) / weights.length;
  return {
    unit,
    problem: {
      size,
      sources,
      targets,
      squaredLengths: weights.map((length) => (length * length) / unit),
      mayShrink: constraints === 'inequality',
      compliance: constraints === 'slack' ? 1 / (2 * slackPenalty) : 0,
    },
  };
}

/** Excess ‖y_i − y_j‖² − φ_e of every edge, for the rows of an N×r array. */
export function excesses(
  { sources, targets, squaredLengths }: UnfoldingProblem,
  Y: Float64Array,
  r: number,
): Float64Array {
  return squaredLengths.map((length, e) => {
    const i = sources[e]! * r;
    const j = targets[e]! * r;
    let sum = 0;
    for (let c = 0; c < r; c++) sum += square(Y[i + c]! - Y[j + c]!);
    return sum - length;
  });
}

/** ‖Y‖² */
export function squaredNorm(Y: Float64Array): number {
  return Y.reduce((sum, entry) => sum + entry * entry, 0);
}

/** Y ← HY: subtracts the mean from every column of an N×r array. */
export function center(Y: Float64Array, r: number): void {
  const N = Y.length / r;
  for (let c = 0; c < r; c++) {
    let sum = 0;
    for (let p = c; p < Y.length; p += r) sum += Y[p]!;
    for (let p = c; p < Y.length; p += r) Y[p]! -= sum / N;
  }
}
