import { Matrix, type Projection } from 'latentfield';
import { nearestRows } from './neighbors.ts';

/** Similarity of the fitted rows to each other, measured by the log density of their projections, or by the distance to the nearest row for models without one. */
export interface Likeness {
  readonly by: 'density' | 'distance';
  /** Least log density, or largest distance, of the compared rows. */
  readonly limit: number;
  readonly own: Matrix;
  /** Divisors of differences, D numbers. */
  readonly unit: ArrayLike<number>;
  readonly compared: number;
  readonly moved: number;
}

/** Maximum number of fitted rows that are projected again for comparison. */
const MOST = 60;
/** Distance relative to the map's extent beyond which a fitted row has not been projected to its position. */
const APART = 0.05;

/**
 * Compares fitted rows with their projections.
 *
 * @param Y - all fitted rows, N×D
 * @param X - their latents, N×q
 * @param unit - divisors of differences between rows, D numbers; default 1
 */
export async function likenessOf(
  place: (Y: Matrix) => Promise<Projection>,
  Y: Matrix,
  X: Matrix,
  unit: ArrayLike<number> = new Float64Array(Y.columns).fill(1),
): Promise<Likeness> {
  const count = Math.min(MOST, Y.rows);
  const chosen = Array.from({ length: count }, (_, k) => Math.floor((k * Y.rows) / count));
  const { latents, logDensity } = await place(Matrix.from(chosen.map((i) => Y.row(i))));
  const extent = Math.max(
    ...Array.from({ length: X.columns }, (_, d) => {
      const column = X.column(d);
      return column.reduce((a, b) => Math.max(a, b)) - column.reduce((a, b) => Math.min(a, b));
    }),
  );
  const moved = chosen.filter((i, k) => Math.sqrt(square(latents.row(k), X.row(i))) > APART * extent).length;
  const isKnown = logDensity.every(Number.isFinite);
  const limit = isKnown
    ? logDensity.reduce((a, b) => Math.min(a, b))
    : Math.max(...chosen.map((i) => nearest(Y.row(i), Y, i, unit)));
  return { by: isKnown ? 'density' : 'distance', limit, own: Y, unit, compared: count, moved };
}

/** Flags per row: 1 if it is less similar to the fitted rows than any of the compared rows. */
export function isUnlikely(Y: Matrix, logDensity: Float64Array, { by, limit, own, unit }: Likeness): Uint8Array {
  return Uint8Array.from({ length: Y.rows }, (_, i) => {
    if (by === 'density') return logDensity[i]! < limit ? 1 : 0;
    return nearest(Y.row(i), own, -1, unit) > limit ? 1 : 0;
  });
}

/** Distance to the nearest row, except one, over the entries that both have. */
const nearest = (row: Float64Array, Y: Matrix, but: number, unit: ArrayLike<number>): number =>
  Math.sqrt(square(row, Y.row(nearestRows(Y, row, 1, but, unit)[0]!), unit));

function square(a: ArrayLike<number>, b: ArrayLike<number>, unit?: ArrayLike<number>): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) {
    const difference = (a[j]! - b[j]!) / (unit?.[j] ?? 1);
    if (!Number.isNaN(difference)) sum += difference * difference;
  }
  return sum;
}
