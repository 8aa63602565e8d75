import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import { checkOptions, integerFrom, numberAboveZero, numberFromZero } from '../core/options.ts';
import { completed, type ProgressiveWork } from '../core/progressiveWork.ts';
import { checkSaved } from '../core/saved.ts';
import type { Graph } from '../engine/graph/graph.ts';
import { joinedWeights, memberships, similarityCurve } from '../engine/neighbourEmbedding/affinities.ts';
import { edgeLikelihood, type Negatives } from '../engine/neighbourEmbedding/edgeLikelihood.ts';
import { type Metric, metricNeighboursInParts } from '../engine/neighbours/index.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar } from '../engine/tensors/tensorflow.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import { definePrior, notNegative, type Prior } from './definePrior.ts';
import { byColumns, plainFunction } from './plainFunction.ts';

/** What UMAP takes of observations and latents. */
export interface EdgeOptions {
  /** Neighbours of each observation, from 2; 15, or all others of fewer points, unless given. */
  readonly neighbours?: number;
  /** Distance up to which latents are as near as can be, from 0 and below 3·spread; 0.1 unless given. */
  readonly minDist?: number;
  /** Scale of the distances beyond, above 0; 1 unless given. */
  readonly spread?: number;
  /**
   * What repels: 'all' pairs by 1 − v_ij, or so many negative samples an edge, above 0, by what they repel on average; 'all' in a factor and 5 in the model `umap`
   * unless given.
   */
  readonly negatives?: Negatives;
}

export interface UmapNeighboursOptions extends EdgeOptions {
  /** ≥ 0, held at 1 unless given; 0 turns the prior off. */
  readonly strength?: ParameterLike;
}

const orAll = "a number above 0, or 'all'";
export const edgeOptions = {
  neighbours: v.optional(integerFrom(2)),
  minDist: v.optional(numberFromZero, 0.1),
  spread: v.optional(numberAboveZero, 1),
};
const negativesOption = v.union(
  [v.literal('all'), v.pipe(v.number(orAll), v.finite(orAll), v.gtValue(0, orAll))],
  orAll,
);

export type EdgeData = v.InferOutput<v.StrictObjectSchema<typeof edgeOptions, undefined>> & {
  readonly negatives: Negatives;
};

export const usualNeighbours = (N: number) => Math.min(15, N - 1);

/**
 * The graph of neighbours with the weights v_ij = v_j|i + v_i|j − v_j|i·v_i|j, v_j|i = exp(−max(0, d_ij − ρ_i)/σ_i).
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
  const k = given ?? usualNeighbours(N);
  if (k > N - 1) {
    throw new InvalidInputError(
      `The ${who} was given ${k} neighbours of each point, but there are ${N - 1} other points. Give neighbours from 2 to ${N - 1}.`,
    );
  }
  const found = yield* metricNeighboursInParts(metric, Y, k);
  return joinedWeights(N, found.indices, memberships(found, k), (one, other) => one + other - one * other);
}

/** a and b of the similarities of latents. */
export function curveOf({ minDist, spread }: Pick<EdgeData, 'minDist' | 'spread'>) {
  if (minDist < 3 * spread) return similarityCurve(minDist, spread);
  throw new InvalidInputError(
    `minDist must be below three times the spread, ${3 * spread}, but ${minDist} was given. Give a smaller one, or a larger spread.`,
  );
}

const savedSchema = v.strictObject({ ...edgeOptions, negatives: negativesOption });

export const umapNeighboursFactory = definePrior({
  name: 'umap',
  parameters: { strength: fixed(1) },
  data: {
    toJSON: (data: EdgeData) => data,
    fromJSON: (json): EdgeData => checkSaved(savedSchema, json, '.') as EdgeData,
  },
  prepare: (Y, data) => {
    const graph = completed(edgeProbabilities(Y, data.neighbours));
    const curve = curveOf(data);
    return byColumns((q) => edgeLikelihood(graph, q, curve, data.negatives));
  },
  logDensity: (p, X, { constants: likelihood }) => op.mul<Scalar>(p.strength, plainFunction(X, likelihood(X.shape[1]))),
});

const schema = v.strictObject({
  ...edgeOptions,
  strength: v.optional(v.any()),
  negatives: v.optional(negativesOption, 'all'),
});

/**
 * UMAP as a factor: the edges of the observations' graph of neighbours are there with probabilities that fall with the distance of latents,
 * strength·Σ_{i<j} v_ij·log w_ij + (1 − v_ij)·log(1 − w_ij), w = 1/(1 + a·d^{2b}). Improper: the term `umap` is the exponent.
 *
 * With `negatives` a number m, what repels is what m negative samples an edge repel on average, which is what UMAP searches by: m·(v_i + v_j)/(2N) in the place of
 * 1 − v_ij. 1 − w is kept above 0.001·w, so that points may coincide. Of more than a million pairs those without an edge are a seeded sample.
 *
 * @param options - `strength` ≥ 0 (1), held unless a free parameter is given; `neighbours` (15), `minDist` (0.1), `spread` (1), `negatives` ('all')
 * @throws InvalidInputError for an unknown option or one out of its range; when the model is evaluated, for more neighbours than there are
 * @see McInnes, Healy & Melville 2018, §3; Damrich & Hamprecht 2021, Theorem 1
 * @example
 * ```ts
 * umapNeighbours({ strength: 10, neighbours: 15, minDist: 0.1 });
 * ```
 */
export function umapNeighbours(options: UmapNeighboursOptions = {}): Prior {
  const { strength, neighbours, ...rest } = checkOptions(schema, options, 'umapNeighbours');
  curveOf(rest);
  const data: EdgeData = Object.freeze({ ...(neighbours !== undefined && { neighbours }), ...rest });
  return notNegative(umapNeighboursFactory({ strength } as { strength: ParameterLike }, data), ['strength']);
}
