import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { unknownName } from '../../core/options.ts';
import { differenceStep } from '../../engine/centralDifferences.ts';
import type { Chart } from '../../model/language/mapped.ts';
import { expectedMetric, type PullBack, pointsAround, pullBackOf, slopesFrom } from '../../model/language/metric.ts';
import type { AnyPosterior, Mapping } from '../../model/posterior.ts';

/** Latent points with the metric that their mapping to observations pulls back. */
export interface Surface {
  /** Fitted points, N×q. */
  readonly latents: Matrix;
  /** Chart of their coordinates, if any. */
  readonly chart: Chart | undefined;
  /** Expected metric at points X (n×q). */
  metric(X: Matrix): PullBack;
}

/** Number of points whose metrics are computed together. */
const TOGETHER = 16;

type Mapped = Pick<AnyPosterior, 'latents' | 'fitted' | 'variables' | 'mapping'>;

/**
 * Surface of a posterior.
 *
 * @param view - one of several observed variables; by default the sum over all of them
 * @throws InvalidInputError for a model without a mapping, or an unknown view
 */
export function surfaceOf(posterior: Mapped, view: string | undefined, caller: string): Surface {
  const { fitted, variables, mapping, latents } = posterior;
  if (fitted !== undefined && variables !== undefined) {
    const names = fitted.observed.map(({ name }) => name);
    if (view !== undefined && !names.includes(view)) throw unknownName('view', view, names, caller);
    // A model without a single root throws when its metric is requested.
    const root = fitted.roots[0] ?? fitted.model.graph.shown.name;
    return {
      latents: fitted.values[root]!,
      chart: fitted.charts[root],
      metric: inSlices((X) => expectedMetric(fitted, X, view)),
    };
  }
  if (view !== undefined) throw unknownName('view', view, [], caller);
  if (mapping === undefined) {
    throw new InvalidInputError(
      `${caller} takes a fit of a model with a mapping from latents to observations, such as gplvm, but this one has none.`,
    );
  }
  return { latents, chart: undefined, metric: inSlices(metricOf(mapping, latents)) };
}

/** Metric of the mapping's mean function. */
function metricOf(mapping: Mapping, latents: Matrix): (X: Matrix) => PullBack {
  const step = differenceStep(latents.data, latents.columns);
  const ones = new Float64Array(mapping.observedColumns).fill(1);
  return (X) => {
    const { mean } = mapping.predict(pointsAround(X, step), false);
    return pullBackOf(slopesFrom(mean, step), undefined, ones, X.columns);
  };
}

function inSlices(metric: (X: Matrix) => PullBack): (X: Matrix) => PullBack {
  return (X) => {
    const { rows, columns: q } = X;
    const mean = Matrix.zeros(rows, q * q);
    const spread = Matrix.zeros(rows, q * q);
    let isWhole = true;
    for (let from = 0; from < rows; from += TOGETHER) {
      const to = Math.min(rows, from + TOGETHER);
      const part = metric(new Matrix(X.data.slice(from * q, to * q), to - from, q));
      mean.data.set(part.mean.data, from * q * q);
      if (part.spread === undefined) isWhole = false;
      else spread.data.set(part.spread.data, from * q * q);
    }
    return { mean, spread: isWhole ? spread : undefined };
  };
}

/** Metric as a function of position, with derivatives, for lengths, geodesics and the exponential map. */
export interface MetricField {
  /** Latent dimension q. */
  readonly dim: number;
  /** Metric G at n points (n×q in row-major order): n·q² numbers. */
  at(points: Float64Array): Float64Array;
  /** Metric G, and its derivative with respect to each of the q columns: n·q·q² numbers. */
  withSlopes(points: Float64Array): { readonly metric: Float64Array; readonly slopes: Float64Array };
}

/** Metric that is computed at each point; its slopes are central differences. */
export function exactField(metricAt: (X: Matrix) => Float64Array, q: number, step: number): MetricField {
  const at = (points: Float64Array) => metricAt(new Matrix(points, points.length / q, q));
  return {
    dim: q,
    at,
    withSlopes: (points) => {
      const size = points.length;
      const all = new Float64Array(size * (1 + 2 * q));
      all.set(points);
      for (let d = 0; d < q; d++) {
        for (const [s, sign] of [1, -1].entries()) {
          const from = size * (1 + 2 * d + s);
          all.set(points, from);
          for (let i = d; i < size; i += q) all[from + i]! += sign * step;
        }
      }
      const found = at(all);
      const n = size / q;
      const own = n * q * q;
      const slopes = new Float64Array(n * q * q * q);
      for (let d = 0; d < q; d++) {
        const [up, down] = [own * (1 + 2 * d), own * (2 + 2 * d)];
        for (let i = 0; i < n; i++) {
          for (let e = 0; e < q * q; e++) {
            slopes[(i * q + d) * q * q + e] = (found[up + i * q * q + e]! - found[down + i * q * q + e]!) / (2 * step);
          }
        }
      }
      return { metric: found.slice(0, own), slopes };
    },
  };
}

/** Position and spacing of a two-dimensional grid. */
export interface Grid {
  readonly origin: readonly [number, number];
  readonly spacing: readonly [number, number];
  readonly count: readonly [number, number];
  /** True if the grid is periodic. */
  readonly periodic: boolean;
}

/** Grid of at most this many points per axis over a box, or over one period of each axis. */
export function gridOver(
  lower: readonly [number, number],
  upper: readonly [number, number],
  most: number,
  periodic: boolean,
): Grid {
  const ranges = [upper[0] - lower[0], upper[1] - lower[1]] as const;
  const widest = Math.max(...ranges);
  const count = ranges.map((range) => Math.max(8, Math.round((most * range) / widest))) as [number, number];
  const cells = count.map((points) => (periodic ? points : points - 1)) as [number, number];
  return { origin: lower, spacing: [ranges[0] / cells[0], ranges[1] / cells[1]], count, periodic };
}

