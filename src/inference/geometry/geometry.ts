import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkNumbers } from '../../core/observations.ts';
import { checkGiven, checkOptions, givenList, integerFrom, type OptionsIn } from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { differenceStep } from '../../engine/centralDifferences.ts';
import type { LatentPlace } from '../../model/abilities.ts';
import { type AnyPosterior, posteriorOf } from '../../model/posterior.ts';
import {
  exactField,
  type Grid,
  griddedField,
  gridOver,
  gridPoints,
  type MetricField,
  type Surface,
  surfaceOf,
} from './metricField.ts';
import {
  geodesicFrom,
  graphStarts,
  gridStarts,
  lengthOf,
  type PathStart,
  type RefinedPath,
  refined,
  resampled,
} from './paths.ts';

/** Options of {@link geometry}. */
export interface GeometryOptions extends OptionsIn<typeof schema> {}

/** Shortest path between two latent points. */
export interface Geodesic {
  /** Equally spaced points on the path, both ends included; n×q. */
  readonly latents: Matrix;
  /** Length of the path, in the unit of the observations. */
  readonly length: number;
  /** False if the search for the path of least energy ended at its limit of iterations. */
  readonly converged: boolean;
}

/** Options of a path. */
export interface PathOptions extends OptionsIn<typeof pathSchema> {}

/** Riemannian geometry of the latent space of a fitted mapping: see {@link geometry}. */
export interface Geometry {
  /** Fitted latent points, N×q; on a circle, torus or sphere, coordinates in its chart. */
  readonly latents: Matrix;
  /**
   * True if the metric includes the variance of the slopes; false for mappings without covariances of their functions, whose metric is computed from
   * the mean function.
   */
  readonly includesVariance: boolean;
  /**
   * Relative error of the metric that paths are computed from, as the 95 % quantile over the centers of cells. In two dimensions the metric is
   * interpolated from a grid, which is refined until this error is below 0.5 %, to at most 96 points per axis. In other dimensions the exact metric
   * is used, and the error is 0.
   */
  readonly interpolationError: number;
  /**
   * The expected metric G(x) = E[JᵀJ] at points.
   *
   * @param X - n×q
   * @returns n matrices q×q, in squared units of the observations
   */
  metric(X: MatrixLike): Matrix[];
  /** √det G at points X (n×q): the magnification of areas by the mapping. */
  magnification(X: MatrixLike): Float64Array;
  /** Length ∫√(ẋᵀGẋ) of the piecewise linear path through these points (n×q). */
  length(path: MatrixLike): number;
  /** Length of the geodesic between two points, or between fitted points by row number. */
  distance(from: LatentPlace, to: LatentPlace): number;
  /** Pairwise geodesic distances, n×n, of points or of fitted points by row number. */
  distances(landmarks: readonly LatentPlace[]): Matrix;
  /** Geodesic between two points. */
  geodesic(from: LatentPlace, to: LatentPlace, options?: PathOptions): Geodesic;
  /** Geodesics of pairs of points. */
  geodesics(pairs: readonly (readonly [LatentPlace, LatentPlace])[], options?: PathOptions): Geodesic[];
  /**
   * Exponential map: the geodesic from a point with an initial velocity, followed for unit time. Its last row is the end point.
   *
   * @param velocity - q entries
   * @param options - `points` of the path, both ends included
   * @throws InvalidInputError if the metric is singular at the point
   */
  exponential(from: LatentPlace, velocity: ArrayLike<number>, options?: PathOptions): Matrix;
}

const pathSchema = v.strictObject({
  /** Points on the path, both ends included, at least 2; default 20. */
  points: v.optional(integerFrom(2), 20),
});
const schema = v.strictObject({
  /** Name of one of several observed variables or views; by default the metrics of all of them are added. */
  view: v.optional(v.string('the name of a view')),
});

