import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import { checkOptions, integerFrom, numberAboveZero, numberFromZero } from '../core/options.ts';
import { completed, type ProgressiveWork } from '../core/progressiveWork.ts';
import type { Graph } from '../engine/graph/graph.ts';
import {
  joinedWeights,
  jointProbabilities,
  memberships,
  type NeighborOptions,
  similarityCurve,
} from '../engine/neighborEmbedding/affinities.ts';
import { edgeLikelihood, type Negatives } from '../engine/neighborEmbedding/edgeLikelihood.ts';
import { studentDivergence } from '../engine/neighborEmbedding/studentDivergence.ts';
import { type Metric, metricNeighborsInParts } from '../engine/neighbors/index.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar } from '../engine/tensors/tensorflow.ts';
import { calledBy } from '../model/language/defineDensity.ts';
import type { Prior } from '../model/language/density.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import { definePrior, notNegative } from './definePrior.ts';
import { byColumns, plainFunction } from './plainFunction.ts';

export interface TsneNeighborsOptions {
  /** ≥ 0, held at 1 unless given; 0 turns the prior off. */
  readonly strength?: ParameterLike;
  /** Effective number of neighbors of an observation, between 1 and N − 1; 30, or (N − 1)/3 where that is less, unless given. */
  readonly perplexity?: number;
  /** Neighbors of an observation that have a probability, from the perplexity on, or 'all'; all of up to 1000 points unless given, 3·perplexity of more. */
  readonly neighbors?: number | 'all';
}

const above = 'a number above 1';
export const perplexityOption = v.optional(v.pipe(v.number(above), v.finite(above), v.gtValue(1, above)));
const many = "a whole number from 2, or 'all'";
export const tsneNeighborsOption = v.optional(
  v.union([v.literal('all'), v.pipe(v.number(many), v.integer(many), v.minValue(2, many))], many),
);
const neighborSchema = v.strictObject({
  strength: v.optional(v.any()),
  perplexity: perplexityOption,
  neighbors: tsneNeighborsOption,
});

/**
 * t-SNE as a factor: pairs of latents are as near as pairs of observations, −strength·KL(P‖Q) with P the joint probabilities of pairs of
 * observations at a perplexity and q_ij ∝ (1 + ‖x_i − x_j‖²)⁻¹. Improper: the term `tsne` is the exponent.
 *
 * Of up to 2500 points, and in more than two dimensions, all pairs are summed; of more the normalizer is summed by a grid to 1e-3, at a cost that grows as N.
 * The divergence is one term for all points: a decoder of N·D terms is balanced by a strength of that size.
 *
 * @param options - `strength` ≥ 0 (1), held unless a free parameter is given; `perplexity` between 1 and N − 1 (30, or (N − 1)/3 where
 * that is less, from 4/3); `neighbors`, how many of each point have a probability (3·perplexity, all of up to 1000 points)
 * @throws InvalidInputError for an unknown option or one out of its range; when the model is evaluated, for a perplexity that N does not
 * allow
 * @see van der Maaten 2009, §3; van der Maaten & Hinton 2008, eqs. 2 and 4; Linderman et al. 2019
 * @example
 * ```ts
 * tsneNeighbors({ strength: 100, perplexity: 20 });
 * ```
 */
export function tsneNeighbors(options: TsneNeighborsOptions = {}): Prior<never> {
  const { strength, perplexity, neighbors = 'auto' } = checkOptions(neighborSchema, options, 'tsneNeighbors');
  const found: NeighborOptions = { ...(perplexity !== undefined && { perplexity }), neighbors };
  const tsne = definePrior({
    name: 'tsne',
    parameters: { strength: fixed(1) },
    independent: false,
    prepare: ({ observations: Y }) => {
      const P = completed(jointProbabilities(Y, found));
      return byColumns((q) => studentDivergence(P, q, 'auto'));
    },
    logDensity: (p, X, { constants: divergence }) =>
      op.neg<Scalar>(op.mul(p.strength, plainFunction(X, divergence(X.shape[1])))),
  });
  const own = { strength } as { strength: ParameterLike };
  // 'auto' is a choice of the library, not an option.
  const given = neighbors === 'auto' ? { ...own, perplexity } : { ...own, perplexity, neighbors };
  return calledBy(notNegative(tsne(own), ['strength']), given);
}

/** What UMAP takes of observations and latents. */
export interface EdgeOptions {
  /** Number of neighbors of each observation, from 2; default 15, or all others of fewer points. */
  readonly neighbors?: number;
  /** Distance below which points count as touching, from 0 and below 3·spread; default 0.1. */
  readonly minDist?: number;
  /** Scale of the distances beyond, above 0; default 1. */
  readonly spread?: number;
  /**
   * Repulsion: of 'all' pairs, by 1 − v_ij, or the average of a number of negative samples per edge, above 0; 'all' in a factor and 5 in the model `umap`
   * unless given.
   */
  readonly negatives?: Negatives;
}