/** All points of a grid, with the first column varying slowest. */
export function gridPoints({ origin, spacing, count }: Grid): Matrix {
  return Matrix.zeros(count[0] * count[1], 2).map((_, p, d) =>
    d === 0 ? origin[0] + Math.floor(p / count[1]) * spacing[0] : origin[1] + (p % count[1]) * spacing[1],
  );
}

/**
 * Metric in two dimensions from its values on a grid: the entries of its root √G are interpolated by cubic convolution, so that G = √G·√G has no
 * negative eigenvalue anywhere.
 * Outside the grid it equals the metric at the nearest point of its edge.
 *
 * @param metrics - G at the points of the grid, 4 numbers each
 * @see Keys 1981
 */
export function griddedField(grid: Grid, metrics: Float64Array): MetricField {
  const { origin, spacing, count, periodic } = grid;
  const roots = new Float64Array((metrics.length / 4) * 3);
  for (let i = 0; i < metrics.length / 4; i++) squareRoot(metrics, 4 * i, roots, 3 * i);
  const weights = [new Float64Array(4), new Float64Array(4)] as const;
  const rates = [new Float64Array(4), new Float64Array(4)] as const;
  const places = [new Int32Array(4), new Int32Array(4)] as const;
  const root = new Float64Array(3);
  const slope = new Float64Array(6);

  /** Writes √G and its slopes along both axes at a point. */
  function interpolate(x: number, y: number, isSloped: boolean): void {
    locate(0, x);
    locate(1, y);
    root.fill(0);
    slope.fill(0);
    for (let a = 0; a < 4; a++) {
      const from = places[0][a]! * count[1];
      for (let b = 0; b < 4; b++) {
        const at = 3 * (from + places[1][b]!);
        const weight = weights[0][a]! * weights[1][b]!;
        for (let e = 0; e < 3; e++) root[e]! += weight * roots[at + e]!;
        if (!isSloped) continue;
        const [first, second] = [rates[0][a]! * weights[1][b]!, weights[0][a]! * rates[1][b]!];
        for (let e = 0; e < 3; e++) {
          slope[e]! += first * roots[at + e]!;
          slope[3 + e]! += second * roots[at + e]!;
        }
      }
    }
  }

  function locate(axis: 0 | 1, x: number): void {
    const [n, h] = [count[axis], spacing[axis]];
    const exact = (x - origin[axis]) / h;
    const inside = periodic ? exact : Math.min(n - 1, Math.max(0, exact));
    const cell = periodic ? Math.floor(inside) : Math.min(n - 2, Math.floor(inside));
    const t = inside - cell;
    const isOutside = inside !== exact;
    const [w, r] = [weights[axis], rates[axis]];
    w[0] = ((-0.5 * t + 1) * t - 0.5) * t;
    w[1] = (1.5 * t - 2.5) * t * t + 1;
    w[2] = ((-1.5 * t + 2) * t + 0.5) * t;
    w[3] = (0.5 * t - 0.5) * t * t;
    const rate = isOutside ? 0 : 1 / h;
    r[0] = rate * ((-1.5 * t + 2) * t - 0.5);
    r[1] = rate * (4.5 * t - 5) * t;
    r[2] = rate * ((-4.5 * t + 4) * t + 0.5);
    r[3] = rate * (1.5 * t - 1) * t;
    for (let a = 0; a < 4; a++) {
      const place = cell - 1 + a;
      places[axis][a] = periodic ? ((place % n) + n) % n : Math.min(n - 1, Math.max(0, place));
    }
  }

  function squared(into: Float64Array, at: number): void {
    const [a, b, c] = root as unknown as [number, number, number];
    into[at] = a * a + b * b;
    into[at + 1] = into[at + 2] = b * (a + c);
    into[at + 3] = b * b + c * c;
  }

  return {
    dim: 2,
    at: (points) => {
      const metric = new Float64Array(points.length * 2);
      for (let i = 0; i < points.length; i += 2) {
        interpolate(points[i]!, points[i + 1]!, false);
        squared(metric, 2 * i);
      }
      return metric;
    },
    withSlopes: (points) => {
      const metric = new Float64Array(points.length * 2);
      const slopes = new Float64Array(points.length * 4);
      for (let i = 0; i < points.length; i += 2) {
        interpolate(points[i]!, points[i + 1]!, true);
        squared(metric, 2 * i);
        const [a, b, c] = root as unknown as [number, number, number];
        for (let d = 0; d < 2; d++) {
          const [da, db, dc] = [slope[3 * d]!, slope[3 * d + 1]!, slope[3 * d + 2]!];
          const at = 4 * i + 4 * d;
          slopes[at] = 2 * (a * da + b * db);
          slopes[at + 1] = slopes[at + 2] = db * (a + c) + b * (da + dc);
          slopes[at + 3] = 2 * (b * db + c * dc);
        }
      }
      return { metric, slopes };
    },
  };
}

/** Square root of a symmetric positive semidefinite 2×2 matrix: (G + √det·I)/√(tr + 2√det), as (first, off-diagonal, last). */
function squareRoot(G: Float64Array, at: number, into: Float64Array, to: number): void {
  const [a, b, c] = [G[at]!, G[at + 1]!, G[at + 3]!];
  const s = Math.sqrt(Math.max(0, a * c - b * b));
  const t = Math.sqrt(Math.max(0, a + c + 2 * s));
  if (t === 0) return;
  into[to] = (a + s) / t;
  into[to + 1] = b / t;
  into[to + 2] = (c + s) / t;
}
