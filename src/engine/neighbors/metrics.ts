import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { completed, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { counted } from '../../core/wording.ts';
import { type FoundNeighbors, neighborsInParts } from './approximateNeighbors.ts';
import { Nearest } from './nearest.ts';
import { checkNearest, type Neighbors, nearestNeighbors } from './nearestNeighbors.ts';

/**
 * Distance between rows y and z: 'euclidean', ‖y − z‖; 'cosine', 1 − yᵀz/(‖y‖·‖z‖); 'correlation', the same after subtracting the rows' means;
 * 'hamming', the fraction of entries that differ; 'precomputed': the rows contain the distances to all points.
 */
export type Metric = 'euclidean' | 'cosine' | 'correlation' | 'hamming' | 'precomputed';

/** A Euclidean search in place of a search by another metric: the points to search, and the conversion of its distances. */
interface SearchedPoints {
  readonly points: Matrix;
  distance(found: number): number;
}

/**
 * Points whose Euclidean distances are an increasing function of a metric; undefined for a metric without such points.
 *
 * @throws InvalidInputError for a row without direction
 */
function asEuclidean(points: Matrix, metric: Metric): SearchedPoints | undefined {
  if (metric === 'euclidean') return { points, distance: (d) => d };
  if (metric !== 'cosine' && metric !== 'correlation') return undefined;
  // For rows of unit length 1 − cos is half the squared distance.
  return { points: unitRows(points, metric), distance: (d) => 0.5 * square(d) };
}

function unitRows({ data, rows, columns }: Matrix, metric: 'cosine' | 'correlation'): Matrix {
  const unit = data.slice();
  for (let i = 0; i < rows; i++) {
    const row = unit.subarray(i * columns, (i + 1) * columns);
    const mean = metric === 'cosine' ? 0 : row.reduce((sum, entry) => sum + entry, 0) / columns;
    for (let j = 0; j < columns; j++) row[j]! -= mean;
    const length = Math.sqrt(row.reduce((sum, entry) => sum + square(entry), 0));
    if (!(length > 0)) {
      throw new InvalidInputError(
        `Row index ${i} is ${metric === 'cosine' ? '0 throughout' : 'constant'}, so it has no direction that metric '${metric}' could compare. Leave it out, or take another metric.`,
      );
    }
    for (let j = 0; j < columns; j++) row[j]! /= length;
  }
  return new Matrix(unit, rows, columns);
}

/** Largest rounding error of distances in single precision, relative to the largest distance. */
const ROUNDING = 2 ** -20;

/** Precomputed distances, and a note about rounding. */
interface GivenDistances {
  /** N×N, symmetric, 0 on the diagonal. */
  readonly distances: Matrix;
  /** '', or a sentence that begins with a space. */
  readonly note: string;
}

/**
 * Checks precomputed distances and removes rounding errors of single precision: distances from a point to itself and negative ones become 0, and both
 * directions are averaged, provided that the change is less than a millionth of the largest distance.
 *
 * @param caller - name in messages, such as "metric 'precomputed' of umap"
 * @throws InvalidInputError unless they are N×N, N ≥ 2, finite, not negative, symmetric, and 0 from each point to itself
 */
export function givenDistances(given: Matrix, caller: string): GivenDistances {
  const { data, rows: N, columns } = given;
  if (N !== columns || N < 2) {
    throw new InvalidInputError(`${caller} takes distances as an N×N matrix, N ≥ 2, but it is ${N}×${columns}.`);
  }
  const tolerance = ROUNDING * data.reduce((most, entry) => (entry > most ? entry : most), 0);
  const bad = data.findIndex((entry) => !(entry >= -tolerance && entry < Infinity));
  if (bad >= 0) {
    throw new InvalidInputError(
      `Distances are finite numbers from 0, but entry [${Math.floor(bad / N)}][${bad % N}] of ${caller} is ${data[bad]}. ` +
        'Give a distance between every two points; 1 − s makes one of a similarity s up to 1.',
    );
  }
  const distances = new Matrix(data.slice(), N, N);
  let changed = 0;
  for (let i = 0; i < N; i++) {
    const own = data[i * (N + 1)]!;
    if (Math.abs(own) > tolerance) {
      throw new InvalidInputError(
        `The distance of point index ${i} to itself (entry [${i}][${i}]) is ${own}, not 0. Give ${caller} distances, not similarities.`,
      );
    }
    if (own !== 0) changed++;
    distances.data[i * (N + 1)] = 0;
    for (let j = 0; j < i; j++) {
      const [d, back] = [data[i * N + j]!, data[j * N + i]!];
      if (d === back && d >= 0) continue;
      if (Math.abs(d - back) > tolerance) {
        throw new InvalidInputError(
          `Distances are symmetric, but entry [${j}][${i}] of ${caller} is ${back} and entry [${i}][${j}] is ${d}. ` +
            'Take their means, if both are measurements of one distance.',
        );
      }
      const mean = Math.max(0, (d + back) / 2);
      distances.data[i * N + j] = mean;
      distances.data[j * N + i] = mean;
      changed++;
    }
  }
  const note =
    changed === 0
      ? ''
      : ` Rounding is removed from ${counted(changed, 'distance')}: distances from a point to itself are 0, and both directions get their mean.`;
  return { distances, note };
}

/** The k nearest others of every point by a metric, with pauses: exact, or by descent for many points as in `neighborsBy`. */
export function* metricNeighborsInParts(metric: Metric, Y: Matrix, k: number): ProgressiveWork<FoundNeighbors> {
  const euclidean = asEuclidean(Y, metric);
  if (euclidean === undefined) {
    checkNearest(k, Y.rows, true);
    return yield* comparedRows(metric as Compared, Y, Y, k);
  }
  const found = yield* neighborsInParts('auto', euclidean.points, k);
  return { ...found, distances: found.distances.map(euclidean.distance) };
}

/** The k nearest points to other rows by a metric, exactly. */
export function metricNeighborsOf(metric: Metric, points: Matrix, k: number, queries: Matrix): Neighbors {
  const euclidean = asEuclidean(points, metric);
  if (euclidean === undefined) {
    checkNearest(k, points.rows, false);
    return completed(comparedRows(metric as Compared, points, queries, k));
  }
  const asked = asEuclidean(queries, metric)!;
  const found = nearestNeighbors(euclidean.points, k, { queries: asked.points });
  return { ...found, distances: found.distances.map(euclidean.distance) };
}

type Compared = 'hamming' | 'precomputed';
/** Number of rows compared between two pauses. */
const ROWS = 64;

function* comparedRows(metric: Compared, points: Matrix, asked: Matrix, k: number): ProgressiveWork<Neighbors> {
  const { rows: N, columns: D } = points;
  const found = { indices: new Int32Array(asked.rows * k), distances: new Float64Array(asked.rows * k) };
  const nearest = new Nearest(k);
  for (let i = 0; i < asked.rows; i++) {
    if (i % ROWS === 0) yield i / asked.rows;
    for (let j = 0; j < N; j++) {
      if (asked === points && j === i) continue;
      const distance =
        metric === 'precomputed' ? asked.data[i * N + j]! : differing(asked.data, i * D, points.data, j * D, D) / D;
      if (distance < nearest.worst) nearest.offer(distance, j);
    }
    nearest.drain(found.indices, found.distances, i * k);
  }
  // `drain` returns the square roots of the offered values.
  for (let p = 0; p < found.distances.length; p++) {
    const i = Math.floor(p / k);
    const j = found.indices[p]!;
    found.distances[p] =
      metric === 'precomputed' ? asked.data[i * N + j]! : differing(asked.data, i * D, points.data, j * D, D) / D;
  }
  return found;
}

function differing(a: Float64Array, from: number, b: Float64Array, start: number, count: number): number {
  let different = 0;
  for (let c = 0; c < count; c++) if (a[from + c] !== b[start + c]) different++;
  return different;
}