export interface UmapNeighborsOptions extends EdgeOptions {
  /** ≥ 0, held at 1 unless given; 0 turns the prior off. */
  readonly strength?: ParameterLike;
}

const orAll = "a number above 0, or 'all'";
export const edgeOptions = {
  neighbors: v.optional(integerFrom(2)),
  minDist: v.optional(numberFromZero, 0.1),
  spread: v.optional(numberAboveZero, 1),
};
const negativesOption = v.union(
  [v.literal('all'), v.pipe(v.number(orAll), v.finite(orAll), v.gtValue(0, orAll))],
  orAll,
);

type EdgeData = v.InferOutput<v.StrictObjectSchema<typeof edgeOptions, undefined>> & {
  readonly negatives: Negatives;
};

export const edgesPerPoint = (N: number) => Math.min(15, N - 1);

/**
 * The graph of neighbors with the weights v_ij = v_j|i + v_i|j − v_j|i·v_i|j, v_j|i = exp(−max(0, d_ij − ρ_i)/σ_i).
 *
 * @throws InvalidInputError for fewer than 3 points, or k ≥ N
 * @see McInnes, Healy & Melville 2018, §3.1
 */
export function* edgeProbabilities(
  Y: Matrix,
  given: number | undefined,
  who = "prior 'umap'",
  metric: Metric = 'euclidean',
): ProgressiveWork<Graph> {
  const N = Y.rows;
  if (N < 3) {
    throw new InvalidInputError(
      `The ${who} takes at least 3 points, but there are ${N}. Give more points, or take gplvm.`,
    );
  }
  const k = given ?? edgesPerPoint(N);
  if (k > N - 1) {
    throw new InvalidInputError(
      `The ${who} was given ${k} neighbors of each point, but there are ${N - 1} other points. Give neighbors from 2 to ${N - 1}.`,
    );
  }
  const found = yield* metricNeighborsInParts(metric, Y, k);
  return joinedWeights(N, found.indices, memberships(found, k), (one, other) => one + other - one * other);
}

/** a and b of the similarities of latents. */
export function curveOf({ minDist, spread }: Pick<EdgeData, 'minDist' | 'spread'>) {
  if (minDist < 3 * spread) return similarityCurve(minDist, spread);
  throw new InvalidInputError(
    `minDist must be below three times the spread, ${3 * spread}, but ${minDist} was given. Give a smaller one, or a larger spread.`,
  );
}

const schema = v.strictObject({
  ...edgeOptions,
  strength: v.optional(v.any()),
  negatives: v.optional(negativesOption, 'all'),
});

/**
 * UMAP as a factor: the edges of the observations' graph of neighbors are there with probabilities that fall with the distance of latents,
 * strength·Σ_{i<j} v_ij·log w_ij + (1 − v_ij)·log(1 − w_ij), w = 1/(1 + a·d^{2b}). Improper: the term `umap` is the exponent.
 *
 * With `negatives` a number m, what repels is what m negative samples an edge repel on average, which is what UMAP searches by: m·(v_i + v_j)/(2N) in the place of
 * 1 − v_ij. 1 − w is kept above 0.001·w, so that points may coincide. Of more than a million pairs those without an edge are a seeded sample.
 *
 * @param options - `strength` ≥ 0 (1), held unless a free parameter is given; `neighbors` (15), `minDist` (0.1), `spread` (1), `negatives` ('all')
 * @throws InvalidInputError for an unknown option or one out of its range; when the model is evaluated, for more neighbors than there are
 * @see McInnes, Healy & Melville 2018, §3; Damrich & Hamprecht 2021, Theorem 1
 * @example
 * ```ts
 * umapNeighbors({ strength: 10, neighbors: 15, minDist: 0.1 });
 * ```
 */
export function umapNeighbors(options: UmapNeighborsOptions = {}): Prior<never> {
  const { strength, neighbors, ...rest } = checkOptions(schema, options, 'umapNeighbors');
  const curve = curveOf(rest);
  const umap = definePrior({
    name: 'umap',
    parameters: { strength: fixed(1) },
    independent: false,
    prepare: ({ observations: Y }) => {
      const graph = completed(edgeProbabilities(Y, neighbors));
      return byColumns((q) => edgeLikelihood(graph, q, curve, rest.negatives));
    },
    logDensity: (p, X, { constants: likelihood }) =>
      op.mul<Scalar>(p.strength, plainFunction(X, likelihood(X.shape[1]))),
  });
  const own = { strength } as { strength: ParameterLike };
  return calledBy(notNegative(umap(own), ['strength']), { ...own, neighbors, ...rest });
}
