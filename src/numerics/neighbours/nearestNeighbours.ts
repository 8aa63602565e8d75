import { InvalidInputError } from '../../core/errors.ts';
import { completed } from '../../core/inParts.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { boundsAreFinite } from './distanceBounds.ts';
import { productSearch } from './productSearch.ts';
import { queriedPoints, searchedPoints } from './searchedPoints.ts';
import { partLookedAt, type SearchAll, treeSearch } from './treeSearch.ts';

/** Row i holds the k neighbours of point i, nearest first. */
export interface Neighbours {
  /** n×k, row by row: row numbers of the neighbours. */
  readonly indices: Int32Array;
  /** n×k, row by row: Euclidean distances to them. */
  readonly distances: Float64Array;
}

/** Columns up to which a tree is taken without looking: it skips enough, or there is little to compute. */
const FEW_COLUMNS = 15;
/** The part that a sample looks at from which on products are faster than a tree: of other points, and of pairs, which they compute once for both. */
const MOST_LOOKED_AT = 0.12;
const LOOKED_AT_FOR_PAIRS = 0.04;

/**
 * The k nearest neighbours of every point, exactly: ordered by ‖y_i − y_j‖², and by row where these are equal. A point is not
 * its own neighbour, but a duplicate of it is. A k-d tree finds them where it skips most of the points, blocks of products elsewhere.
 *
 * @param Y - N×D points
 * @param k - how many, 1 … N − 1 (up to N with `queries`)
 * @param options - `queries`: M×D other points whose neighbours among the rows of Y are searched instead
 * @returns N×k (M×k) indices and distances
 * @throws InvalidInputError when k is not in that range or an entry is not finite
 * @see Friedman, Bentley & Finkel, ACM TOMS 3 (1977)
 * @example
 * ```ts
 * nearestNeighbours([[0], [1], [3], [7]], 2).indices; // Int32Array [1, 2, 0, 2, 1, 0, 2, 1]
 * ```
 */
export function nearestNeighbours(
  Y: MatrixLike,
  k: number,
  options: { readonly queries?: MatrixLike } = {},
): Neighbours {
  const points = searchedPoints(Y, 'Y');
  const asked = queriedPoints(points, options.queries, 'queries');
  checkNearest(k, points.rows, asked === points);
  const indices = new Int32Array(asked.rows * k);
  const distances = new Float64Array(asked.rows * k);
  completed(exactSearch(points, asked, k).search(k, indices, distances));
  return { indices, distances };
}

/** Throws unless there are k neighbours. */
export function checkNearest(k: number, points: number, isOwn: boolean): void {
  const most = isOwn ? points - 1 : points;
  if (Number.isInteger(k) && k >= 1 && k <= most) return;
  throw new InvalidInputError(
    `${k} nearest neighbours among ${points} points were asked for: ask for a whole number from 1 to ${most}` +
      `${isOwn ? ', as a point is not its own neighbour' : ''}.`,
  );
}

/** The faster of both exact searches, and whether a tree would have to look at many of the points. */
export function exactSearch(
  points: Matrix,
  asked: Matrix,
  k: number,
): { readonly search: SearchAll; readonly isExhaustive: boolean } {
  const part = points.columns <= FEW_COLUMNS || !boundsAreFinite(points, asked) ? 0 : partLookedAt(points, asked, k);
  const isSkipping = part <= (asked === points ? LOOKED_AT_FOR_PAIRS : MOST_LOOKED_AT);
  return {
    search: isSkipping ? treeSearch(points, asked) : productSearch(points, asked),
    isExhaustive: part > MOST_LOOKED_AT,
  };
}
