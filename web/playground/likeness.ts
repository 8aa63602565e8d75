import { Matrix, type Projection } from 'latentfield';
import { nearestRows } from './neighbors.ts';

/** How like the fit's own rows are to each other, by the log density at which they are placed, or, of models without one, by the distance to the nearest other row. */
export interface Likeness {
  readonly by: 'density' | 'distance';
  /** The least log density, or the largest distance, of the rows that were compared. */
  readonly limit: number;
  readonly own: Matrix;
  /** D numbers by which differences are divided. */
  readonly unit: ArrayLike<number>;
  readonly compared: number;
  readonly moved: number;
}

/** Rows of the fit that are placed again for comparison, at most. */
const MOST = 60;
/** Part of the map's extent beyond which a row that is placed again has not landed where it is. */
const APART = 0.05;

/**
 * What placing does to rows of the fit itself.
 *
 * @param Y - all rows of the fit, N×D
 * @param X - their latents, N×q
 * @param unit - D numbers by which differences of rows are divided; 1 by default
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

/** Of each row 1 where it is less like the rows of the fit than each that was compared. */
export function isUnlikely(Y: Matrix, logDensity: Float64Array, { by, limit, own, unit }: Likeness): Uint8Array {
  return Uint8Array.from({ length: Y.rows }, (_, i) => {
    if (by === 'density') return logDensity[i]! < limit ? 1 : 0;
    return nearest(Y.row(i), own, -1, unit) > limit ? 1 : 0;
  });
}

/** Distance to the nearest row but one, over the entries that both have. */
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
