import * as v from 'valibot';
import { checkAllPairs } from '../core/allPairs.ts';
import { InvalidInputError } from '../core/errors.ts';
import { completed, type InParts } from '../core/inParts.ts';
import type { Matrix } from '../core/matrix.ts';
import { checkOptions } from '../core/options.ts';
import { checkSaved } from '../core/saved.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import type { Graph } from '../numerics/graph/graph.ts';
import { joinedWeights, perplexityWeights } from '../numerics/neighbourEmbedding/affinities.ts';
import { studentDivergence } from '../numerics/neighbourEmbedding/studentDivergence.ts';
import { neighboursInParts } from '../numerics/neighbours/index.ts';
import * as op from '../tensors/ops.ts';
import type { Scalar } from '../tensors/tensorflow.ts';
import { definePrior, type Prior } from './definePrior.ts';
import { byColumns, plainFunction } from './plainFunction.ts';
import { notNegative } from './strength.ts';

export interface TsneNeighboursOptions {
  /** ≥ 0, held at 1 unless given; 0 turns the prior off. */
  readonly strength?: ParameterLike;
  /** Effective number of neighbours of an observation, between 1 and N − 1; 30, or (N − 1)/3 where that is less, unless given. */
  readonly perplexity?: number;
  /** Neighbours of an observation that have a probability, from the perplexity on, or 'all'; all of up to 1000 points unless given, 3·perplexity of more. */
  readonly neighbours?: number | 'all';
}

interface TsneData {
  readonly perplexity?: number;
  readonly neighbours: number | 'all' | 'auto';
}

export const perplexityFor = (N: number) => Math.min(30, Math.max(4 / 3, (N - 1) / 3));

/** Points of which all pairs have a probability unless told otherwise. */
const FEW_POINTS = 1000;

/**
 * Joint probabilities of pairs of points as the edges of a graph, p_ij = (p_j|i + p_i|j)/(2N) with p_j|i ∝ exp(−b_i·‖y_i − y_j‖²) among the neighbours of i,
 * every b_i such that the entropy of p_·|i is the logarithm of the perplexity. The weights add up to ½.
 *
 * @throws InvalidInputError when the perplexity is not between 1 and N − 1, or not below the number of neighbours
 * @see van der Maaten & Hinton 2008, eqs. 1 and §3.1; van der Maaten 2014, §3 (neighbours)
 */
export function* jointProbabilities(
  Y: Matrix,
  { perplexity = perplexityFor(Y.rows), neighbours }: TsneData,
  who = "prior 'tsne'",
): InParts<Graph> {
  const N = Y.rows;
  if (N < 3) {
    throw new InvalidInputError(
      `The ${who} takes at least 3 points, but there are ${N}: one other point is the only neighbour, wherever it lies. Give more points, or take gplvm.`,
    );
  }
  if (!(perplexity > 1 && perplexity < N - 1)) {
    throw new InvalidInputError(
      `The perplexity of ${who} must lie between 1 and ${N - 1}, the number of other points, but ${perplexity} was given.`,
    );
  }
  const near = neighbours === 'auto' && N > FEW_POINTS ? Math.ceil(3 * perplexity) : neighbours;
  const k = typeof near === 'number' ? Math.min(near, N - 1) : N - 1;
  if (k === N - 1) checkAllPairs(`The ${who}`, N, 'Give it fewer points, or neighbours, such as 90.');
  if (!(perplexity < k)) {
    throw new InvalidInputError(
      `A perplexity of ${perplexity} takes more than ${k} neighbours of each point in the ${who}. Give about ${Math.ceil(3 * perplexity)} neighbours, or a smaller perplexity.`,
    );
  }
  const found = yield* neighboursInParts('auto', Y, k);
  return joinedWeights(N, found.indices, perplexityWeights(found, k, perplexity), (p, q) => (p + q) / (2 * N));
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
    toJSON: (data: TsneData) => data,
    fromJSON: (json): TsneData => checkSaved(savedSchema, json ?? {}, '.') as TsneData,
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
  const data: TsneData = Object.freeze({ ...(perplexity !== undefined && { perplexity }), neighbours });
  return notNegative(tsneNeighboursFactory({ strength } as { strength: ParameterLike }, data), ['strength']);
}