/** Segments of a path along which its energy is minimized: with an interpolated metric, and with a metric computed at each point. */
const [SEGMENTS, FEWER_SEGMENTS] = [32, 16];
/** Integration steps of the exponential map. */
const INTEGRATION_STEPS = 100;
/** Points of the grid on its longer axis: initial and largest number. */
const [FIRST_GRID, LARGEST_GRID] = [24, 96];
const INTERPOLATION_ERROR = 0.005;
/** Margin around the latents, relative to their range. */
const MARGIN = 0.1;
/** Largest number of cells whose centers are compared with the metric itself. */
const TRIAL_CELLS = 200;

/**
 * Riemannian geometry of the latent space of a fit: distances between points as measured in the space of the observations. Its metric is the expected
 * pull-back metric of the mapping f,
 *
 *   G(x) = E[J(x)ᵀJ(x)] = E[J]ᵀE[J] + Σ_d Cov(J_d),  J = ∂f/∂x (D×q) conditional on the observations,
 *
 * which is larger where the mapping is uncertain, so that geodesics stay close to the data. Gaussian processes, exact or with inducing inputs, have
 * both terms; decoders and other deterministic maps have only the first.
 *
 * Geodesics start from a shortest path on a grid (in two dimensions), along a neighborhood graph of the latents (in more), or along the chart of a
 * manifold, and are then refined to curves of least energy ∫ẋᵀGẋ by L-BFGS. For points on a manifold, the metric is expressed in the coordinates of the chart.
 *
 * @param fit - fit of a model with a mapping from one latent variable to observations
 * @param options - see {@link GeometryOptions}
 * @throws InvalidInputError for other arguments, and when a metric is requested, for kernels whose functions are not differentiable, such as matern12
 * @see Tosi, Hauberg, Vellido & Lawrence 2014, §3; Arvanitidis, Hansen & Hauberg 2018
 * @example
 * ```ts
 * const result = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 200 });
 * const { magnification, geodesic, distances } = geometry(result);
 * magnification(result.latents); // where the map stretches most
 * geodesic(0, 5, { points: 10 }).length;
 * distances([0, 5, 9]).toArrays();
 * ```
 */
export function geometry(fit: object, options: GeometryOptions = {}): Geometry {
  const posterior = posteriorOf(fit);
  if (posterior === undefined || posterior.latents.columns === 0) {
    throw new InvalidInputError(
      `geometry takes a fit, as fit and loadFit return it, that has latents, but ${describe(fit)} was given.`,
    );
  }
  const { view } = checkOptions(schema, options, 'geometry');
  return geometryOf(surfaceOf(posterior, view, 'geometry'));
}

