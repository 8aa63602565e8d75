import * as v from 'valibot';
import { log, square } from '../../core/elementary/index.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { observationsFrom } from '../../core/observations.ts';
import { checkOptions, integerFromOne } from '../../core/options.ts';
import { completed, lazily } from '../../core/progressiveWork.ts';
import { jointProbabilities, perplexityFor, perplexityWeights } from '../../engine/neighborEmbedding/affinities.ts';
import { tsneDescent } from '../../engine/neighborEmbedding/descents.ts';
import { studentDivergence } from '../../engine/neighborEmbedding/studentDivergence.ts';
import type { Metric } from '../../engine/neighbors/index.ts';
import { TSNE_SCHEDULE, withDeviation } from '../../model/neighborStart.ts';
import { perplexityOption, tsneNeighborsOption } from '../../priors/neighborEmbeddings.ts';
import { latentDimOption } from '../spectral/embedding/options.ts';
import type { DecoderOptions } from './decoder.ts';
import { type MapModel, mapModel, mappedPoints, metricOption, type StartOfMap, scheduledSolver } from './mapModel.ts';

export interface TsneOptions {
  /** Number of latent dimensions q, from 1; default 2. */
  readonly latentDim?: number;
  /** Effective number of neighbors of an observation, between 1 and N − 1; default 30, or (N − 1)/3 where that is less. */
  readonly perplexity?: number;
  /** Number of neighbors of an observation with a probability, or 'all'; default 3·perplexity. */
  readonly neighbors?: number | 'all';
  /**
   * Distance between rows: 'euclidean' (default), 'cosine', 'correlation', 'hamming' (the part of the entries that differ), or 'precomputed' for a Y of
   * N×N distances, and of n×N for new rows.
   */
  readonly metric?: Metric;
  /** Start of the latents: 'pca' (default; for distances their principal coordinates) or 'eigenmaps', at a deviation of 1e-4, or an N×q matrix as it is. */
  readonly init?: StartOfMap;
  /** Factor of the attraction in the first 250 steps, from 1; default 12. */
  readonly exaggeration?: number;
  /** Steps in all, from 1; default 750. */
  readonly steps?: number;
  /** Adds a decoder to the map, which predicts observations with error bars: see {@link DecoderOptions}. False unless given. */
  readonly decoder?: boolean | DecoderOptions;
}

const fromOne = 'a number from 1';
export const stepsOption = v.optional(integerFromOne, TSNE_SCHEDULE.steps);
export const startOption = v.optional(v.union([v.picklist(['pca', 'eigenmaps']), v.any()]), 'pca');
const schema = v.strictObject({
  latentDim: latentDimOption,
  perplexity: perplexityOption,
  neighbors: tsneNeighborsOption,
  metric: metricOption,
  init: startOption,
  exaggeration: v.optional(
    v.pipe(v.number(fromOne), v.finite(fromOne), v.minValue(1, fromOne)),
    TSNE_SCHEDULE.exaggeration,
  ),
  steps: stepsOption,
  // One of `tsne`, which makes it of the map; known here so that messages name it.
  decoder: v.optional(v.literal(false, 'false')),
});

/** The map of `tsne`, without a decoder. */
export function tsneMap(Y: MatrixLike, options: Omit<TsneOptions, 'decoder'> = {}): MapModel {
  const checked = checkOptions(schema, options, 'tsne');
  const { latentDim, exaggeration, steps, metric } = checked;
  const { points, note } = mappedPoints(Y, metric, checked.init, 'tsne');
  const { rows: N } = points;
  const perplexity = checked.perplexity ?? perplexityFor(N);
  const neighbors = checked.neighbors ?? Math.min(N - 1, Math.ceil(3 * perplexity));
  const probabilities = lazily(() =>
    completed(jointProbabilities(points, { perplexity, neighbors, metric }, 'model tsne')),
  );
  const divergence = lazily(() => studentDivergence(probabilities(), latentDim, 'auto'));
  const density = (X: Float64Array, gradient: Float64Array) => {
    const value = divergence()(X, gradient);
    for (let i = 0; i < gradient.length; i++) gradient[i] = -gradient[i]!;
    return -value;
  };
  const near = neighbors === 'all' ? N : Math.min(N, neighbors);
  return mapModel('tsne', {
    points,
    note,
    latentDim,
    init: checked.init as StartOfMap,
    scaled: (start) => withDeviation(start, TSNE_SCHEDULE.deviation),
    density: () => density,
    solver: () =>
      scheduledSolver({
        name: 'tsneSchedule',
        size: N * latentDim,
        steps,
        begin: (X, memory) => {
          // A third of the schedule at most.
          const early = { factor: exaggeration, steps: Math.min(TSNE_SCHEDULE.early, Math.floor(steps / 3)) };
          return tsneDescent(probabilities(), latentDim, X, early, memory);
        },
        density,
      }),
    metric,
    near,
    placing: (own, latents) => {
      const weights = perplexityWeights(own, near, Math.min(perplexity, near - 1));
      return {
        weights,
        at: (x, gradient) => {
          const q = x.length;
          let [Z, loss] = [0, 0];
          gradient.fill(0);
          for (let j = 0; j < N; j++) {
            let total = 1;
            for (let c = 0; c < q; c++) total += square(x[c]! - latents.data[j * q + c]!);
            Z += 1 / total;
            for (let c = 0; c < q; c++) gradient[c]! -= (2 * (x[c]! - latents.data[j * q + c]!)) / (total * total);
          }
          for (let c = 0; c < q; c++) gradient[c]! /= Z;
          own.indices.forEach((j, n) => {
            let total = 1;
            for (let c = 0; c < q; c++) total += square(x[c]! - latents.data[j * q + c]!);
            loss += weights[n]! * log(total);
            for (let c = 0; c < q; c++) {
              gradient[c]! += (2 * weights[n]! * (x[c]! - latents.data[j * q + c]!)) / total;
            }
          });
          return loss + log(Z);
        },
      };
    },
    saved: { ...checked, init: savedStart(checked.init) },
  });
}

/** A start as it is saved: a matrix by its rows. */
export const savedStart = (init: unknown): unknown =>
  typeof init === 'string' ? init : observationsFrom(init as MatrixLike).toArrays();
