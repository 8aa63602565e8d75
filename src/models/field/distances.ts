import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix } from '../../core/matrix.ts';
import { checkNumbers } from '../../core/observations.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import { edgeDistances } from '../../fields/density/edgeSquaredDistances.ts';
import { commonSquaredDistance, observedSquaredDistances } from '../../fields/observed/commonEntries.ts';
import { covariance } from '../../kernels/covariance.ts';
import type { Kernel } from '../../kernels/kernel.ts';

/** Distance φ between points: squared Euclidean ('squared'), Euclidean ('plain'), or a kernel's distance k_ii + k_jj − 2k_ij. */
export type Distances = 'squared' | 'plain' | Kernel;

/** Distances φ between points; missing entries (NaN) are replaced by the mean over common entries. */
export interface PointDistances {
  /** Distances along the edges of a graph, one per edge. */
  along(points: Matrix, graph: Graph): Float64Array;
  between(points: Matrix, i: number, j: number): number;
  /** Distances between a new row and every point. */
  to(points: Matrix): (row: Float64Array) => Float64Array;
}

export const squaredDistances: PointDistances = {
  along: (points, graph) =>
    points.data.some(Number.isNaN)
      ? Float64Array.from(graph.sources, (i, e) => commonSquaredDistance(points, i, graph.targets[e]!))
      : edgeDistances(points, graph),
  between: commonSquaredDistance,
  to: observedSquaredDistances,
};

const plainDistances: PointDistances = {
  along: (points, graph) => squaredDistances.along(points, graph).map(Math.sqrt),
  between: (points, i, j) => Math.sqrt(squaredDistances.between(points, i, j)),
  to: (points) => {
    const squared = squaredDistances.to(points);
    return (row) => squared(row).map(Math.sqrt);
  },
};

/** Squared distance between equal points that may remain by rounding, relative to their variances. */
const ROUNDING = 1e-12;

const kernelDistances = (kernel: Kernel): PointDistances => ({
  along: (points, { sources, targets }) => {
    const K = covariance(kernel, points);
    return Float64Array.from(sources, (i, e) => distanceIn(K, i, targets[e]!));
  },
  between: (points, i, j) => distanceIn(covariance(kernel, Matrix.from([points.row(i), points.row(j)])), 0, 1),
  to: (points) => {
    let variances: Float64Array | undefined;
    const varianceOf = (row: Float64Array) => covariance(kernel, new Matrix(row, 1, row.length)).data[0]!;
    return (row) => {
      const point = checkNumbers(new Matrix(row, 1, row.length), 'A row to place by the distances of a kernel');
      variances ??= Float64Array.from({ length: points.rows }, (_, j) => varianceOf(points.row(j)));
      const own = varianceOf(row);
      return covariance(kernel, point, points).data.map((across, j) => Math.max(0, own + variances![j]! - 2 * across));
    };
  },
});

function distanceIn(K: Matrix, i: number, j: number): number {
  const distance = K.at(i, i) + K.at(j, j) - 2 * K.at(i, j);
  // Below 0 by more than rounding, the function is not a kernel, and the field reports it.
  return Math.abs(distance) <= ROUNDING * (K.at(i, i) + K.at(j, j)) ? Math.max(0, distance) : distance;
}

/** @throws InvalidInputError for other values */
export function distancesOf(given: unknown, name: string): PointDistances {
  if (given === 'squared') return squaredDistances;
  if (given === 'plain') return plainDistances;
  if (typeof given === 'object' && given !== null) return kernelDistances(given as Kernel);
  throw new InvalidInputError(
    `Option 'distances' of ${name} must be 'squared', 'plain' or a kernel, but ${describe(given)} was given.`,
  );
}
