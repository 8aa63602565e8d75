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
  const { length } = x;
  const candidates = new Int32Array(length);
  /** Their pulls; those of variables between their bounds, which all are taken, count as ∞. */
  const pulls = new Float64Array(length);
  let count = 0;
  let inner = 0;
  for (let i = 0; i < length; i++) {
    const entry = x[i]!;
    let size = Number.POSITIVE_INFINITY;
    if (entry > lower[i]! && entry < upper[i]!) inner++;
    else {
      size = pull(entry, gradient[i]!, box, i);
      if (size === 0) continue;
    }
    candidates[count] = i;
    pulls[count++] = size;
  }
  const most = inner + Math.max(LEAST, ENTERING * inner);
  if (count <= most) return candidates.slice(0, count);
  const least = nthSmallest(pulls.slice(0, count), count - most);
  let above = 0;
  for (let k = 0; k < count; k++) if (pulls[k]! > least) above++;
  const active = new Int32Array(most);
  for (let k = 0, level = most - above, taken = 0; k < count; k++) {
    if (pulls[k]! < least || (pulls[k] === least && level-- <= 0)) continue;
    active[taken++] = candidates[k]!;
  }
  return active;
}
