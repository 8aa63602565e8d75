import { NumericalError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { joinedRows, rowsBetween, stacked } from '../../core/rowMatrices.ts';
import { scaledIdentity } from '../../engine/dense/symmetric.ts';
import type { Accuracy, PredictiveDensity } from '../../model/posterior.ts';
import { minimizeBatch } from '../minimize/minimizeBatch.ts';
import { lbfgs } from '../solvers/lbfgs.ts';
import { localCoordinates } from './localCoordinates.ts';

/** Settings of the search for latents of new observations. */
export interface ProjectionSettings {
  /** Maximum number of training latents that start the search for a row. */
  readonly starts: number;
  readonly maxIterations: number;
  /** Largest entry of the gradient at which a search has converged, in coordinates with a curvature of about 1. */
  readonly tolerance: number;
}

/**
 * Log density of rows, by number, at points: rough for the first part of a search, by default exact. With `isValue` the gradient is not computed.
 */
export type DensityOfRows = (
  X: Matrix,
  rows: readonly number[],
  accuracy?: Accuracy,
  isValue?: boolean,
) => PredictiveDensity;

/** Number of a row's searches that continue with the approximation in each round, and their iterations: the best ones continue. */
const ROUNDS = [
  { searches: Number.POSITIVE_INFINITY, iterations: 3 },
  { searches: 6, iterations: 6 },
  { searches: 4, iterations: 30 },
];

/** Number of searches that finish with the exact density: their ends are the modes of a row. */
const FINISHED = 4;

/** Searches that are further behind the best after the rounds are dropped: the error of the approximation is smaller. */
const BEHIND = 4;

/** Tolerance on gradients of searches with the approximation, in units of length. */
const ROUGH_TOLERANCE = 1e-3;

/** Searches closer than this many lengths have reached the same maximum. */
const SAME = 0.1;

/** Number of searches from other peaks that continue along with the best ones, which may all be approaching the same maximum. */
const PEAKS = 2;

/** Starting points of the searches for one row. */
export interface RowStarts {
  /** At least one point, peaks first: points that are likelier than their neighbors. */
  readonly points: readonly Float64Array[];
  readonly peaks: number;
}

/** A search for one row's latents. */
export interface Search {
  readonly row: number;
  /** True if the search began at a peak. */
  readonly isOfPeak: boolean;
  readonly point: Float64Array;
  /** Negative log density at the current point. */
  readonly value: number;
}

/**
 * Best points of each row, best first. All searches of a row take a few steps, the best of them some more, and the best of those continue, with an
 * approximation of the density if the mapping has one; those close to the best are finished with the exact density. Each round also keeps the best
 * two searches from other peaks, so that a maximum with few starting points near it is not missed. Pauses after every evaluation.
 *
 * @param starts - starting points of each row
 * @param length - typical distance between neighboring training latents
 */
export function* projectionSearch(
  density: DensityOfRows,
  starts: readonly RowStarts[],
  length: number,
  { maxIterations, tolerance }: ProjectionSettings,
): Generator<void, Search[][], void> {
  const q = starts[0]!.points[0]!.length;
  const unscaled = scaledIdentity(q, length);
  let searches = starts.flatMap(({ points, peaks }, row) =>
    points.map((point, k): Search => ({ row, isOfPeak: k < peaks, point, value: Number.NaN })),
  );
  for (const round of ROUNDS) {
    searches = ofEachRow(searches, (own) => {
      const best = furthest(own, round.searches, SAME * length);
      const peaks = own.filter((search) => search.isOfPeak && !best.includes(search));
      return furthest(peaks, best.length + PEAKS, SAME * length, best);
    });
    searches = yield* descended(
      'rough',
      searches,
      () => unscaled,
      Math.min(round.iterations, maxIterations),
      ROUGH_TOLERANCE,
    );
  }
  searches = ofEachRow(searches, (own) => {
    const [best, ...others] = furthest(own, FINISHED, SAME * length);
    return [best!, ...others.filter(({ value }) => value <= best!.value + BEHIND)];
  });
  const coordinates = yield* localCoordinates(
    (points) => gradientsAt(searches, points),
    searches.map(({ point }) => point),
    length,
  );
  searches = yield* descended(undefined, searches, (k) => coordinates[k]!, maxIterations, tolerance);
  const found = starts.map((): Search[] => []);
  for (const search of searches) found[search.row]!.push(search);
  return found.map((own) => furthest(own, FINISHED, SAME * length));

  function gradientsAt(own: readonly Search[], points: readonly Float64Array[]): Matrix {
    return density(
      stacked(points, q),
      own.map(({ row }) => row),
      'rough',
    ).gradient;
  }

  /** Advances each search in its local coordinates z, x = x₀ + z·T. */
  function* descended(
    accuracy: Accuracy | undefined,
    from: readonly Search[],
    coordinates: (search: number) => Matrix,
    iterations: number,
    near: number,
  ): Generator<void, Search[], void> {
    const at = (search: number, z: Float64Array) => moved(from[search]!.point, z, coordinates(search));
    const { points, values } = yield* minimizeBatch(
      (problems, asked) => {
        const latents = stacked(
          problems.map((problem, k) => at(problem, asked[k]!)),
          q,
        );
        const rows = problems.map((problem) => from[problem]!.row);
        const { posterior, gradient } = densityWhereDefined(density, latents, rows, accuracy);
        return {
          values: posterior.map((sum, k) => ([sum, ...gradient.row(k)].every(Number.isFinite) ? -sum : Number.NaN)),
          gradients: problems.map((problem, k) => pulledBack(gradient.row(k), coordinates(problem))),
        };
      },
      from.map(() => new Float64Array(q)),
      lbfgs(),
      { maxIterations: iterations, tolerance: near },
    );
    return from.map(({ row, isOfPeak }, k) => ({ row, isOfPeak, point: at(k, points[k]!), value: values[k]! }));
  }
}

/** NaN for rows at points where the density has no value, such as where a rate overflows: no other row is affected. */
function densityWhereDefined(
  density: DensityOfRows,
  X: Matrix,
  rows: readonly number[],
  accuracy: Accuracy | undefined,
): Pick<PredictiveDensity, 'posterior' | 'gradient'> {
  try {
    return density(X, rows, accuracy);
  } catch (error) {
    if (!(error instanceof NumericalError)) throw error;
    if (rows.length === 1) return { posterior: Float64Array.of(Number.NaN), gradient: Matrix.zeros(1, X.columns) };
    const middle = rows.length >> 1;
    const half = (from: number, to: number) =>
      densityWhereDefined(density, rowsBetween(X, from, to), rows.slice(from, to), accuracy);
    const [first, second] = [half(0, middle), half(middle, rows.length)];
    return {
      posterior: Float64Array.of(...first.posterior, ...second.posterior),
      gradient: joinedRows([first.gradient, second.gradient]),
    };
  }
}

/** x₀ + z·T. */
function moved(from: Float64Array, z: Float64Array, T: Matrix): Float64Array {
  return from.map((entry, d) => z.reduce((sum, own, e) => sum + own * T.at(e, d), entry));
}

/** Negative gradient with respect to z. */
function pulledBack(gradient: Float64Array, T: Matrix): Float64Array {
  return Float64Array.from(gradient, (_, e) => -gradient.reduce((sum, own, d) => sum + own * T.at(e, d), 0));
}

function ofEachRow(searches: readonly Search[], pick: (own: readonly Search[]) => Search[]): Search[] {
  const rows = new Map<number, Search[]>();
  for (const search of searches) rows.set(search.row, [...(rows.get(search.row) ?? []), search]);
  return [...rows.values()].flatMap(pick);
}

/** Searches of smallest value that are distinct from each other and from those already kept, at most `most`; those without a value are last. */
function furthest(
  searches: readonly Search[],
  count: number,
  apart: number,
  already: readonly Search[] = [],
): Search[] {
  const rank = ({ value }: Search) => (Number.isNaN(value) ? Number.POSITIVE_INFINITY : value);
  const kept = [...already];
  for (const search of [...searches].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))) {
    const isNew = kept.every(({ point }) => point.some((entry, d) => Math.abs(entry - search.point[d]!) > apart));
    if (kept.length < count && isNew) kept.push(search);
  }
  return kept;
}
