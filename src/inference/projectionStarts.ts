import { log, square } from '../core/elementary/index.ts';
import type { Matrix } from '../core/matrix.ts';
import { nearestNeighbors } from '../engine/neighbors/index.ts';
import type { Prediction } from '../model/posterior.ts';
import type { RowStarts } from './projectionSearch.ts';

/** Training latents near each other: of these the one of highest density stands for the others. */
const NEIGHBORS = 4;

/** Candidate start points for new observations, from the training latents. */
export interface ProjectionStarts {
  /** The median distance from a training latent to the nearest one in another place; 1 where there is none. */
  readonly length: number;
  /** The training latents from which a search for an observation y (NaN counts as not observed) begins; at least one. */
  of(y: Float64Array): RowStarts & { /** Which training latents they are. */ readonly rows: readonly number[] };
}

/**
 * Starts of searches for log p(y|x): first the training latents that are likelier than those near them, so that searches lead to different
 * maxima, then the likeliest of the others.
 *
 * @param latents - N×q
 * @param prediction - mean and variance of observations there, N×D
 * @param most - largest number of starts, from 1
 */
export function projectionStarts(latents: Matrix, { mean, variance }: Prediction, most: number): ProjectionStarts {
  const { rows: N } = latents;
  const D = mean.columns;
  const k = Math.min(NEIGHBORS, N - 1);
  const neighbors = k > 0 ? nearestNeighbors(latents, k) : undefined;
  const near = neighbors?.indices ?? new Int32Array(0);
  const logVariance = variance.data.map((entry) => log(entry));
  const density = new Float64Array(N);
  return {
    length: neighbors === undefined ? 1 : nearestDistance(neighbors.distances, k),
    of(y) {
      for (let i = 0; i < N; i++) {
        let sum = 0;
        for (let j = 0; j < D; j++) {
          const entry = y[j]!;
          if (Number.isNaN(entry)) continue;
          const at = i * D + j;
          sum -= 0.5 * (logVariance[at]! + square(entry - mean.data[at]!) / variance.data[at]!);
        }
        density[i] = Number.isNaN(sum) ? Number.NEGATIVE_INFINITY : sum;
      }
      const isLikelier = (i: number, j: number) => density[i]! > density[j]! || (density[i] === density[j] && i < j);
      const isPeak = (i: number) => {
        for (let n = 0; n < k; n++) if (!isLikelier(i, near[i * k + n]!)) return false;
        return true;
      };
      const order = Array.from(density.keys()).sort((i, j) => (isLikelier(i, j) ? -1 : 1));
      const peaks = order.filter(isPeak).slice(0, most);
      const taken = new Set(peaks);
      const others = order.filter((i) => !taken.has(i)).slice(0, most - peaks.length);
      const rows = [...peaks, ...others];
      return { rows, points: rows.map((i) => latents.row(i)), peaks: peaks.length };
    },
  };
}

/** The median of each row's smallest distance above 0; 1 where there is none. */
function nearestDistance(distances: Float64Array, k: number): number {
  const nearest: number[] = [];
  for (let from = 0; from < distances.length; from += k) {
    const distance = distances.subarray(from, from + k).find((own) => own > 0);
    if (distance !== undefined) nearest.push(distance);
  }
  return nearest.sort((a, b) => a - b)[nearest.length >> 1] ?? 1;
}
