import { exp, log } from '../core/elementary/index.ts';
import { Matrix } from '../core/matrix.ts';
import { rowsOf, stacked } from '../core/rowMatrices.ts';
import { symmetricEigenpairs } from '../engine/dense/eigenpairs.ts';
import type { Mapping, PlaceMode, Prediction } from '../model/posterior.ts';
import { hessiansAt, STEP } from './localCoordinates.ts';
import type { Search } from './projectionSearch.ts';

/** Entries of the predictions that are held at a time: 8 MiB a matrix of them. */
const MOST_ENTRIES = 2 ** 20;

/**
 * What is known of the places of rows: log p(x*|y*) of each as a mixture of Gaussians, one at every maximum x_m that a search found, with
 * Σ_m = (−∂² log p(x|y*))⁻¹ there and weights ∝ p(x_m|y*)·|Σ_m|^½ (Laplace's approximation).
 *
 * A direction in which the density is flat, as a likelihood without a prior may be, is known as far as the fitted points reach: no standard deviation exceeds
 * `reach`.
 *
 * @param density - of rows of Y at points, with its gradient
 * @param found - the maxima of each row of Y, the best first
 * @param length - a distance between neighbors
 * @param reach - the largest standard deviation
 */
export function* placeModes(
  density: NonNullable<Mapping['predictiveDensity']>,
  Y: Matrix,
  found: readonly (readonly Search[])[],
  length: number,
  reach: number,
): Generator<void, PlaceMode[][], void> {
  const all = found.flat();
  const q = all[0]!.point.length;
  const own = rowsOf(
    Y,
    all.map(({ row }) => row),
  );
  const hessians = yield* hessiansAt(
    (points) => density(stacked(points, q), own).gradient,
    all.map(({ point }) => point),
    STEP * length,
  );
  let at = 0;
  return found.map((searches) => {
    const modes = searches.map(({ point, value }) => {
      const { axes, logVolume } = gaussianAxes(hessians[at++]!, reach);
      return { point, axes, logWeight: logVolume - value };
    });
    const most = Math.max(...modes.map(({ logWeight }) => logWeight));
    const weights = modes.map(({ logWeight }) => exp(logWeight - most));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return modes.map(({ point, axes }, m) => ({ point, axes, weight: weights[m]! / total }));
  });
}

/** The axes of the Gaussian with the curvature of a log density, and log |Σ|^½. */
function gaussianAxes(hessian: Matrix, reach: number): { axes: Matrix; logVolume: number } {
  const q = hessian.rows;
  const axes = Matrix.zeros(q, q);
  if (!hessian.data.every(Number.isFinite)) return { axes, logVolume: Number.NEGATIVE_INFINITY };
  const { values, vectors } = symmetricEigenpairs(hessian);
  let logVolume = 0;
  values.forEach((value, e) => {
    const size = Math.min(reach, 1 / Math.sqrt(Math.max(0, -value)));
    logVolume += log(size);
    for (let d = 0; d < q; d++) axes.data[e * q + d] = size * vectors.at(d, e);
  });
  return { axes, logVolume };
}

/** Variances of the latents of each row, n×q: those of the Gaussian at its best maximum. */
export function modeVariances(places: readonly (readonly PlaceMode[])[], q: number): Matrix {
  const variances = Matrix.zeros(places.length, q);
  places.forEach((modes, i) => {
    modes[0]!.axes.data.forEach((entry, index) => {
      variances.data[i * q + (index % q)]! += entry * entry;
    });
  });
  return variances;
}

/**
 * Predictions of rows whose places are known so far only.
 *
 * @param at - predictions where the rows lie, which those without modes keep
 * @param predict - predictions at points, each of the row of that number
 */
export function predictedOverPlaces(
  modes: readonly (readonly PlaceMode[])[],
  at: Prediction,
  predict: (X: Matrix, rows: readonly number[]) => Prediction,
): Prediction {
  const uncertain = Array.from(modes.keys()).filter((row) => modes[row]!.length > 0);
  const over = predictedOver(
    uncertain.map((row) => modes[row]!),
    (X, rows) =>
      predict(
        X,
        rows.map((row) => uncertain[row]!),
      ),
    at.mean.columns,
  );
  return withRows(at, uncertain, over);
}

/**
 * Mean and variance of observations whose places are known so far only: E[m(x)] and E[v(x)] + Var[m(x)] over the mixture, by the spherical
 * cubature rule x_m ± √q·a_e of each Gaussian (a_e its axes), which is exact where m² + v is a cubic polynomial. It carries the slope and the bend of the
 * mapping: Var[y] = σ² + v(x*) + JΣJᵀ to first order.
 *
 * @param predict - predictions at points, each in the place of the row of this number
 * @param columns - number of columns that are predicted
 * @see Arasaratnam & Haykin, Cubature Kalman filters (2009), eq. 21
 */
function predictedOver(
  places: readonly (readonly PlaceMode[])[],
  predict: (X: Matrix, rows: readonly number[]) => Prediction,
  columns: number,
): Prediction {
  const mean = Matrix.zeros(places.length, columns);
  const variance = Matrix.zeros(places.length, columns);
  if (places.length === 0) return { mean, variance };
  const q = places[0]![0]!.point.length;
  const perRow = 2 * q * Math.max(1, ...places.map((modes) => modes.length));
  const rowsAtOnce = Math.max(1, Math.floor(MOST_ENTRIES / (perRow * columns)));
  for (let from = 0; from < places.length; from += rowsAtOnce) {
    const block = places.slice(from, from + rowsAtOnce);
    const nodes = block.flatMap((modes, r) => modes.flatMap((mode) => nodesOf(mode, from + r)));
    const found = predict(
      stacked(
        nodes.map(({ point }) => point),
        q,
      ),
      nodes.map(({ row }) => row),
    );
    nodes.forEach(({ row, weight }, k) => {
      for (let j = 0; j < columns; j++) {
        const m = found.mean.at(k, j);
        mean.data[row * columns + j]! += weight * m;
        variance.data[row * columns + j]! += weight * found.variance.at(k, j);
      }
    });
    // Around the mean: differences of squares would lose the digits of columns that are far from 0.
    nodes.forEach(({ row, weight }, k) => {
      for (let j = 0; j < columns; j++) {
        const apart = found.mean.at(k, j) - mean.at(row, j);
        variance.data[row * columns + j]! += weight * apart * apart;
      }
    });
  }
  return { mean, variance };
}

/** Predictions with some rows in place of their own. */
function withRows(predicted: Prediction, rows: readonly number[], given: Prediction): Prediction {
  const [mean, variance] = [Matrix.from(predicted.mean), Matrix.from(predicted.variance)];
  rows.forEach((row, r) => {
    mean.data.set(given.mean.row(r), row * mean.columns);
    variance.data.set(given.variance.row(r), row * mean.columns);
  });
  return { ...predicted, mean, variance };
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
