import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import { nearestOf } from '../../../engine/neighbours/nearest.ts';
import { squaredDistances } from '../../../engine/neighbours/squaredDistance.ts';
import type { Projection } from '../../../model/posterior.ts';
import type { NeighbourhoodOptions } from '../neighbourhood/neighbourhood.ts';
import type { NeighbourInput } from '../neighbourhood/neighbourLengths.ts';

/** Distances of a new row to the N points of a fit. */
export type DistancesTo = (row: Float64Array, number: number) => Float64Array;

/**
 * Distances from new rows to the points: Euclidean ones from rows of D observations, or the row itself where distances were given.
 *
 * @throws InvalidInputError for a given distance below 0
 */
export function distancesTo({ points, input }: NeighbourInput): DistancesTo {
  const { data, rows: N, columns: D } = points;
  if (input === 'points') {
    return (row) => {
      const squares = new Float64Array(N);
      squaredDistances(row, 0, data, 0, D, N, squares);
      return squares.map(Math.sqrt);
    };
  }
  return (row, number) => {
    const bad = row.findIndex((distance) => distance < 0);
    if (bad < 0) return row;
    throw new InvalidInputError(
      `Row ${number} of Y holds the distances of a new point to the ${N} points of the fit, but the one to point ${bad} is ${row[bad]}. Give distances from 0.`,
    );
  };
}

/** The k nearest of some points by their distances, or those within the radius, and where there are none the nearest. */
export function nearRows(distances: Float64Array, { neighbours, radius }: NeighbourhoodOptions): Int32Array {
  const near = nearestOf(distances, Math.min(neighbours ?? 1, distances.length));
  if (radius === undefined || distances[near[0]!]! > radius) return near;
  return Int32Array.from(distances.keys()).filter((n) => distances[n]! <= radius);
}

/** Some rows of a matrix, in the order asked for. */
export function rowsOf({ data, columns }: Matrix, rows: ArrayLike<number>): Matrix {
  const chosen = Matrix.zeros(rows.length, columns);
  for (let place = 0; place < rows.length; place++) {
    const i = rows[place]!;
    chosen.data.set(data.subarray(i * columns, (i + 1) * columns), place * columns);
  }
  return chosen;
}

/** Places every row for itself, by `placeRow` into q numbers; without a density. */
export function placedRows(
  Y: Matrix,
  q: number,
  placeRow: (row: Float64Array, number: number, place: Float64Array) => void,
): Projection {
  const latents = Matrix.zeros(Y.rows, q);
  for (let i = 0; i < Y.rows; i++) placeRow(Y.row(i), i, latents.data.subarray(i * q, (i + 1) * q));
  return { latents, logDensity: new Float64Array(Y.rows).fill(Number.NaN) };
}
