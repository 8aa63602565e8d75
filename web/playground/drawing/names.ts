import type { Coloring } from './colors.ts';

/** Maximum number of kinds whose names are written on the map. */
const MOST_NAMES = 14;
/** Maximum number of cells along the longer side of the map for counting points, so that some points remain per cell. */
const MOST_CELLS = 24;

/** Name of each kind, at the point in the middle of its densest region, if most of the visible points there are of this kind. */
export function namesOf(
  coloring: Pick<Coloring, 'kinds' | 'kindOf' | 'numbers'>,
  { x, y }: { readonly x: Float64Array; readonly y: Float64Array },
  hidden: ReadonlySet<number>,
) {
  const { kinds, kindOf, numbers } = coloring;
  if (numbers !== undefined || kinds.length < 2 || kinds.length > MOST_NAMES || x.length !== kindOf.length) return [];
  const cells = Math.min(MOST_CELLS, Math.ceil(Math.sqrt(x.length / kinds.length)));
  const [left, right] = [x.reduce((a, b) => Math.min(a, b)), x.reduce((a, b) => Math.max(a, b))];
  const [low, high] = [y.reduce((a, b) => Math.min(a, b)), y.reduce((a, b) => Math.max(a, b))];
  const size = Math.max(right - left, high - low) / cells || 1;
  const width = cells + 3;
  const column = (i: number) => Math.round((x[i]! - left) / size) + 1;
  const line = (i: number) => Math.round((y[i]! - low) / size) + 1;
  const counts = kinds.map(() => new Float64Array(width * width));
  for (let i = 0; i < x.length; i++) {
    for (const [a, b, weight] of NEAR) counts[kindOf[i]!]![(line(i) + b) * width + column(i) + a]! += weight;
  }
  const best = counts.map((of) => of.reduce((found, value, at) => (value > of[found]! ? at : found), 0));
  const isMost = (k: number) => {
    const visible = counts.reduce((sum, of, other) => sum + (hidden.has(other) ? 0 : of[best[k]!]!), 0);
    return 2 * counts[k]![best[k]!]! > visible;
  };
  const sums = kinds.map(() => ({ x: 0, y: 0, count: 0 }));
  for (let i = 0; i < x.length; i++) {
    const at = best[kindOf[i]!]!;
    if (Math.abs(column(i) - (at % width)) > 1 || Math.abs(line(i) - Math.floor(at / width)) > 1) continue;
    const sum = sums[kindOf[i]!]!;
    sum.x += x[i]!;
    sum.y += y[i]!;
    sum.count++;
  }
  const nearest = sums.map(() => ({ at: -1, distance: Number.POSITIVE_INFINITY }));
  for (let i = 0; i < x.length; i++) {
    const { x: across, y: up, count } = sums[kindOf[i]!]!;
    const distance = Math.hypot(x[i]! - across / count, y[i]! - up / count);
    if (distance < nearest[kindOf[i]!]!.distance) nearest[kindOf[i]!] = { at: i, distance };
  }
  return kinds.flatMap(({ name }, k) => {
    const { at } = nearest[k]!;
    return hidden.has(k) || at < 0 || !isMost(k) ? [] : [{ text: name, x: x[at]!, y: y[at]! }];
  });
}

const NEAR = [-1, 0, 1].flatMap((a) => [-1, 0, 1].map((b) => [a, b, a === 0 && b === 0 ? 2 : 1] as const));
