import type { Matrix } from '../../core/matrix.ts';
import type { Random } from '../../core/random.ts';

/** Halvings that may fail to separate anything before a set of points is cut in the middle: many of them coincide then. */
const LOPSIDED = 0.05;

/**
 * Small groups of points that are near each other: all points are halved by the plane midway between two of them, drawn at random, and the halves
 * again, until none holds more than `size`.
 *
 * @param visit - looks at one group: row numbers
 * @see Dasgupta & Freund, Random projection trees and low dimensional manifolds (2008)
 */
export function projectionLeaves(
  { data, rows, columns: D }: Matrix,
  size: number,
  random: Random,
  visit: (group: Int32Array) => void,
): void {
  const order = Int32Array.from({ length: rows }, (_, i) => i);
  const sides = new Float64Array(rows);
  const normal = new Float64Array(D);
  const middles = new Float64Array(D);
  const waiting: [from: number, to: number][] = [[0, rows]];
  for (let range = waiting.pop(); range !== undefined; range = waiting.pop()) {
    const [from, to] = range;
    if (to - from <= size) {
      visit(order.subarray(from, to));
      continue;
    }
    const a = order[from + random.integer(to - from)]! * D;
    const b = order[from + random.integer(to - from)]! * D;
    for (let d = 0; d < D; d++) {
      normal[d] = data[a + d]! - data[b + d]!;
      middles[d] = 0.5 * (data[a + d]! + data[b + d]!);
    }
    // Two points at a time: a sum waits for its last term, while the other goes on.
    for (let p = from; p < to; p += 2) {
      const row0 = order[p]! * D;
      const row1 = order[Math.min(p + 1, to - 1)]! * D;
      let [side0, side1] = [0, 0];
      for (let d = 0; d < D; d++) {
        side0 += normal[d]! * (data[row0 + d]! - middles[d]!);
        side1 += normal[d]! * (data[row1 + d]! - middles[d]!);
      }
      sides[p] = side0;
      if (p + 1 < to) sides[p + 1] = side1;
    }
    let middle = halved(order, sides, from, to);
    const least = Math.max(1, Math.floor(LOPSIDED * (to - from)));
    if (middle - from < least || to - middle < least) middle = (from + to) >> 1;
    waiting.push([from, middle], [middle, to]);
  }
}

/** Moves the rows of negative side before the others, and says where the others begin. */
function halved(order: Int32Array, sides: Float64Array, from: number, to: number): number {
  let middle = from;
  for (let p = from; p < to; p++) {
    if (sides[p]! >= 0) continue;
    const row = order[p]!;
    order[p] = order[middle]!;
    sides[p] = sides[middle]!;
    order[middle++] = row;
  }
  return middle;
}
