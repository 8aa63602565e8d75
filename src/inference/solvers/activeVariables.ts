import { nthSmallest } from '../../numerics/nthSmallest.ts';
import type { Box, Iterate } from './solver.ts';

type Point = Pick<Iterate, 'x' | 'gradient'>;

/** Variables that leave a bound in one step, for each that is between its bounds, and how many may in any case. */
const ENTERING = 3;
const LEAST = 200;

/** How far each variable is from what holds at a minimum: |g| between its bounds, at a bound only where it wants to leave it. */
function pull(x: number, g: number, { lower, upper }: Box, i: number): number {
  if (x <= lower[i]!) return Math.max(0, -g);
  if (x >= upper[i]!) return Math.max(0, g);
  return Math.abs(g);
}

/** The largest of these: 0 where the Karush–Kuhn–Tucker conditions hold. */
export function violation({ x, gradient }: Point, box: Box): number {
  let largest = 0;
  for (let i = 0; i < x.length; i++) {
    const size = pull(x[i]!, gradient[i]!, box, i);
    if (size > largest) largest = size;
  }
  return largest;
}

/** The variables between their bounds, and those of the others that most want to leave one, ascending. */
export function activeVariables({ x, gradient }: Point, box: Box): Int32Array {
  const { lower, upper } = box;
  const inner: number[] = [];
  const entering: number[] = [];
  const pulls: number[] = [];
  for (let i = 0; i < x.length; i++) {
    const entry = x[i]!;
    if (entry > lower[i]! && entry < upper[i]!) inner.push(i);
    else {
      const size = pull(entry, gradient[i]!, box, i);
      if (size === 0) continue;
      entering.push(i);
      pulls.push(size);
    }
  }
  const capacity = Math.max(LEAST, ENTERING * inner.length);
  if (entering.length <= capacity) return Int32Array.from([...inner, ...entering]).sort();
  const least = nthSmallest(new Float64Array(pulls), entering.length - capacity);
  const above = entering.filter((_, k) => pulls[k]! > least);
  const level = entering.filter((_, k) => pulls[k] === least).slice(0, capacity - above.length);
  return Int32Array.from([...inner, ...above, ...level]).sort();
}
