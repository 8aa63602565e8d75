import type { Matrix } from '../../core/matrix.ts';
import { stacked } from '../../core/rowMatrices.ts';
import type { PredictiveDensity } from '../../model/posterior.ts';
import { minimizeBatch } from '../minimize/minimizeBatch.ts';
import { lbfgs } from '../solvers/lbfgs.ts';
import { localCoordinates, scaledIdentity } from './localCoordinates.ts';

/** How the latents of new observations are looked for. */
export interface ProjectionSettings {
  /** Largest number of training latents from which the search for a row starts. */
  readonly starts: number;
  readonly maxIterations: number;
  /** Largest entry of the gradient at which a search has converged, in coordinates in which the curvature there is about 1. */
  readonly tolerance: number;
}

/** Log density of rows, by their numbers, at points. With `isRough` a quick approximation will do: searches begin with it. */
export type DensityOfRows = (X: Matrix, rows: readonly number[], isRough?: boolean) => PredictiveDensity;

/** How many of a row's searches go on by the approximation, and for how many iterations each time: those that have come furthest. */
const ROUNDS = [
  { searches: Number.POSITIVE_INFINITY, iterations: 3 },
  { searches: 6, iterations: 6 },
  { searches: 4, iterations: 30 },
];

/** Number of searches that the density itself finishes: their ends are the modes of a row. */
const FINISHED = 4;

/** A search that is further behind the best one after the rounds is given up: the approximation is wrong by less. */
const BEHIND = 4;

/** Tolerance on gradients of searches on the approximation, in units of length. */
const ROUGH_TOLERANCE = 1e-3;

/** Searches closer than this many lengths have come to one maximum. */
const SAME = 0.1;

/** Searches that began at peaks and go on beside those that have come furthest: these may all be on their way to one maximum. */
const PEAKS = 2;

/** Start points of the searches for one row. */
export interface RowStarts {
  /** At least one, the peaks first: those that are likelier than the points near them. */
  readonly points: readonly Float64Array[];
  readonly peaks: number;
}

/** A search for one row's latents. */
export interface Search {
  readonly row: number;
  /** Whether it began at a peak. */
  readonly isOfPeak: boolean;
  readonly point: Float64Array;
  /** Minus the log density there. */
  readonly value: number;
}

/**
 * The best points of each row, the best first. All of a row's searches take a few steps, the farthest of those some more, and the best of these continue, by an
 * approximation of the density if the mapping has one; those that are not far behind the density itself takes to the end. In each round the best two that began at other peaks go
 * along, so that a maximum with few starts near it is not lost to one with many. Pauses after every evaluation.
 *
 * @param starts - of each row
 * @param length - a distance between training latents that are neighbors
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
      true,
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
  searches = yield* descended(false, searches, (k) => coordinates[k]!, maxIterations, tolerance);
  const found = starts.map((): Search[] => []);
  for (const search of searches) found[search.row]!.push(search);
  return found.map((own) => furthest(own, FINISHED, SAME * length));

  function gradientsAt(own: readonly Search[], points: readonly Float64Array[]): Matrix {
    return density(
      stacked(points, q),
      own.map(({ row }) => row),
      true,
    ).gradient;
  }

  /** Each search taken on in coordinates z of its own, x = x₀ + z·T. */
  function* descended(
    isRough: boolean,
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
        const { posterior, gradient } = density(latents, rows, isRough);
        return {
          values: posterior.map((sum) => (Number.isFinite(sum) ? -sum : Number.NaN)),
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

/** x₀ + z·T. */
function moved(from: Float64Array, z: Float64Array, T: Matrix): Float64Array {
  return from.map((entry, d) => z.reduce((sum, own, e) => sum + own * T.at(e, d), entry));
}

/** Minus the gradient, in z. */
function pulledBack(gradient: Float64Array, T: Matrix): Float64Array {
  return Float64Array.from(gradient, (_, e) => -gradient.reduce((sum, own, d) => sum + own * T.at(e, d), 0));
}

function ofEachRow(searches: readonly Search[], pick: (own: readonly Search[]) => Search[]): Search[] {
  const rows = new Map<number, Search[]>();
  for (const search of searches) rows.set(search.row, [...(rows.get(search.row) ?? []), search]);
  return [...rows.values()].flatMap(pick);
}

/** The searches of smallest value that are apart from each other and from those that are kept already, at most as many as asked for; those without a value last. */
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
