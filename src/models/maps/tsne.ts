import * as v from 'valibot';
import type { MatrixLike } from '../../core/matrix.ts';
import { observationsFrom } from '../../core/observations.ts';
import { checkOptions, givenOptions } from '../../core/options.ts';
import { perplexityFor } from '../../engine/neighborEmbedding/affinities.ts';
import { tsneNeighbors } from '../../priors/neighborEmbeddings.ts';
import { checkDecoded, type DecodedMap, type DecoderOptions, decoded, decoderOption } from './decoder.ts';
import type { MapModel } from './mapModel.ts';
import { type TsneOptions, tsneMap } from './tsneMap.ts';

export type { TsneOptions } from './tsneMap.ts';

const schema = v.strictObject({ decoder: decoderOption });

/**
 * t-SNE: latents whose pairs are as close as pairs of observations, the maximum of −KL(P‖Q), with P the joint probabilities of pairs of observations
 * at a perplexity and q_ij ∝ (1 + ‖x_i − x_j‖²)⁻¹.
 *
 * The search is a schedule of gradient steps with momentum, the first 250 with exaggerated attraction; 50 of them are an iteration of the fit. The
 * reported objective is −KL(P‖Q) itself. In at most two dimensions the cost of a step grows with N, and in more with the number of pairs.
 *
 * `project` places a new row at the maximum of Σ_j p_j·log q_j, with its probabilities p of the fitted points at the same perplexity and q_j ∝ (1 +
 * ‖x − x_j‖²)⁻¹ over all of them. A row that equals a fitted point is mapped to that point's latents.
 *
 * With `decoder`, a Gaussian process mapping is fitted on top of the map, which predicts and imputes: `latentVariableModel` with the map as its
 * latents. Complete new rows are
 * placed by the density of the map, others by the decoder.
 *
 * @summary map on which neighbors stay neighbors, with placement of new rows
 * @param Y - N×D observations
 * @param options - see {@link TsneOptions}
 * @returns a model for `fit` and `evaluate`
 * @throws InvalidInputError for an unknown option or a value out of range, fewer than 3 points, and a perplexity that N does not allow
 * @see van der Maaten & Hinton 2008; van der Maaten 2014; Linderman et al. 2019; Poličar, Stražar & Zupan 2024 (new rows)
 * @example
 * ```ts
 * const map = await fit(tsne(Y, { perplexity: 20 }));
 * map.latents.toArrays();
 * ```
 */
export function tsne(Y: MatrixLike, options: TsneOptions & { readonly decoder: true | DecoderOptions }): DecodedMap;
export function tsne(Y: MatrixLike, options?: TsneOptions): MapModel;
export function tsne(Y: MatrixLike, options: TsneOptions = {}): MapModel | DecodedMap {
  const { decoder: given, ...rest } = givenOptions(options, 'tsne');
  const { decoder } = checkOptions(schema, given === undefined ? {} : { decoder: given }, 'tsne');
  const map = tsneMap(Y, rest);
  if (decoder === false) return map;
  checkDecoded(rest.metric ?? 'euclidean', decoder, 'tsne');
  const { latentDim = 2, perplexity = perplexityFor(observationsFrom(Y).rows) } = rest;
  const neighbors = rest.neighbors ?? Math.ceil(3 * perplexity);
  const factor = (strength: number) => tsneNeighbors({ strength, perplexity, neighbors });
  return decoded(map, Y, decoder, latentDim, factor);
}