/** Geometry of a surface. */
export function geometryOf(surface: Surface): Geometry {
  const { latents } = surface;
  const q = latents.columns;
  const paths = pathFinder(surface);
  const points = (X: MatrixLike, caller: string) => {
    const matrix = checkNumbers(Matrix.from(X, 'X'), 'X');
    if (matrix.columns === q) return matrix;
    throw new InvalidInputError(
      `${caller} takes points with ${q} columns, but a ${matrix.rows}×${matrix.columns} matrix was given.`,
    );
  };
  const read = (given: PathOptions | undefined, caller: string) => checkOptions(pathSchema, given ?? {}, caller).points;
  const geodesic = (from: LatentPlace, to: LatentPlace, count: number, caller: string): Geodesic => {
    const { path, length, converged } = paths.between(pointAt(latents, from, caller), pointAt(latents, to, caller));
    return { latents: resampled(paths.field(), path, count), length, converged };
  };
  return Object.freeze<Geometry>({
    latents,
    get includesVariance() {
      return surface.metric(new Matrix(latents.row(0), 1, q)).spread !== undefined;
    },
    get interpolationError() {
      paths.cover(latents.data);
      return paths.interpolationError();
    },
    metric: (X) => {
      const given = points(X, 'metric');
      const metrics = totalOf(surface, given);
      return Array.from({ length: given.rows }, (_, i) => {
        const own = metrics.slice(i * q * q, (i + 1) * q * q);
        return new Matrix(own, q, q);
      });
    },
    magnification: (X) => {
      const given = points(X, 'magnification');
      const metrics = totalOf(surface, given);
      return Float64Array.from({ length: given.rows }, (_, i) =>
        rootDeterminant(metrics.slice(i * q * q, (i + 1) * q * q), q),
      );
    },
    length: (path) => {
      const given = points(path, 'length');
      if (given.rows < 2)
        throw new InvalidInputError(`length takes a path of 2 points or more, but ${given.rows} was given.`);
      paths.cover(given.data);
      return lengthOf(paths.field(), given.data);
    },
    distance: (from, to) => geodesic(from, to, 2, 'distance').length,
    distances: (landmarks) => {
      const list = givenList(landmarks, 'distances', 'a list of points, or of numbers of points');
      const result = Matrix.zeros(list.length, list.length);
      list.forEach((from, i) => {
        pointAt(latents, from, 'distances');
        for (let j = i + 1; j < list.length; j++) {
          const { length } = geodesic(from, list[j]!, 2, 'distances');
          result.data[i * list.length + j] = result.data[j * list.length + i] = length;
        }
      });
      return result;
    },
    geodesic: (from, to, given) => geodesic(from, to, read(given, 'geodesic'), 'geodesic'),
    geodesics: (pairs, given) => {
      const count = read(given, 'geodesics');
      return givenList(pairs, 'geodesics', 'a list of pairs of points').map((pair) => {
        const [from, to, ...rest] = givenList(pair, 'geodesics', 'a list of pairs of points');
        if (from === undefined || to === undefined || rest.length > 0) {
          throw new InvalidInputError(`geodesics takes pairs of points, but ${describe(pair)} was given.`);
        }
        return geodesic(from, to, count, 'geodesics');
      });
    },
    exponential: (from, velocity, given) => {
      const count = read(given, 'exponential');
      const start = pointAt(latents, from, 'exponential');
      const speed = Float64Array.from(givenList(velocity, 'exponential', `a velocity of ${q} numbers`));
      const isVelocity = speed.length === q && speed.every(Number.isFinite);
      checkGiven(velocity, 'exponential', `a velocity of ${q} finite numbers`, () => isVelocity);
      paths.cover(start);
      const path = geodesicFrom(paths.field(), start, speed, INTEGRATION_STEPS);
      if (!path.data.every(Number.isFinite)) {
        throw new InvalidInputError(
          'The geodesic leaves where the metric can be inverted: a direction has no length there. Start at another point, or with a lower velocity.',
        );
      }
      return resampled(paths.field(), path.data, count);
    },
  });
}

/** E[J]ᵀE[J] + Σ_d Cov(J_d) at points, q² numbers each. */
function totalOf(surface: Surface, X: Matrix): Float64Array {
  const { mean, spread } = surface.metric(X);
  return spread === undefined ? mean.data : mean.data.map((entry, i) => entry + spread.data[i]!);
}

interface FoundPath extends RefinedPath {
  readonly length: number;
}

/** Geodesic solver on a surface. */
interface PathFinder {
  /** Extends the grid so that it covers these points. */
  cover(points: Float64Array): void;
  field(): MetricField;
  interpolationError(): number;
  between(from: Float64Array, to: Float64Array): FoundPath;
}

function pathFinder(surface: Surface): PathFinder {
  const { latents, chart } = surface;
  const q = latents.columns;
  const exact = lazily(() => exactField((X) => totalOf(surface, X), q, differenceStep(latents.data, q)));
  if (q === 2) return plane(surface, exact());
  const along = q === 1 || chart !== undefined ? undefined : lazily(() => graphStarts(exact(), latents));
  return {
    cover: () => {},
    field: exact,
    interpolationError: () => 0,
    between: (from, to) => {
      if (q === 1) return measured(exact(), shortestLine(exact(), from, to, chart?.period), true);
      const { path, converged } = refined(exact(), along?.()(from, to) ?? onChart(surface, from, to), FEWER_SEGMENTS);
      return measured(exact(), path, converged);
    },
  };
}

