import * as v from 'valibot';
import { checkOptions } from '../core/options.ts';
import { completed } from '../core/progressiveWork.ts';
import { checkSaved } from '../core/saved.ts';
import { jointProbabilities, type NeighbourOptions } from '../engine/neighbourEmbedding/affinities.ts';
import { studentDivergence } from '../engine/neighbourEmbedding/studentDivergence.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar } from '../engine/tensors/tensorflow.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import { definePrior, notNegative, type Prior } from './definePrior.ts';
import { byColumns, plainFunction } from './plainFunction.ts';

export interface TsneNeighboursOptions {
  /** ≥ 0, held at 1 unless given; 0 turns the prior off. */
  readonly strength?: ParameterLike;
  /** Effective number of neighbours of an observation, between 1 and N − 1; 30, or (N − 1)/3 where that is less, unless given. */
  readonly perplexity?: number;
  /** Neighbours of an observation that have a probability, from the perplexity on, or 'all'; all of up to 1000 points unless given, 3·perplexity of more. */
  readonly neighbours?: number | 'all';
}

const savedSchema = v.strictObject({
  perplexity: v.optional(v.pipe(v.number(), v.gtValue(0))),
  // Files that do not say so are of times when there was nothing else.
  neighbours: v.optional(v.union([v.number(), v.picklist(['all', 'auto'])]), 'all'),
});

export const tsneNeighboursFactory = definePrior({
  name: 'tsne',
  parameters: { strength: fixed(1) },
  data: {
    toJSON: (data: NeighbourOptions) => data,
    fromJSON: (json): NeighbourOptions => checkSaved(savedSchema, json ?? {}, '.') as NeighbourOptions,
  },
  prepare: (Y, data) => {
    const P = completed(jointProbabilities(Y, data));
    return byColumns((q) => studentDivergence(P, q, 'auto'));
  },
  logDensity: (p, X, { constants: divergence }) =>
    op.neg<Scalar>(op.mul(p.strength, plainFunction(X, divergence(X.shape[1])))),
});

const above = 'a number above 1';
export const perplexityOption = v.optional(v.pipe(v.number(above), v.finite(above), v.gtValue(1, above)));
const many = "a whole number from 2, or 'all'";
export const tsneNeighboursOption = v.optional(
  v.union([v.literal('all'), v.pipe(v.number(many), v.integer(many), v.minValue(2, many))], many),
);
const schema = v.strictObject({
  strength: v.optional(v.any()),
  perplexity: perplexityOption,
  neighbours: tsneNeighboursOption,
});

/**
 * t-SNE as a factor: pairs of latents are as near as pairs of observations, −strength·KL(P‖Q) with P the joint probabilities of pairs of
 * observations at a perplexity and q_ij ∝ (1 + ‖x_i − x_j‖²)⁻¹. Improper: the term `tsne` is the exponent.
 *
 * Of up to 2500 points, and in more than two dimensions, all pairs are summed; of more the normaliser is summed by a grid to 1e-3, at a cost that grows as N.
 * The divergence is one term for all points: a decoder of N·D terms is balanced by a strength of that size.
 *
 * @param options - `strength` ≥ 0 (1), held unless a free parameter is given; `perplexity` between 1 and N − 1 (30, or (N − 1)/3 where
 * that is less, from 4/3); `neighbours`, how many of each point have a probability (3·perplexity, all of up to 1000 points)
 * @throws InvalidInputError for an unknown option or one out of its range; when the model is evaluated, for a perplexity that N does not
 * allow
 * @see van der Maaten 2009, §3; van der Maaten & Hinton 2008, eqs. 2 and 4; Linderman et al. 2019
 * @example
 * ```ts
 * tsneNeighbours({ strength: 100, perplexity: 20 });
 * ```
 */
export function tsneNeighbours(options: TsneNeighboursOptions = {}): Prior {
  const { strength, perplexity, neighbours = 'auto' } = checkOptions(schema, options, 'tsneNeighbours');
  const data: NeighbourOptions = Object.freeze({ ...(perplexity !== undefined && { perplexity }), neighbours });
  return notNegative(tsneNeighboursFactory({ strength } as { strength: ParameterLike }, data), ['strength']);
}
