import { Matrix } from 'latentfield';

/** Predictions of a fit on a grid over two latent dimensions. */
export interface Background {
  readonly x: readonly [low: number, high: number];
  readonly y: readonly [low: number, high: number];
  readonly side: number;
  /**
   * Standard deviation of a new row relative to the spread of each column, √(Σ_d var[y_d | x]/spread_d²/D), in the middle of each cell: side × side,
   * from the lowest y. At 1, no more is known than the mean of each column.
   */
  readonly deviation: Float64Array;
  /** Standard deviation per column, √(mean of var[y_d | x]/spread_d²) over the cells: D entries. */
  readonly columns: Float64Array;
  /**
   * log √det(JᵀJ), with J the D×2 slopes of the expected row along the two axes: the magnification of areas by the mapping (Bishop et al. 1997).
   * Central differences between cells, one-sided at the edges.
   */
  readonly magnification: Float64Array;
  /** Expected value of the selected column. */
  readonly value: Float64Array | undefined;
}

export type Place = Pick<Background, 'x' | 'y' | 'side'> & {
  /** Standard deviations of the D columns over the table. */
  readonly spreads: ArrayLike<number>;
  /** Values of all q latent dimensions, at which dimensions that are not shown are fixed. */
  readonly middle: readonly number[];
  readonly axes: readonly [number, number];
  /** Column whose expected value is computed. */
  readonly column?: number | undefined;
};

/** Approximate maximum number of milliseconds per slice of work. */
const SLICE = 12;

/**
 * Predicts at side × side latents, in slices, so that other requests are answered in between.
 *
 * @returns undefined if the signal was aborted
 */
export async function backgroundOf(
  predict: (X: Matrix) => { readonly mean: Matrix; readonly variance: Matrix },
  { middle, axes, x, y, side, column, spreads }: Place,
  signal: AbortSignal,
): Promise<Background | undefined> {
  const deviation = new Float64Array(side * side);
  const sums = new Float64Array(spreads.length);
  const magnification = new Float64Array(side * side);
  const value = column === undefined ? undefined : new Float64Array(side * side);
  const steps = [(x[1] - x[0]) / side, (y[1] - y[0]) / side] as const;
  /** Expected rows at the cells of the grid; only three lines of it are kept. */
  const means: (Float64Array | undefined)[] = [];
  const magnify = (line: number) => {
    const [below, above] = [Math.max(0, line - 1), Math.min(side - 1, line + 1)];
    for (let j = 0; j < side; j++) {
      const [left, right] = [Math.max(0, j - 1), Math.min(side - 1, j + 1)];
      const across = slopes(means[line * side + left]!, means[line * side + right]!, (right - left) * steps[0]);
      const up = slopes(means[below * side + j]!, means[above * side + j]!, (above - below) * steps[1]);
      const square = dot(across, across) * dot(up, up) - dot(across, up) ** 2;
      magnification[line * side + j] = 0.5 * Math.log(Math.max(square, Number.MIN_VALUE));
    }
    if (line > 0) means.fill(undefined, (line - 1) * side, line * side);
  };

  let count = 16;
  let from = 0;
  while (from < side * side) {
    if (signal.aborted) return undefined;
    const began = performance.now();
    const points = Array.from({ length: Math.min(count, side * side - from) }, (_, k) => {
      const at = [...middle];
      at[axes[0]] = x[0] + (((from + k) % side) + 0.5) * steps[0];
      at[axes[1]] = y[0] + (Math.floor((from + k) / side) + 0.5) * steps[1];
      return at;
    });
    const { mean, variance } = predict(Matrix.from(points));
    const before = Math.floor(from / side);
    for (let i = 0; i < points.length; i++) {
      const shares = variance.row(i).map((entry, d) => entry / (spreads[d]! * spreads[d]! || 1));
      shares.forEach((share, d) => {
        sums[d]! += share;
      });
      deviation[from + i] = Math.sqrt(shares.reduce((sum, share) => sum + share, 0) / variance.columns);
      if (value !== undefined) value[from + i] = mean.at(i, column!);
      means[from + i] = Float64Array.from(mean.row(i));
    }
    from += points.length;
    // A line has its slopes when the one above it is there.
    for (let line = Math.max(0, before - 1); line < Math.floor(from / side) - 1; line++) magnify(line);
    const took = performance.now() - began;
    count = Math.max(4, Math.min(256, Math.floor((count * SLICE) / Math.max(took, 1))));
    await new Promise((resolve) => setTimeout(resolve));
  }
  magnify(side - 1);
  const columns = sums.map((sum) => Math.sqrt(sum / (side * side)));
  return { x, y, side, deviation, columns, magnification, value };
}

/** True if the variance of a new row is the same at all positions, as for linear models: it does not show where rows end. */
export function isFlat({ deviation }: Pick<Background, 'deviation'>): boolean {
  const high = deviation.reduce((a, b) => Math.max(a, b));
  return high - deviation.reduce((a, b) => Math.min(a, b)) <= 1e-9 * high;
}

/** Doubt from 0, where rows are most certain, to 1, where they are least certain. */
export function doubtOf({ deviation }: Background): Float64Array {
  const low = deviation.reduce((a, b) => Math.min(a, b));
  const high = deviation.reduce((a, b) => Math.max(a, b));
  return deviation.map((value) => (high > low ? (value - low) / (high - low) : 0));
}

const slopes = (from: Float64Array, to: Float64Array, step: number) => from.map((value, d) => (to[d]! - value) / step);
const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, d) => sum + value * b[d]!, 0);
