import { Matrix } from '../../core/matrix.ts';
import { solvePositiveDefinite } from '../../engine/dense/products.ts';
import { pointQueue } from '../../engine/graph/shortestPaths.ts';
import { minimize } from '../minimize/minimize.ts';
import { lbfgs } from '../solvers/lbfgs.ts';
import type { Grid, MetricField } from './metricField.ts';

/** Initial path between two points, as points in row-major order. */
export type PathStart = (from: Float64Array, to: Float64Array) => Float64Array;

/** Steps to the 16 neighbors of a grid point: the moves of a king and of a knight. */
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

/** Shortest paths between points of a grid with 16 neighbors each. Paths from one point are computed together, once. */
export function gridStarts(grid: Grid, metrics: Float64Array): PathStart {
  const { origin, spacing, count, periodic } = grid;
  const size = count[0] * count[1];
  let source = -1;
  const distances = new Float64Array(size);
  /** Move that led to each point. */
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

  /** Length of a move by the mean of the metrics at both ends. */
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
    // If the path goes around, its end is a whole number of periods from the requested one.
    for (const axis of [0, 1] as const) {
      const turns = Math.round(((axis === 0 ? i : j) - last[axis]) / count[axis]);
      path[2 * steps.length + axis] = to[axis]! + (periodic ? turns * count[axis] * spacing[axis] : 0);
    }
    if (steps.length > 0) return path;
    return Float64Array.of(from[0]!, from[1]!, to[0]!, to[1]!);
  };
}

/** Number of neighbors of each point. */
const NEIGHBORS = 10;
/** Maximum number of points in the graph. */
const MOST_POINTS = 300;

/** Shortest paths along the edges of a neighborhood graph of some of the latents, with edge lengths measured along straight segments. */
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

/** Row numbers of a point's nearest rows, excluding one row. */
function nearestOf(rows: readonly Float64Array[], point: Float64Array, except: number): number[] {
  const distance = (row: Float64Array) =>
    row.reduce((sum, entry, k) => sum + (entry - point[k]!) * (entry - point[k]!), 0);
  return rows
    .map((row, j) => ({ j, own: distance(row) }))
    .filter(({ j }) => j !== except)
    .sort((a, b) => a.own - b.own || a.j - b.j)
    .slice(0, NEIGHBORS)
    .map(({ j }) => j);
}

/** Number of parts into which each segment is divided to measure its length. */
const PARTS = 4;

/** vᵀGv */
function squaredNorm(G: Float64Array, at: number, v: Float64Array, from: number, q: number): number {
  let sum = 0;
  for (let k = 0; k < q; k++) {
    for (let l = 0; l < q; l++) sum += v[from + k]! * G[at + k * q + l]! * v[from + l]!;
  }
  return sum;
}

/** Steps and midpoints of the segments of a path. */
function segmentsOf(path: Float64Array, q: number): { steps: Float64Array; middles: Float64Array } {
  const size = path.length - q;
  const [steps, middles] = [new Float64Array(size), new Float64Array(size)];
  for (let i = 0; i < size; i++) {
    steps[i] = path[i + q]! - path[i]!;
    middles[i] = path[i]! + steps[i]! / 2;
  }
  return { steps, middles };
}

/** Lengths ∫√(ẋᵀGẋ) of the segments of a path, each by the midpoints of four parts. */
function segmentLengths(field: MetricField, path: Float64Array): Float64Array {
  const q = field.dim;
  const fine = subdivided(path, q, PARTS);
  const { steps, middles } = segmentsOf(fine, q);
  const G = field.at(middles);
  const lengths = new Float64Array(path.length / q - 1);
  for (let i = 0; i < lengths.length * PARTS; i++) {
    lengths[Math.floor(i / PARTS)]! += Math.sqrt(Math.max(0, squaredNorm(G, i * q * q, steps, i * q, q)));
  }
  return lengths;
}

/** Length of a path. */
export const lengthOf = (field: MetricField, path: Float64Array): number =>
  segmentLengths(field, path).reduce((sum, part) => sum + part, 0);

/** Divides every segment into this many equal parts. */
function subdivided(path: Float64Array, q: number, parts: number): Float64Array {
  const segments = path.length / q - 1;
  const result = new Float64Array((segments * parts + 1) * q);
  for (let i = 0; i < segments; i++) {
    for (let s = 0; s < parts; s++) {
      for (let k = 0; k < q; k++) {
        const [from, to] = [path[i * q + k]!, path[(i + 1) * q + k]!];
        result[(i * parts + s) * q + k] = from + ((to - from) * s) / parts;
      }
    }
  }
  result.set(path.subarray(segments * q), segments * parts * q);
  return result;
}

/** Path resampled at equally spaced points. */
export function resampled(field: MetricField, path: Float64Array, points: number): Matrix {
  const q = field.dim;
  const lengths = segmentLengths(field, path);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const result = Matrix.zeros(points, q);
  let segment = 0;
  let before = 0;
  for (let i = 0; i < points; i++) {
    const wanted = (total * i) / (points - 1);
    while (segment < lengths.length - 1 && before + lengths[segment]! < wanted) before += lengths[segment++]!;
    const own = lengths[segment]!;
    const part = own > 0 ? Math.min(1, Math.max(0, (wanted - before) / own)) : i / (points - 1);
    for (let k = 0; k < q; k++) {
      const [from, to] = [path[segment * q + k]!, path[(segment + 1) * q + k]!];
      result.data[i * q + k] = from + part * (to - from);
    }
  }
  result.data.set(path.subarray(0, q));
  result.data.set(path.subarray(path.length - q), (points - 1) * q);
  return result;
}

