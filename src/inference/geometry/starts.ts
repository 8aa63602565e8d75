import type { Matrix } from '../../core/matrix.ts';
import { pointQueue } from '../../engine/graph/shortestPaths.ts';
import type { Grid, MetricField } from './metricField.ts';
import { segmentLengths } from './paths.ts';

/** A path from a point to another, as points one after the other. */
export type PathStart = (from: Float64Array, to: Float64Array) => Float64Array;

/** Steps to the 16 neighbours of a point of a grid: those of a king and of a knight. */
const MOVES = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
  [2, 1],
  [1, 2],
  [2, -1],
  [1, -2],
].flatMap(([i, j]) => [
  [i, j],
  [-i!, -j!],
]) as readonly (readonly [number, number])[];

/** Shortest paths between points of a grid with 16 neighbours each. Those from one point are searched together, once. */
export function gridStarts(grid: Grid, metrics: Float64Array): PathStart {
  const { origin, spacing, count, periodic } = grid;
  const size = count[0] * count[1];
  let source = -1;
  const distances = new Float64Array(size);
  /** The move that led to each point. */
  const moves = new Int8Array(size);

  const wrapped = (i: number, n: number) => (periodic ? ((i % n) + n) % n : i);
  const isInside = (i: number, n: number) => periodic || (i >= 0 && i < n);

  function search(from: number): void {
    source = from;
    distances.fill(Infinity);
    distances[from] = 0;
    const queue = pointQueue(size);
    queue.offer(from, 0);
    for (let at = queue.take(); at >= 0; at = queue.take()) {
      const [i, j] = [Math.floor(at / count[1]), at % count[1]];
      MOVES.forEach(([di, dj], move) => {
        const [a, b] = [i + di, j + dj];
        if (!isInside(a, count[0]) || !isInside(b, count[1])) return;
        const other = wrapped(a, count[0]) * count[1] + wrapped(b, count[1]);
        const through = distances[at]! + moveLength(at, other, di * spacing[0], dj * spacing[1]);
        if (through >= distances[other]!) return;
        distances[other] = through;
        moves[other] = move;
        queue.offer(other, through);
      });
    }
  }

  /** By the mean of the metrics of both ends. */
  function moveLength(from: number, to: number, x: number, y: number): number {
    const mean = (e: number) => (metrics[4 * from + e]! + metrics[4 * to + e]!) / 2;
    return Math.sqrt(Math.max(0, x * x * mean(0) + 2 * x * y * mean(1) + y * y * mean(3)));
  }

  const nearest = (point: Float64Array): [number, number] => {
    const own = [0, 1].map((axis) => {
      const place = Math.round((point[axis]! - origin[axis as 0 | 1]) / spacing[axis as 0 | 1]);
      return periodic ? place : Math.min(count[axis as 0 | 1] - 1, Math.max(0, place));
    });
    return [own[0]!, own[1]!];
  };
  const numberOf = ([i, j]: readonly [number, number]) => wrapped(i, count[0]) * count[1] + wrapped(j, count[1]);

  return (from, to) => {
    const [first, last] = [nearest(from), nearest(to)];
    if (numberOf(first) !== source) search(numberOf(first));
    const steps: (readonly [number, number])[] = [];
    for (let at = numberOf(last); at !== source; ) {
      const [di, dj] = MOVES[moves[at]!]!;
      steps.push([di, dj]);
      at = numberOf([Math.floor(at / count[1]) - di, (at % count[1]) - dj]);
    }
    steps.reverse();
    const path = new Float64Array(2 * (steps.length + 1));
    path.set(from);
    let [i, j] = first;
    steps.forEach(([di, dj], k) => {
      i += di;
      j += dj;
      path[2 * (k + 1)] = origin[0] + i * spacing[0];
      path[2 * (k + 1) + 1] = origin[1] + j * spacing[1];
    });
    // The end is a whole number of periods from where it was asked for, if the path goes around.
    for (const axis of [0, 1] as const) {
      const turns = Math.round(((axis === 0 ? i : j) - last[axis]) / count[axis]);
      path[2 * steps.length + axis] = to[axis]! + (periodic ? turns * count[axis] * spacing[axis] : 0);
    }
    if (steps.length > 0) return path;
    return Float64Array.of(from[0]!, from[1]!, to[0]!, to[1]!);
  };
}

/** Neighbours of each point. */
const NEIGHBOURS = 10;
/** Most points of the graph. */
const MOST_POINTS = 300;

/** Shortest paths along the edges of a neighbourhood graph of some of the latents, whose lengths are those of straight segments. */
export function graphStarts(field: MetricField, latents: Matrix): PathStart {
  const q = field.dim;
  const every = Math.max(1, Math.ceil(latents.rows / MOST_POINTS));
  const rows = Array.from({ length: Math.ceil(latents.rows / every) }, (_, i) => latents.row(i * every));
  const known = rows.map((row, i) => nearestOf(rows, row, i).map((j) => ({ j, length: lengthBetween(row, rows[j]!) })));
  const edges = rows.map(() => new Map<number, number>());
  known.forEach((own, i) => {
    for (const { j, length } of own) {
      edges[i]!.set(j, length);
      edges[j]!.set(i, length);
    }
  });

  function lengthBetween(from: Float64Array, to: Float64Array): number {
    const path = new Float64Array(2 * q);
    path.set(from);
    path.set(to, q);
    return segmentLengths(field, path)[0]!;
  }

  return (from, to) => {
    const N = rows.length;
    const reach = (point: Float64Array) =>
      nearestOf(rows, point, -1).map((j) => ({ j, length: lengthBetween(point, rows[j]!) }));
    const ends = new Map(reach(to).map(({ j, length }) => [j, length]));
    const distances = new Float64Array(N + 1).fill(Infinity);
    const before = new Int32Array(N + 1).fill(-1);
    const queue = pointQueue(N + 1);
    const offer = (j: number, through: number, at: number) => {
      if (through >= distances[j]!) return;
      distances[j] = through;
      before[j] = at;
      queue.offer(j, through);
    };
    for (const { j, length } of reach(from)) offer(j, length, -1);
    offer(N, lengthBetween(from, to), -1);
    for (let at = queue.take(); at >= 0 && at !== N; at = queue.take()) {
      for (const [j, length] of edges[at]!) offer(j, distances[at]! + length, at);
      const last = ends.get(at);
      if (last !== undefined) offer(N, distances[at]! + last, at);
    }
    const points: Float64Array[] = [to];
    for (let at = before[N]!; at >= 0; at = before[at]!) points.push(rows[at]!);
    points.push(from);
    return Float64Array.from(points.reverse().flatMap((point) => Array.from(point)));
  };
}

/** Numbers of the nearest rows to a point, but for one. */
function nearestOf(rows: readonly Float64Array[], point: Float64Array, except: number): number[] {
  const distance = (row: Float64Array) =>
    row.reduce((sum, entry, k) => sum + (entry - point[k]!) * (entry - point[k]!), 0);
  return rows
    .map((row, j) => ({ j, own: distance(row) }))
    .filter(({ j }) => j !== except)
    .sort((a, b) => a.own - b.own || a.j - b.j)
    .slice(0, NEIGHBOURS)
    .map(({ j }) => j);
}
