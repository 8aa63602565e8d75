import { Matrix } from '../../core/matrix.ts';
import { columnsByName, stacked } from '../../core/rowMatrices.ts';
import type { PlacePosterior, Prediction, Projection } from '../../model/posterior.ts';
import type { RowModel, RowsByName } from '../../model/rowModel.ts';
import type { PlaceMode } from './modes.ts';
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

/** Maximum number of entries of the predictions that are kept at a time: 8 MiB per matrix. */
const MOST_ENTRIES = 2 ** 20;

/** Points of a smaller weight are left out: what they change is less than the rounding of a sum over all. */
const LEAST_WEIGHT = 1e-18;

/** Predictions by variable name. */
export type PredictionsByName = Readonly<Record<string, Prediction>>;

/**
 * Mean and variance of observations over the posterior of their rows' positions: E[m(x)] and E[v(x)] + Var[m(x)] over the mixture, by the spherical
 * cubature rule x_m ± √q·a_e of each Gaussian with axes a_e, which is exact if m² + v is a cubic polynomial. It accounts for the slope and the
 * curvature of the mapping: Var[y] = σ² + v(x*) + JΣJᵀ to first order.
 *
 * @param places - posterior of each row's position; rows without one keep their predictions
 * @param at - predictions at the rows' positions
 * @param predict - predictions at points, one per row number
 * @see Arasaratnam & Haykin, Cubature Kalman filters (2009), eq. 21
 */
export function predictedOverPlaces(
  places: readonly (readonly PlaceMode[])[],
  at: PredictionsByName,
  predict: (X: Matrix, rows: readonly number[]) => PredictionsByName,
): PredictionsByName {
  const uncertain = Array.from(places.keys()).filter((row) => places[row]!.length > 0);
  if (uncertain.length === 0) return at;
  const found = Object.fromEntries(
    Object.entries(at).map(([name, { mean, variance }]) => {
      const [first, second] = [Matrix.from(mean), Matrix.from(variance)];
      for (const row of uncertain)
        for (const { data, columns } of [first, second]) data.fill(0, row * columns, (row + 1) * columns);
      return [name, { mean: first, variance: second }] as const;
    }),
  );
  const columns = Object.values(at).reduce((sum, { mean }) => sum + mean.columns, 0);
  const q = places[uncertain[0]!]![0]!.point.length;
  const perRow = 2 * q * Math.max(1, ...uncertain.map((row) => places[row]!.length));
  const rowsAtOnce = Math.max(1, Math.floor(MOST_ENTRIES / (perRow * columns)));
  for (let from = 0; from < uncertain.length; from += rowsAtOnce) {
    const nodes = uncertain
      .slice(from, from + rowsAtOnce)
      .flatMap((row) =>
        places[row]!.filter(({ weight }) => weight > LEAST_WEIGHT).flatMap((place) => nodesOf(place, row)),
      );
    const points = stacked(
      nodes.map(({ point }) => point),
      q,
    );
    const predicted = predict(
      points,
      nodes.map(({ row }) => row),
    );
    for (const [name, own] of Object.entries(found)) addNodes(own, predicted[name]!, nodes);
  }
  return found;
}

function addNodes({ mean, variance }: Prediction, at: Prediction, nodes: readonly Node[]): void {
  const { columns } = mean;
  nodes.forEach(({ row, weight }, k) => {
    for (let j = 0; j < columns; j++) {
      mean.data[row * columns + j]! += weight * at.mean.at(k, j);
      variance.data[row * columns + j]! += weight * at.variance.at(k, j);
    }
  });
  // Around the mean: differences of squares would lose the digits of columns that are far from 0.
  nodes.forEach(({ row, weight }, k) => {
    for (let j = 0; j < columns; j++) {
      const apart = at.mean.at(k, j) - mean.at(row, j);
      variance.data[row * columns + j]! += weight * apart * apart;
    }
  });
}

/** Point at which predictions are made, with its weight. */
interface Node {
  readonly row: number;
  readonly point: Float64Array;
  readonly weight: number;
}

function nodesOf({ point, axes, weight }: PlaceMode, row: number): Node[] {
  const q = point.length;
  if (axes.data.every((entry) => entry === 0)) return [{ row, point, weight }];
  return Array.from({ length: 2 * q }, (_, k) => {
    const step = (k % 2 === 0 ? 1 : -1) * Math.sqrt(q);
    const e = k >> 1;
    return { row, weight: weight / (2 * q), point: point.map((entry, d) => entry + step * axes.at(e, d)) };
  });
}