const measured = (field: MetricField, path: Float64Array, converged: boolean): FoundPath => ({
  path,
  length: lengthOf(field, path),
  converged,
});

/** Intermediate points along a chart. */
function onChart({ chart, latents: { columns: q } }: Surface, from: Float64Array, to: Float64Array): Float64Array {
  const path = new Float64Array((FEWER_SEGMENTS + 1) * q);
  for (let k = 0; k <= FEWER_SEGMENTS; k++) path.set(chart!.between(from, to, k / FEWER_SEGMENTS), k * q);
  return path;
}

/** Shortest line in one dimension; on a circle, the shorter of two. */
function shortestLine(
  field: MetricField,
  from: Float64Array,
  to: Float64Array,
  period: number | undefined,
): Float64Array {
  const way = to[0]! - from[0]!;
  const ends = period === undefined ? [way] : [0, 1].map((turn) => way - period * (Math.floor(way / period) + turn));
  const lines = ends.map((end) =>
    Float64Array.from({ length: SEGMENTS + 1 }, (_, k) => from[0]! + (end * k) / SEGMENTS),
  );
  const lengths = lines.map((line) => lengthOf(field, line));
  return lines[lengths.indexOf(Math.min(...lengths))]!;
}

/** Geodesics in two dimensions, with a metric interpolated from a grid. */
function plane(surface: Surface, exact: MetricField): PathFinder {
  const { latents, chart } = surface;
  let known: (Gridded & { lower: [number, number]; upper: [number, number] }) | undefined;
  let starts: PathStart | undefined;
  const field = () => known!.field;

  function cover(points: Float64Array): void {
    if (known !== undefined && (chart?.period !== undefined || isInside(points, known.lower, known.upper))) return;
    const all = Float64Array.from([...latents.data, ...points]);
    const [lower, upper] =
      chart?.period === undefined
        ? boxAround(all)
        : [
            [0, 0],
            [chart.period, chart.period],
          ];
    const box = { lower: lower as [number, number], upper: upper as [number, number] };
    known = { ...box, ...interpolated(exact, box.lower, box.upper, chart?.period !== undefined) };
    starts = gridStarts(known.grid, known.metrics);
  }

  return {
    cover,
    field,
    interpolationError: () => known!.error,
    between: (from, to) => {
      cover(Float64Array.from([...from, ...to]));
      const isForward = from[0]! < to[0]! || (from[0] === to[0] && from[1]! <= to[1]!);
      // The same path in both directions.
      const [first, last] = isForward ? [from, to] : [to, from];
      const candidates = [starts!(first, last), Float64Array.from([...first, ...last])];
      const lengths = candidates.map((path) => lengthOf(field(), path));
      const { path, converged } = refined(field(), candidates[lengths[0]! < lengths[1]! ? 0 : 1]!, SEGMENTS);
      const found = measured(field(), path, converged);
      if (isForward) return found;
      const reversed = new Float64Array(path.length);
      const moved = [0, 1].map((k) => from[k]! - path[path.length - 2 + k]!);
      for (let i = 0; i < path.length; i += 2) {
        for (let k = 0; k < 2; k++) reversed[path.length - 2 - i + k] = path[i + k]! + moved[k]!;
      }
      return { ...found, path: reversed };
    },
  };
}

interface Gridded {
  readonly grid: Grid;
  readonly metrics: Float64Array;
  readonly field: MetricField;
  /** 95 % quantile of the relative error at centers of cells. */
  readonly error: number;
}

/** Metric on the first grid that is accurate enough, or on the finest. */
function interpolated(
  exact: MetricField,
  lower: readonly [number, number],
  upper: readonly [number, number],
  periodic: boolean,
): Gridded {
  for (let most = FIRST_GRID; ; most *= 2) {
    const grid = gridOver(lower, upper, most, periodic);
    const metrics = exact.at(gridPoints(grid).data);
    const field = griddedField(grid, metrics);
    const error = errorAtCenters(exact, field, grid);
    if (error <= INTERPOLATION_ERROR || 2 * most > LARGEST_GRID) return { grid, metrics, field, error };
  }
}

