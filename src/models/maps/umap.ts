import * as v from 'valibot';
import { exp, log, square } from '../../core/elementary/index.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { checkOptions, numberAboveZero, type OptionsIn } from '../../core/options.ts';
import { completed, lazily } from '../../core/progressiveWork.ts';
import { memberships } from '../../engine/neighborEmbedding/affinities.ts';
import { edgeDescent } from '../../engine/neighborEmbedding/descents.ts';
import { chargesOf, edgeLikelihood, SOFTENING } from '../../engine/neighborEmbedding/edgeLikelihood.ts';
import { withDeviation } from '../../model/neighborStart.ts';
import {
  curveOf,
  edgeOptions,
  edgeProbabilities,
  edgesPerPoint,
  umapNeighbors,
} from '../../priors/neighborEmbeddings.ts';
import { latentDimOption } from '../spectral/embedding/options.ts';
import { checkDecoded, type DecodedMap, type DecoderOptions, decoded, decoderOption } from './decoder.ts';
import { type MapModel, mapModel, mappedPoints, metricOption, type StartOfMap } from './mapModel.ts';
import { savedStart, startOption, stepsOption } from './tsneMap.ts';

export interface UmapOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  ...edgeOptions,
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
  /** Negative samples per edge, above 0: the strength of the repulsion; default 5. */
  negatives: v.optional(numberAboveZero, 5),
  /**
   * Distance between rows: 'euclidean' (default), 'cosine', 'correlation', 'hamming' (the share of entries that differ), or 'precomputed' if Y
   * contains N×N distances, and n×N for new rows.
   */
  metric: metricOption,
  /** Adds a decoder to the map, which predicts observations with error bars: see {@link DecoderOptions}. Default false. */
  decoder: decoderOption,
  /**
   * Start of the latents: 'pca' (default; principal coordinates for distances) or 'eigenmaps', scaled to a standard deviation of 5, or an N×q matrix,
   * which is used unscaled.
   */
  init: startOption,
  /** Total number of steps, from 1; default 750. */
  steps: stepsOption,
});

const START_DEVIATION = 5;

/**
 * UMAP: latents with a high likelihood of the edges of the observations' neighborhood graph, the maximum of Σ_{i<j} v_ij·log w_ij + m·(v_i +
 * v_j)/(2N)·log(1 − w_ij), w = 1/(1 + a·d^{2b}), v_i = Σ_j v_ij: the objective of UMAP with m negative samples per edge.
 *
 * The search is a schedule of steps: in each, all edges attract and every point is repelled by ten others, drawn again from the seed of the fit; 50
 * steps are an iteration of the fit. The reported objective is the density itself, for more than 1414 points with a seeded sample of the pairs without an edge.
 *
 * `project` places a new row by the likelihood of its edges to the fitted points. A row that equals a fitted point is mapped to that point's latents.
 *
 * @summary map of the neighbor graph, with placement of new rows; many points
 * @param Y - N×D observations
 * @param options - see {@link UmapOptions}
 * @returns a model for `fit` and `evaluate`
 * @throws InvalidInputError for an unknown option or a value out of range, fewer than 3 points, and k ≥ N
 * @see McInnes, Healy & Melville 2018; Damrich & Hamprecht 2021, Theorem 1
 * @example
 * ```ts
 * const map = await fit(umap(Y, { neighbors: 10, minDist: 0.05 }));
 * map.latents.toArrays();
 * ```
 */
export function umap(Y: MatrixLike, options: UmapOptions & { readonly decoder: true | DecoderOptions }): DecodedMap;
export function umap(Y: MatrixLike, options?: UmapOptions): MapModel;
export function umap(Y: MatrixLike, options: UmapOptions = {}): MapModel | DecodedMap {
  const checked = checkOptions(schema, options, 'umap');
  const { decoder, ...rest } = checked;
  const { latentDim, negatives, steps, metric } = rest;
  if (decoder !== false) {
    checkDecoded(metric, decoder, 'umap');
    const { neighbors, minDist, spread } = rest;
    const factor = (strength: number) =>
      umapNeighbors({ strength, minDist, spread, negatives, ...(neighbors !== undefined && { neighbors }) });
    return decoded(umap(Y, rest as UmapOptions), Y, decoder, latentDim, factor);
  }
  const { points, note } = mappedPoints(Y, metric, checked.init, 'umap');
  const { rows: N } = points;
  const curve = curveOf(checked);
  const near = checked.neighbors ?? edgesPerPoint(N);
  const graph = lazily(() => completed(edgeProbabilities(points, checked.neighbors, 'model umap', metric)));
  const likelihood = lazily(() => edgeLikelihood(graph(), latentDim, curve, negatives));
  const repelled = lazily(() => chargesOf(graph(), negatives));
  return mapModel('umap', {
    points,
    note,
    latentDim,
    init: checked.init as StartOfMap,
    scaled: (start) => withDeviation(start, START_DEVIATION),
    density: () => (X, gradient) => likelihood()(X, gradient),
    schedule: {
      name: 'umapSchedule',
      steps,
      begin: (X, seed, memory) => edgeDescent(graph(), latentDim, X, { curve, negatives, steps, seed }, memory),
    },
    metric,
    near,
    placing: (own, latents) => {
      const weights = memberships(own, near);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const charge = (negatives * total) / (2 * N);
      const { a, b } = curve;
      return {
        weights,
        at: (x, gradient) => {
          const q = x.length;
          let loss = 0;
          gradient.fill(0);
          const meet = (j: number, attraction: number, repulsion: number) => {
            let total = 0;
            for (let c = 0; c < q; c++) total += square(x[c]! - latents.data[j * q + c]!);
            if (total === 0) {
              loss -= repulsion * log(SOFTENING);
              return;
            }
            const power = a * exp(b * log(total));
            loss += attraction * log(1 + power) - repulsion * log((power + SOFTENING) / (1 + power));
            const pushed = (repulsion * (1 - SOFTENING)) / (power + SOFTENING);
            const slope = (2 * b * power * (attraction - pushed)) / (total * (1 + power));
            for (let c = 0; c < q; c++) gradient[c]! += slope * (x[c]! - latents.data[j * q + c]!);
          };
          for (let j = 0; j < N; j++) meet(j, 0, charge + repelled()[j]!);
          own.indices.forEach((j, n) => {
            meet(j, weights[n]!, 0);
          });
          return loss;
        },
      };
    },
    saved: { ...rest, init: savedStart(checked.init) },
  });
}