/** Refined path. */
export interface RefinedPath {
  readonly path: Float64Array;
  /** True if the search for the least energy converged. */
  readonly converged: boolean;
}

/** Iterations of the search on each number of segments. */
const ITERATIONS = 400;
/** The search has converged when two consecutive iterations each lower the energy by at most this fraction. */
const DECREASE = 1e-7;

/**
 * Path of least energy ½∫ẋᵀGẋ between the ends of a path, starting from that path: minimizes K·Σ_k Δ_kᵀG(m_k)Δ_k over the steps Δ of K segments with
 * midpoints m, on 4, 8, … segments, each started from the previous result. A path of least energy has least length and constant speed.
 *
 * @param segments - a power of 2, from 4
 */
export function refined(field: MetricField, start: Float64Array, segments: number): RefinedPath {
  const q = field.dim;
  let path: Float64Array = resampled(field, start, 5).data;
  let converged = true;
  for (let K = 4; K <= segments; K *= 2) {
    if (K > 4) path = subdivided(path, q, 2);
    const found = leastEnergy(field, path);
    path = found.path;
    converged = found.converged;
  }
  return { path, converged };
}

function leastEnergy(field: MetricField, path: Float64Array): RefinedPath {
  const q = field.dim;
  const K = path.length / q - 1;
  const whole = path.slice();
  const free = (K - 1) * q;
  let unit = 1;
  const energy = (x: Float64Array) => {
    whole.set(x, q);
    const { steps, middles } = segmentsOf(whole, q);
    const { metric, slopes } = field.withSlopes(middles);
    let value = 0;
    const all = new Float64Array(path.length);
    for (let k = 0; k < K; k++) {
      value += squaredNorm(metric, k * q * q, steps, k * q, q);
      for (let d = 0; d < q; d++) {
        let pull = 0;
        for (let l = 0; l < q; l++) pull += 2 * metric[k * q * q + d * q + l]! * steps[k * q + l]!;
        const bend = squaredNorm(slopes, (k * q + d) * q * q, steps, k * q, q) / 2;
        all[k * q + d]! += bend - pull;
        all[(k + 1) * q + d]! += bend + pull;
      }
    }
    const gradient = all.subarray(q, q + free);
    for (let i = 0; i < free; i++) gradient[i]! *= K / unit;
    return { value: (K * value) / unit, gradient };
  };
  const first = energy(path.slice(q, q + free)).value;
  if (!(first > 0)) return { path, converged: true };
  unit = first;
  const { x, status } = minimize(energy, path.subarray(q, q + free), lbfgs(), {
    maxIterations: ITERATIONS,
    tolerance: 1e-6,
    relativeDecrease: DECREASE,
  });
  const result = path.slice();
  result.set(x, q);
  return { path: result, converged: status === 'converged' };
}

/**
 * Geodesic from a point with an initial velocity, at times from 0 to 1: Gẍ = −(Σ_d ẋ_d·∂_dG)ẋ + ½(ẋᵀ∂_kGẋ)_k, integrated by the fourth-order
 * Runge–Kutta method.
 *
 * @param steps - steps of the integration
 * @returns steps + 1 points
 */
export function geodesicFrom(field: MetricField, point: Float64Array, velocity: Float64Array, steps: number): Matrix {
  const q = field.dim;
  const h = 1 / steps;
  const path = Matrix.zeros(steps + 1, q);
  let [x, v] = [point.slice(), velocity.slice()];
  path.data.set(x);
  const moved = (from: Float64Array, by: Float64Array, part: number) => from.map((entry, k) => entry + part * by[k]!);
  for (let i = 1; i <= steps; i++) {
    const a1 = acceleration(field, x, v);
    const v2 = moved(v, a1, h / 2);
    const a2 = acceleration(field, moved(x, v, h / 2), v2);
    const v3 = moved(v, a2, h / 2);
    const a3 = acceleration(field, moved(x, v2, h / 2), v3);
    const v4 = moved(v, a3, h);
    const a4 = acceleration(field, moved(x, v3, h), v4);
    x = x.map((entry, k) => entry + (h / 6) * (v[k]! + 2 * v2[k]! + 2 * v3[k]! + v4[k]!));
    v = v.map((entry, k) => entry + (h / 6) * (a1[k]! + 2 * a2[k]! + 2 * a3[k]! + a4[k]!));
    path.data.set(x, i * q);
  }
  return path;
}

function acceleration(field: MetricField, x: Float64Array, v: Float64Array): Float64Array {
  const q = field.dim;
  const { metric, slopes } = field.withSlopes(x);
  const right = new Float64Array(q);
  for (let d = 0; d < q; d++) {
    right[d]! += squaredNorm(slopes, d * q * q, v, 0, q) / 2;
    for (let k = 0; k < q; k++) {
      for (let l = 0; l < q; l++) right[k]! -= v[d]! * slopes[(d * q + k) * q + l]! * v[l]!;
    }
  }
  // A path that is not finite is refused where it ends.
  return solvePositiveDefinite(metric.slice(), q, right) ? right : right.fill(Number.NaN);
}