function errorAtCenters(exact: MetricField, field: MetricField, { origin, spacing, count, periodic }: Grid): number {
  const cells = count.map((n) => (periodic ? n : n - 3)) as [number, number];
  const first = periodic ? 0 : 1;
  const every = Math.max(1, Math.floor((cells[0] * cells[1]) / TRIAL_CELLS));
  const centers: number[] = [];
  for (let c = 0; c < cells[0] * cells[1]; c += every) {
    centers.push(origin[0] + (first + Math.floor(c / cells[1]) + 0.5) * spacing[0]);
    centers.push(origin[1] + (first + (c % cells[1]) + 0.5) * spacing[1]);
  }
  const points = Float64Array.from(centers);
  const [own, other] = [exact.at(points), field.at(points)];
  const errors = new Float64Array(centers.length / 2);
  for (let i = 0; i < errors.length; i++) {
    let [size, difference] = [0, 0];
    for (let e = 4 * i; e < 4 * i + 4; e++) {
      size += own[e]! * own[e]!;
      difference += (own[e]! - other[e]!) * (own[e]! - other[e]!);
    }
    errors[i] = size > 0 ? Math.sqrt(difference / size) : 0;
  }
  return errors.sort()[Math.floor(0.95 * errors.length)]!;
}

function boxAround(points: Float64Array): [[number, number], [number, number]] {
  const lower: [number, number] = [Infinity, Infinity];
  const upper: [number, number] = [-Infinity, -Infinity];
  points.forEach((entry, i) => {
    lower[i % 2] = Math.min(lower[i % 2]!, entry);
    upper[i % 2] = Math.max(upper[i % 2]!, entry);
  });
  const range = Math.max(upper[0] - lower[0], upper[1] - lower[1], Number.MIN_VALUE);
  for (const k of [0, 1]) {
    lower[k]! -= MARGIN * range;
    upper[k]! += MARGIN * range;
  }
  return [lower, upper];
}

const isInside = (points: Float64Array, lower: readonly number[], upper: readonly number[]) =>
  points.every((entry, i) => entry >= lower[i % 2]! && entry <= upper[i % 2]!);

/** √det of a symmetric positive semidefinite matrix by its Cholesky factor; 0 where it is singular. */
function rootDeterminant(G: Float64Array, q: number): number {
  let root = 1;
  for (let k = 0; k < q; k++) {
    const pivot = G[k * q + k]!;
    if (!(pivot > 0)) return 0;
    root *= Math.sqrt(pivot);
    for (let i = k + 1; i < q; i++) {
      const factor = G[i * q + k]! / pivot;
      for (let j = k + 1; j < q; j++) G[i * q + j]! -= factor * G[k * q + j]!;
    }
  }
  return root;
}

function pointAt(latents: Matrix, place: LatentPlace, caller: string): Float64Array {
  if (typeof place === 'number') {
    if (Number.isInteger(place) && place >= 0 && place < latents.rows) return Float64Array.from(latents.row(place));
    throw new InvalidInputError(
      `${caller} takes the number of a point from 0 to ${latents.rows - 1}, but ${describe(place)} was given.`,
    );
  }
  const point = Float64Array.from(givenList(place, caller, `points of ${latents.columns} numbers`));
  if (point.length === latents.columns && point.every(Number.isFinite)) return point;
  throw new InvalidInputError(
    `${caller} takes points of ${latents.columns} finite numbers, but ${describe(place)} was given.`,
  );
}

/** Equally spaced points on the geodesic between two latents. */
export function geodesicPoints(
  posterior: Pick<AnyPosterior, 'latents' | 'fitted' | 'variables' | 'mapping'>,
  view: string | undefined,
  from: LatentPlace,
  to: LatentPlace,
  points: number,
): Matrix {
  return geometryOf(surfaceOf(posterior, view, 'interpolate')).geodesic(from, to, { points }).latents;
}
