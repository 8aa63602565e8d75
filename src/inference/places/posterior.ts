import { Matrix } from '../../core/matrix.ts';
import { columnsByName } from '../../core/rowMatrices.ts';
import type { PlacePosterior, Projection } from '../../model/posterior.ts';
import type { RowModel, RowsByName } from '../../model/rowModel.ts';
import type { PlacedRows } from './placedRows.ts';
import type { WeightedPlaces } from './weighted.ts';

/**
 * Densities of rows whose positions are searched, and the moments of their positions. Rows whose latents are computed from their observations have no
 * uncertainty: only the density at their position is defined.
 *
 * @param values - values of the latent variables at the positions
 * @param atPlace - log p(y*|x*) at the positions
 */
export async function posteriorOfPlaces(
  { latents, shown, isNormalized }: RowModel,
  values: RowsByName,
  atPlace: Float64Array,
  weighted: PlacedRows['weighted'],
): Promise<Pick<Projection, 'logDensity' | 'logDensityAtPlace' | 'posterior'>> {
  const isSearched = latents.some(({ name }) => name === shown);
  const all = weighted === undefined ? undefined : await weighted();
  const each = (of: (own: WeightedPlaces) => number) =>
    Float64Array.from(atPlace, (_, i) => (all?.[i] === undefined ? Number.NaN : of(all[i])));
  return {
    logDensity: each(({ logDensity }) => (isNormalized ? logDensity : Number.NaN)),
    logDensityAtPlace: atPlace,
    ...(all !== undefined &&
      isSearched && {
        posterior: {
          ...momentsOf(all, values[shown]!, (X) => columnsByName(X, latents)[shown]!),
          logDensityError: each(({ logDensityError }) => (isNormalized ? logDensityError : Number.NaN)),
          effectiveSize: each(({ effectiveSize }) => effectiveSize),
        },
      }),
  };
}

/** Mean and covariance of the shown variable over the weighted points of each row. */
function momentsOf(
  all: readonly (WeightedPlaces | undefined)[],
  at: Matrix,
  shownOf: (X: Matrix) => Matrix,
): Pick<PlacePosterior, 'mean' | 'covariances'> {
  const mean = Matrix.from(at);
  const q = at.columns;
  const covariances = all.map((own, i) => {
    const covariance = Matrix.zeros(q, q);
    if (own === undefined) return covariance;
    const points = own.places.map(({ point, weight, axes }) => ({
      weight,
      x: shownOf(new Matrix(point, 1, point.length)).row(0),
      axes: shownOf(axes),
    }));
    for (let d = 0; d < q; d++) mean.data[i * q + d] = points.reduce((sum, { weight, x }) => sum + weight * x[d]!, 0);
    for (const { weight, x, axes } of points) {
      for (let d = 0; d < q; d++) {
        for (let e = 0; e < q; e++) {
          const apart = (x[d]! - mean.at(i, d)) * (x[e]! - mean.at(i, e));
          const extent = axes.column(d).reduce((sum, entry, a) => sum + entry * axes.at(a, e), 0);
          covariance.data[d * q + e]! += weight * (apart + extent);
        }
      }
    }
    return covariance;
  });
  return { mean, covariances };
}
