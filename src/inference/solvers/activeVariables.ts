import { nthSmallest } from '../../numerics/nthSmallest.ts';
import type { Box, Iterate } from './solver.ts';

type Point = Pick<Iterate, 'x' | 'gradient'>;

/** Variables that leave a bound in one step, for each that is between its bounds, and how many may in any case. */
const ENTERING = 3;
const LEAST = 200;

/** How far each variable is from what holds at a minimum: |g| between its bounds, at a bound only where it wants to leave it. */
function pull({ x, gradient }: Point, { lower, upper }: Box, i: number): number {
  const g = gradient[i]!;
  if (x[i]! <= lower[i]!) return Math.max(0, -g);
  if (x[i]! >= upper[i]!) return Math.max(0, g);
  return Math.abs(g);
}

/** The largest of these: 0 where the Karush–Kuhn–Tucker conditions hold. */
export function violation(point: Point, box: Box): number {
  let largest = 0;
  for (let i = 0; i < point.x.length; i++) largest = Math.max(largest, pull(point, box, i));
  return largest;
}

/** The variables between their bounds, and those of the others that most want to leave one, ascending. */
export function activeVariables(point: Point, box: Box): Int32Array {
  const { x } = point;
  const inner: number[] = [];
  const entering: number[] = [];
  const pulls: number[] = [];
  for (let i = 0; i < x.length; i++) {
    if (x[i]! > box.lower[i]! && x[i]! < box.upper[i]!) inner.push(i);
    else {
      const size = pull(point, box, i);
      if (size === 0) continue;
      entering.push(i);
      pulls.push(size);
    }
  }
  const capacity = Math.max(LEAST, ENTERING * inner.length);
  if (entering.length <= capacity) return Int32Array.from([...inner, ...entering]).sort();
  const least = nthSmallest(Float64Array.from(pulls), entering.length - capacity);
  const above = entering.filter((_, k) => pulls[k]! > least);
  const level = entering.filter((_, k) => pulls[k] === least).slice(0, capacity - above.length);
  return Int32Array.from([...inner, ...above, ...level]).sort();
}
