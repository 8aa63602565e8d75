import { square } from '../../core/elementary/index.ts';
import type { InParts } from '../../core/inParts.ts';
import type { Matrix } from '../../core/matrix.ts';
import { pointProducts } from './pointProducts.ts';

/** Candidates beside the k: with none, each would have to be told from the next by rounded distances. */
const SPARE = 4;

/** Looks at the candidates of point i, in the order of their rows: all other points are at a squared distance of `others` at least. */
export type VisitCandidates = (i: number, rows: Int32Array, others: number) => void;

/**
 * For each point the k + 4 others that are nearest by squared distances from products, and how near the rest may be.
 *
 * @param points - n×D, satisfying `boundsAreFinite`
 * @param visit - called for i = 0 … n − 1 when all products are known
 */
export function* ownCandidates(points: Matrix, k: number, visit: VisitCandidates): InParts<void> {
  const n = points.rows;
  const kept = Math.min(n - 1, k + SPARE);
  // Heaps with the furthest on top, full from the beginning: of no points, infinitely far.
  const rows = new Int32Array(n * kept).fill(n);
  const squares = new Float64Array(n * kept).fill(Infinity);
  const worst = new Float64Array(n).fill(Infinity);
  const slacks = new Float64Array(n);
  const offer = (i: number, distance: number, row: number) => {
    replaceTop(rows, squares, i * kept, kept, distance, row);
    worst[i] = squares[i * kept]!;
    return worst[i];
  };
  let furthest = 0;
  yield* pointProducts(points, points, 'once', (i, squaredNorm, norms, products, { relative, absolute }) => {
    if (i === 0) furthest = Math.sqrt(norms.reduce((a, b) => Math.max(a, b)));
    slacks[i] = relative * square(Math.sqrt(squaredNorm) + furthest) + absolute;
    let own = worst[i]!;
    for (let j = i + 1; j < n; j++) {
      const distance = squaredNorm + norms[j]! + products[j]!;
      if (distance < own) own = offer(i, distance, j);
      if (distance < worst[j]!) offer(j, distance, i);
    }
  });
  for (let i = 0; i < n; i++) {
    // With all other points among the candidates, nothing is left.
    const others = kept === n - 1 ? Infinity : worst[i]! - slacks[i]!;
    visit(i, rows.subarray(i * kept, (i + 1) * kept).sort(), others);
  }
}

/** Puts an entry in the place of the largest of a heap. */
function replaceTop(
  rows: Int32Array,
  squares: Float64Array,
  start: number,
  count: number,
  square: number,
  row: number,
): void {
  let place = 0;
  for (let child = 1; child < count; child = 2 * place + 1) {
    if (child + 1 < count && squares[start + child + 1]! > squares[start + child]!) child++;
    if (squares[start + child]! <= square) break;
    squares[start + place] = squares[start + child]!;
    rows[start + place] = rows[start + child]!;
    place = child;
  }
  squares[start + place] = square;
  rows[start + place] = row;
}
