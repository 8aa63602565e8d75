import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { checkAllPairs } from '../../core/observations.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import type { Graph } from '../graph/graph.ts';
import { type Metric, metricNeighboursInParts } from '../neighbours/index.ts';
import { joinedWeights, perplexityWeights } from './affinities.ts';

/** How far the probabilities of pairs reach. */
export interface NeighbourOptions {
  readonly perplexity?: number;
  readonly neighbours: number | 'all' | 'auto';
  /** Euclidean unless given. */
  readonly metric?: Metric;
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
  { perplexity = perplexityFor(Y.rows), neighbours, metric = 'euclidean' }: NeighbourOptions,
  who = "prior 'tsne'",
): ProgressiveWork<Graph> {
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
  const found = yield* metricNeighboursInParts(metric, Y, k);
  return joinedWeights(N, found.indices, perplexityWeights(found, k, perplexity), (p, q) => (p + q) / (2 * N));
}
