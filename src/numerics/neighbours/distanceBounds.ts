import type { InParts } from '../../core/inParts.ts';
import type { Matrix } from '../../core/matrix.ts';
import { pointProducts } from './pointProducts.ts';

/** Looks at the bounds of row i: `lower[j]` ≤ ‖x_i − y_j‖² ≤ `upper[j]`. Both arrays are reused for the next row. */
export type VisitBounds = (i: number, lower: Float64Array, upper: Float64Array) => void;

/** Whether squares and products of the coordinates stay finite, which the bounds rest on. */
export function boundsAreFinite(...matrices: readonly Matrix[]): boolean {
  let largest = 0;
  for (const { data } of new Set(matrices)) {
    for (let p = 0; p < data.length; p++) {
      const size = Math.abs(data[p]!);
      if (size > largest) largest = size;
    }
  }
  const columns = matrices[0]!.columns;
  return Number.isFinite(64 * columns * largest * largest);
}

/**
 * Bounds of all squared distances between the rows of X and of Y, as direct differences give them in double precision, from blocks of products.
 *
 * @param X - n×D
 * @param Y - m×D; both satisfy `boundsAreFinite`
 * @param visit - called for i = 0 … n − 1, with a pause after each block of rows
 */
export function* distanceBounds(X: Matrix, Y: Matrix, visit: VisitBounds): InParts<void> {
  const n = Y.rows;
  const [lower, upper, norms] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  yield* pointProducts(X, Y, 'all', (i, square, squares, products, { relative, absolute }) => {
    if (i === 0) norms.set(squares.map(Math.sqrt));
    const norm = Math.sqrt(square);
    for (let j = 0; j < n; j++) {
      const reach = norm + norms[j]!;
      const slack = relative * reach * reach + absolute;
      const distance = square + squares[j]! + products[j]!;
      lower[j] = distance - slack;
      upper[j] = distance + slack;
    }
    visit(i, lower, upper);
  });
}
