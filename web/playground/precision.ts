import { Matrix } from 'latentfield';

/** Logarithms of the predictive precision over a rectangle of two latent dimensions. */
export interface Background {
  readonly x: readonly [low: number, high: number];
  readonly y: readonly [low: number, high: number];
  readonly side: number;
  /** side × side, from the lowest y. */
  readonly values: Float64Array;
}

/** Milliseconds for which the thread is held at the most, about. */
const SLICE = 12;

/**
 * log(1/mean of var[y_d | x]) at side × side latents, in slices between which the page can draw.
 *
 * @param middle - q entries: where dimensions that are not shown are held
 * @returns undefined when the signal was aborted meanwhile
 */
export async function backgroundOf(
  predict: (X: Matrix) => { readonly variance: Matrix },
  {
    middle,
    axes,
    x,
    y,
    side,
  }: Pick<Background, 'x' | 'y' | 'side'> & { middle: readonly number[]; axes: readonly [number, number] },
  signal: AbortSignal,
): Promise<Background | undefined> {
  const values = new Float64Array(side * side);
  let count = 16;
  for (let from = 0; from < values.length; ) {
    if (signal.aborted) return undefined;
    const began = performance.now();
    const points = Array.from({ length: Math.min(count, values.length - from) }, (_, k) => {
      const at = [...middle];
      at[axes[0]] = x[0] + (((from + k) % side) / (side - 1)) * (x[1] - x[0]);
      at[axes[1]] = y[0] + (Math.floor((from + k) / side) / (side - 1)) * (y[1] - y[0]);
      return at;
    });
    const { variance } = predict(Matrix.from(points));
    for (let i = 0; i < points.length; i++) {
      values[from + i] = -Math.log(variance.row(i).reduce((sum, entry) => sum + entry, 0) / variance.columns);
    }
    from += points.length;
    const took = performance.now() - began;
    count = Math.max(4, Math.min(256, Math.floor((count * SLICE) / Math.max(took, 1))));
    await new Promise((resolve) => setTimeout(resolve));
  }
  return { x, y, side, values };
}
