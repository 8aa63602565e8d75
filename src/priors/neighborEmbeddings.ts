import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import { checkOptions, integerFrom, numberAboveZero, numberFromZero, type OptionsIn, typed } from '../core/options.ts';
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
import type { Prior } from '../model/language/density.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import { priorOfStrengths } from './definePrior.ts';
import { byColumns, plainFunction } from './plainFunction.ts';

export interface TsneNeighborsOptions extends OptionsIn<typeof neighborSchema> {}

const above = 'a number above 1';
export const perplexityOption = v.optional(v.pipe(v.number(above), v.finite(above), v.gtValue(1, above)));
const many = "a whole number from 2, or 'all'";
export const tsneNeighborsOption = v.optional(
  v.union([v.literal('all'), v.pipe(v.number(many), v.integer(many), v.minValue(2, many))], many),
);
const neighborSchema = v.strictObject({
  /** Strength of the prior, ≥ 0; default fixed at 1. 0 turns the prior off. */
  strength: v.optional(typed<ParameterLike>()),
  /** Effective number of neighbors of an observation, between 1 and N − 1; default 30, or (N − 1)/3 if that is less. */
  perplexity: perplexityOption,
  /** Number of nearest neighbors of an observation with nonzero probability, at least the perplexity, or 'all'; default all for up to 1000 points, 3·perplexity for more. */
  neighbors: tsneNeighborsOption,
});

/**
 * t-SNE as a prior: latents keep the neighborhoods of the observations, −strength·KL(P‖Q) with P the joint probabilities of pairs of observations at
 * a perplexity and q_ij ∝ (1 + ‖x_i − x_j‖²)⁻¹. The prior is improper; the term `tsne` is the exponent.
 *
 * For up to 2500 points, and in more than two dimensions, all pairs are summed; for more points the normalizer is computed on a grid with a relative
 * error of 1e-3, at a cost linear in N. The divergence is one term for all points: to balance a decoder of N·D terms, choose a strength of that size.
 *
 * @param options - `strength` ≥ 0 (1), fixed unless a free parameter is passed; `perplexity` between 1 and N − 1 (30, or (N − 1)/3 if that is less,
 *   from 4/3); `neighbors`, the number per point with nonzero probability (3·perplexity, all for up to 1000 points)
 * @throws InvalidInputError for an unknown option or one outside its range; when the model is evaluated, for a perplexity that N does not allow
 * @see van der Maaten 2009, §3; van der Maaten & Hinton 2008, eqs. 2 and 4; Linderman et al. 2019
 * @example
 * ```ts
 * tsneNeighbors({ strength: 100, perplexity: 20 });
 * ```
 */
export function tsneNeighbors(options: TsneNeighborsOptions = {}): Prior<never> {
  const { strength, perplexity, neighbors = 'auto' } = checkOptions(neighborSchema, options, 'tsneNeighbors');
  const found: NeighborOptions = { ...(perplexity !== undefined && { perplexity }), neighbors };
  // 'auto' is a choice of the library, not an option.
  const given = { strength, perplexity, ...(neighbors !== 'auto' && { neighbors }) };
  return priorOfStrengths(
    {
      name: 'tsne',
      parameters: { strength: fixed(1) },
      prepare: ({ observations: Y }) => {
        const P = completed(jointProbabilities(Y, found));
        return byColumns((q) => studentDivergence(P, q, 'auto'));
      },
      logDensity: (p, X, { constants: divergence }) =>
        op.neg<Scalar>(op.mul(p.strength, plainFunction(X, divergence(X.shape[1])))),
    },
    { strength },
    [given],
  );
}

export interface UmapNeighborsOptions extends OptionsIn<typeof schema> {}

const orAll = "a number above 0, or 'all'";
/** Options of UMAP's edges and similarities. */
export const edgeOptions = {
  /** Number of neighbors of each observation, from 2; default 15, or all others for fewer points. */
  neighbors: v.optional(integerFrom(2)),
  /** Distance below which points are considered touching, from 0 and below 3·spread; default 0.1. */
  minDist: v.optional(numberFromZero, 0.1),
  /** Scale of larger distances, above 0; default 1. */
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

/** a and b of the latents' similarities. */
export function curveOf({ minDist, spread }: Pick<EdgeData, 'minDist' | 'spread'>) {
  if (minDist < 3 * spread) return similarityCurve(minDist, spread);
  throw new InvalidInputError(
    `minDist must be below three times the spread, ${3 * spread}, but ${minDist} was given. Give a smaller one, or a larger spread.`,
  );
}

const schema = v.strictObject({
  ...edgeOptions,
  /** Strength of the prior, ≥ 0; default fixed at 1. 0 turns the prior off. */
  strength: v.optional(typed<ParameterLike>()),
  /** Repulsion: by 'all' pairs (default), with weight 1 − v_ij, or the average over a number of negative samples per edge, above 0. */
  negatives: v.optional(negativesOption, 'all'),
});

/**
 * UMAP as a prior: the edges of the observations' neighbor graph exist with probabilities that decrease with the distance between latents,
 * strength·Σ_{i<j} v_ij·log w_ij + (1 − v_ij)·log(1 − w_ij), w = 1/(1 + a·d^{2b}). The prior is improper; the term `umap` is the exponent.
 *
 * If `negatives` is a number m, the repulsion is the average over m negative samples per edge, as UMAP uses it: m·(v_i + v_j)/(2N) instead of 1 −
 * v_ij. 1 − w is kept above 0.001·w, so that points may coincide. With more than a million pairs, pairs without an edge are a seeded sample.
 *
 * @param options - `strength` ≥ 0 (1), fixed unless a free parameter is passed; `neighbors` (15), `minDist` (0.1), `spread` (1), `negatives` ('all')
 * @throws InvalidInputError for an unknown option or one outside its range; when the model is evaluated, for more neighbors than other points
 * @see McInnes, Healy & Melville 2018, §3; Damrich & Hamprecht 2021, Theorem 1
 * @example
 * ```ts
 * umapNeighbors({ strength: 10, neighbors: 15, minDist: 0.1 });
 * ```
 */
export function umapNeighbors(options: UmapNeighborsOptions = {}): Prior<never> {
  const { strength, neighbors, ...rest } = checkOptions(schema, options, 'umapNeighbors');
  const curve = curveOf(rest);
  return priorOfStrengths(
    {
      name: 'umap',
      parameters: { strength: fixed(1) },
      prepare: ({ observations: Y }) => {
        const graph = completed(edgeProbabilities(Y, neighbors));
        return byColumns((q) => edgeLikelihood(graph, q, curve, rest.negatives));
      },
      logDensity: (p, X, { constants: likelihood }) =>
        op.mul<Scalar>(p.strength, plainFunction(X, likelihood(X.shape[1]))),
    },
    { strength },
    [{ strength, neighbors, ...rest }],
  );
}
