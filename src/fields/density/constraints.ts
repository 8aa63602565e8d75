import { InvalidInputError } from '../../core/errors.ts';
import { type FieldProblem, weightScale } from '../../inference/solvers/fields/fieldProblem.ts';
import { box, type Parameter } from '../../model/parameter.ts';
import { checkGraph, type Graph } from '../../numerics/graph/graph.ts';
import type { Rank } from '../../tensors/tensorflow.ts';

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
  return box(0, upper, start, { scale: squaredDistances.map((distance) => weightScale(problem, distance)) });
}
