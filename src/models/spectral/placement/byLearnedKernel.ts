import { square } from '../../../core/elementary/index.ts';
import type { Matrix } from '../../../core/matrix.ts';
import { gramWeights } from '../../../engine/graph/reconstructionWeights.ts';
import type { Projection } from '../../../model/posterior.ts';
import type { NeighbourhoodOptions } from '../neighbourhood/neighbourhood.ts';
import type { NeighbourInput } from '../neighbourhood/neighbourLengths.ts';
import { distancesTo, nearRows, placedRows } from './newRows.ts';

/** Part of the trace that is added to the diagonal of each Gram matrix, as for `lle`. */
const REGULARIZATION = 1e-3;

/**
 * Places every row by the weights of locally linear embedding that make it of its neighbours: k(y_*, ·) = Σ_j w_j·K_j·, and so x_* = Σ_j w_j·x_j.
 * The weights rest on distances, C_ab = ½(d²_*a + d²_*b − d²_ab). A row in the very place of a point has its latents.
 *
 * @param latents - of the points that are shown, in that order
 * @throws NumericalError when the distances between a row and its neighbours are far from Euclidean
 */
export function placedByLearnedKernel(
  latents: Matrix,
  shown: Int32Array,
  given: NeighbourInput,
  Y: Matrix,
  neighbourhood: NeighbourhoodOptions,
): Projection {
  const { columns: q, data: X } = latents;
  const gramOf = gram(given);
  const distancesOf = distancesTo(given);
  return placedRows(Y, q, (row, number, place) => {
    const all = distancesOf(row, number);
    const distances = Float64Array.from(shown, (j) => all[j]!);
    const same = distances.indexOf(0);
    if (same >= 0) {
      place.set(latents.row(same));
      return;
    }
    const near = nearRows(distances, neighbourhood);
    const points = near.map((n) => shown[n]!);
    const C = Float64Array.from({ length: square(near.length) }, (_, p) =>
      gramOf(row, points[Math.floor(p / near.length)]!, points[p % near.length]!),
    );
    const weights = gramWeights(C, near.length, REGULARIZATION, () => `Row ${number} of Y`);
    near.forEach((n, a) => {
      for (let c = 0; c < q; c++) place[c]! += weights[a]! * X[n * q + c]!;
    });
  });
}

/** (y_* − y_a)ᵀ(y_* − y_b) of a row of observations, or of distances. */
function gram({ points, input }: NeighbourInput): (row: Float64Array, a: number, b: number) => number {
  const { data, columns: D } = points;
  if (input === 'distances') return (row, a, b) => 0.5 * (square(row[a]!) + square(row[b]!) - square(points.at(a, b)));
  return (row, a, b) => {
    let sum = 0;
    for (let d = 0; d < D; d++) sum += (row[d]! - data[a * D + d]!) * (row[d]! - data[b * D + d]!);
    return sum;
  };
}
