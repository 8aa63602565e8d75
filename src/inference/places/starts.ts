import { log, square } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import { columnsByName, rowsOf } from '../../core/rowMatrices.ts';
import { nearestNeighbors } from '../../engine/neighbors/index.ts';
import type { Prediction } from '../../model/posterior.ts';
import type { RowModel, RowsByName } from '../../model/rowModel.ts';
import type { RowStarts } from './search.ts';

/** Number of neighboring fitted points among which the densest one represents the others. */
const NEIGHBORS = 4;
/** Maximum number of fitted points at which a row's density is evaluated, if it does not follow from predictions. */
const MOST_EVALUATED = 200;

/** Candidate starting points for new rows among the fitted points. */
export interface ProjectionStarts {
  /** Median distance from a fitted point to the nearest distinct one; 1 if there is none. */
  readonly length: number;
  /** Maximum number of starting points per row. */
  readonly perRow: number;
  /** Fitted points that start the search for a row; at least one. */
  of(row: number): RowStarts & { /** Which fitted points they are. */ readonly rows: readonly number[] };
}

/**
 * Starting points of searches for log p(y|x): first the fitted points that are likelier than their neighbors, so that searches lead to different
 * maxima, then the likeliest of the others. Likelihoods are computed from the moments of observations at the points; if these depend on known rows or
 * are unavailable, from the density.
 *
 * @param given - rows of the observed variables (NaN for missing) and of the known ones
 * @param fitted - values of the concatenated latent variables, N×Q
 * @param most - maximum number of starting points, at least 1
 */
export function projectionStarts(model: RowModel, given: RowsByName, fitted: Matrix, most: number): ProjectionStarts {
  const isPredicted = model.predict !== undefined && model.known.length === 0 && !('predict' in model.missing);
  const step = isPredicted ? 1 : Math.max(1, fitted.rows / MOST_EVALUATED);
  const chosen = Array.from({ length: Math.ceil(fitted.rows / step) }, (_, k) => Math.floor(k * step));
  const points = step === 1 ? fitted : rowsOf(fitted, chosen);
  const N = points.rows;
  const score = isPredicted ? byMoments(model, given, points) : byDensity(model, given, points);
  const k = Math.min(NEIGHBORS, N - 1);
  const neighbors = k > 0 ? nearestNeighbors(points, k) : undefined;
  const near = neighbors?.indices ?? new Int32Array(0);
  const density = new Float64Array(N);
  const perRow = Math.min(most, N);
  return {
    length: neighbors === undefined ? 1 : nearestDistance(neighbors.distances, k),
    perRow,
    of(row) {
      score(row).forEach((entry, i) => {
        density[i] = Number.isNaN(entry) ? Number.NEGATIVE_INFINITY : entry;
      });
      const isLikelier = (i: number, j: number) => density[i]! > density[j]! || (density[i] === density[j] && i < j);
      const isPeak = (i: number) => {
        for (let n = 0; n < k; n++) if (!isLikelier(i, near[i * k + n]!)) return false;
        return true;
      };
      const order = Array.from(density.keys()).sort((i, j) => (isLikelier(i, j) ? -1 : 1));
      const peaks = order.filter(isPeak).slice(0, perRow);
      const taken = new Set(peaks);
      const others = order.filter((i) => !taken.has(i)).slice(0, perRow - peaks.length);
      const starts = [...peaks, ...others];
      return { rows: starts.map((i) => chosen[i]!), points: starts.map((i) => points.row(i)), peaks: peaks.length };
    },
  };
}

/** Log density of a row at each point, from the moments of observations there. */
function byMoments(model: RowModel, given: RowsByName, points: Matrix): (row: number) => Float64Array {
  const predicted = model.predict!(columnsByName(points, model.latents), true);
  const parts = model.observed.flatMap(({ name }) => {
    const rows = given[name];
    if (rows === undefined) return [];
    const { mean, variance } = predicted[name] as Prediction;
    return [{ rows, mean, variance, logVariance: variance.data.map((entry) => log(entry)) }];
  });
  const density = new Float64Array(points.rows);
  return (row) => {
    for (let i = 0; i < points.rows; i++) {
      let sum = 0;
      for (const { rows, mean, variance, logVariance } of parts) {
        const D = rows.columns;
        for (let j = 0; j < D; j++) {
          const entry = rows.at(row, j);
          if (Number.isNaN(entry)) continue;
          const at = i * D + j;
          sum -= 0.5 * (logVariance[at]! + square(entry - mean.data[at]!) / variance.data[at]!);
        }
      }
      density[i] = sum;
    }
    return density;
  };
}

/** Exact log density of a row at each point. */
function byDensity(model: RowModel, given: RowsByName, points: Matrix): (row: number) => Float64Array {
  return (row) => {
    const repeated = new Array<number>(points.rows).fill(row);
    const rows = Object.fromEntries(Object.entries(given).map(([name, own]) => [name, rowsOf(own, repeated)]));
    return model.density!(points, rows, 'rough', true).posterior;
  };
}

/** Median of each row's smallest distance above 0; 1 if there is none. */
export function nearestDistance(distances: Float64Array, k: number): number {
  const nearest: number[] = [];
  for (let from = 0; from < distances.length; from += k) {
    const distance = distances.subarray(from, from + k).find((own) => own > 0);
    if (distance !== undefined) nearest.push(distance);
  }
  return nearest.sort((a, b) => a - b)[nearest.length >> 1] ?? 1;
}
