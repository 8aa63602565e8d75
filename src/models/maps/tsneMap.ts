import * as v from 'valibot';
import { log, square } from '../../core/elementary/index.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { observationsFrom } from '../../core/observations.ts';
import { checkOptions, integerFromOne, type OptionsIn, typed } from '../../core/options.ts';
import { completed, lazily } from '../../core/progressiveWork.ts';
import { jointProbabilities, perplexityFor, perplexityWeights } from '../../engine/neighborEmbedding/affinities.ts';
import { tsneDescent } from '../../engine/neighborEmbedding/descents.ts';
import { studentDivergence } from '../../engine/neighborEmbedding/studentDivergence.ts';
import { TSNE_SCHEDULE, withDeviation } from '../../model/neighborStart.ts';
import { perplexityOption, tsneNeighborsOption } from '../../priors/neighborEmbeddings.ts';
import { latentDimOption } from '../spectral/embedding/options.ts';
import type { DecoderOptions } from './decoder.ts';
import { type MapModel, mapModel, mappedPoints, metricOption, type StartOfMap } from './mapModel.ts';

export interface TsneOptions extends OptionsIn<typeof schema> {}

const fromOne = 'a number from 1';
export const stepsOption = v.optional(integerFromOne, TSNE_SCHEDULE.steps);
export const startOption = v.optional(typed<StartOfMap>(), 'pca');
const schema = v.strictObject({
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
  /** Effective number of neighbors of an observation, between 1 and N − 1; default 30, or (N − 1)/3 if that is less. */
  perplexity: perplexityOption,
  /** Number of neighbors of an observation with nonzero probability, or 'all'; default 3·perplexity. */
  neighbors: tsneNeighborsOption,
  /**
   * Distance between rows: 'euclidean' (default), 'cosine', 'correlation', 'hamming' (the share of entries that differ), or 'precomputed' if Y
   * contains N×N distances, and n×N for new rows.
   */
  metric: metricOption,
  /**
   * Start of the latents: 'pca' (default; principal coordinates for distances) or 'eigenmaps', scaled to a standard deviation of 1e-4, or an N×q
   * matrix, which is used unscaled.
   */
  init: startOption,
  /** Factor of the attraction in the first 250 steps, from 1; default 12. */
  exaggeration: v.optional(
    v.pipe(v.number(fromOne), v.finite(fromOne), v.minValue(1, fromOne)),
    TSNE_SCHEDULE.exaggeration,
  ),
  /** Total number of steps, from 1; default 750. */
  steps: stepsOption,
  /** Adds a decoder to the map, which predicts observations with error bars: see {@link DecoderOptions}. Default false. */
  decoder: v.optional(typed<boolean | DecoderOptions>(v.literal(false, 'false'))),
});

/** Map of `tsne` without a decoder. */
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
  const near = neighbors === 'all' ? N : Math.min(N, neighbors);
  return mapModel('tsne', {
    points,
    note,
    latentDim,
    init: checked.init as StartOfMap,
    scaled: (start) => withDeviation(start, TSNE_SCHEDULE.deviation),
    density: () => (X, gradient) => {
      const value = divergence()(X, gradient);
      for (let i = 0; i < gradient.length; i++) gradient[i] = -gradient[i]!;
      return -value;
    },
    schedule: {
      name: 'tsneSchedule',
      steps,
      begin: (X, _, memory) => {
        // A third of the schedule at most.
        const early = { factor: exaggeration, steps: Math.min(TSNE_SCHEDULE.early, Math.floor(steps / 3)) };
        return tsneDescent(probabilities(), latentDim, X, early, memory);
      },
    },
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

/** Start in its saved form: a matrix by its rows. */
export const savedStart = (init: unknown): unknown =>
  typeof init === 'string' ? init : observationsFrom(init as MatrixLike).toArrays();
