import { Matrix } from '../../core/matrix.ts';
import { stacked } from '../../core/rowMatrices.ts';
import type { Prediction } from '../../model/posterior.ts';
import type { PlaceMode } from './modes.ts';

/** Entries of the predictions that are held at a time: 8 MiB a matrix of them. */
const MOST_ENTRIES = 2 ** 20;

/** Predictions by the names of variables. */
export type PredictionsByName = Readonly<Record<string, Prediction>>;

/**
 * Mean and variance of observations over what is known of the places of their rows: E[m(x)] and E[v(x)] + Var[m(x)] over the mixture, by the spherical
 * cubature rule x_m ± √q·a_e of each Gaussian (a_e its axes), which is exact where m² + v is a cubic polynomial. It carries the slope and the bend of the
 * mapping: Var[y] = σ² + v(x*) + JΣJᵀ to first order.
 *
 * @param places - of each row; rows without any keep their predictions
 * @param at - predictions where the rows lie
 * @param predict - predictions at points, each of the row of that number
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
      .flatMap((row) => places[row]!.flatMap((place) => nodesOf(place, row)));
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

/** A point at which predictions are made, and how much it counts. */
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
