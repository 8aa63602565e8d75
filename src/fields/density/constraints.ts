import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { checkGraph, type Edges, type Graph } from '../../engine/graph/graph.ts';
import type { Rank } from '../../engine/tensors/tensorflow.ts';
import { box, type Parameter } from '../../model/parameter.ts';
import { type FieldProblem, weightScales } from '../solvers/fieldProblem.ts';

/** Numbers of the field whose distances are constrained, see {@link FieldProblem}. */
export interface FieldNumbers {
  readonly graph: Graph;
  readonly basePrecision: number;
  readonly copies: number;
  /** C: weights are at most 4C. */
  readonly slackPenalty: number;
}

/** @throws InvalidInputError for what is no graph, or one without edges */
export function constrainedGraph(given: unknown): Graph {
  const graph = checkGraph(given, 'maxEntropy');
  if (graph.sources.length > 0) return graph;
  throw new InvalidInputError(
    'maxEntropy takes a graph with edges, but this one has none. Take one such as knnGraph(Y, 7).',
  );
}

export function fieldProblem(
  { graph, basePrecision, copies, slackPenalty }: FieldNumbers,
  squaredDistances: Float64Array,
): FieldProblem {
  const { size, sources, targets } = graph;
  return { size, sources, targets, squaredDistances, basePrecision, copies, upper: 4 * slackPenalty };
}

/** The multipliers of given distances, in [0, 4C] from 0 on. */
export function fieldWeights(problem: FieldProblem): Parameter<Rank.R1> {
  const { squaredDistances, upper } = problem;
  const start = new Array<number>(squaredDistances.length).fill(0);
  return box(0, upper, start, { scale: weightScales(problem) });
}

/**
 * Squared distances of the edges of a graph.
 *
 * @param isUnbounded - whether nothing bounds the weight of an edge at distance 0
 * @throws InvalidInputError when they are not one number an edge, finite and from 0, or above 0 where weights are unbounded
 */
export function checkDistances(
  values: ArrayLike<number>,
  { sources, targets }: Pick<Edges, 'sources' | 'targets'>,
  name: string,
  isUnbounded: boolean,
): Float64Array {
  if (typeof values !== 'object' || values === null || values.length !== sources.length) {
    throw new InvalidInputError(
      `${name} takes squaredDistances as a list of one number for each of the ${sources.length} edges, but ` +
        `${typeof values === 'object' && values !== null ? `${values.length} were given` : `${describe(values)} was given`}.`,
    );
  }
  const distances = Float64Array.from(values);
  const bad = firstNotDistance(distances);
  if (bad >= 0) {
    throw new InvalidInputError(
      `Squared distances are finite numbers from 0, but that of edge ${bad}, between points ${sources[bad]} and ${targets[bad]}, is ${distances[bad]}.`,
    );
  }
  const equal = isUnbounded ? distances.indexOf(0) : -1;
  if (equal >= 0) {
    throw new InvalidInputError(
      `Points ${sources[equal]} and ${targets[equal]} are the same (their distance is 0), so with slackPenalty Infinity nothing bounds the weight between ` +
        'them. Remove duplicate points, or give a finite slackPenalty.',
    );
  }
  return distances;
}

/** Index of the first entry that is not finite and from 0, −1 if there is none. A plain loop, as `firstNotFinite`. */
function firstNotDistance(entries: Float64Array): number {
  for (let e = 0; e < entries.length; e++) if (!(entries[e]! >= 0 && entries[e]! < Infinity)) return e;
  return -1;
}
