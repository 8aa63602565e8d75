import { unitsAdvice } from '../../../core/columnUnits.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import { describe, type Matrix } from '../../../core/matrix.ts';
import type { ProgressiveWork } from '../../../core/progressiveWork.ts';
import { edgesOfPairs, type Graph, incidentEdges, pairKey } from '../../../engine/graph/graph.ts';
import { squaredDistance } from '../../../engine/neighbours/squaredDistance.ts';
import { type NeighbourhoodOptions, neighbourhoodGraph, radiusTooSmall } from './neighbourhood.ts';

/** Points, their distances, or a graph from elsewhere alone: what neighbours are found in. */
export interface NeighbourInput {
  /** N×D points, or the N×N distances; 0×0 beside a graph alone. */
  readonly points: Matrix;
  readonly input: 'points' | 'distances' | 'graph';
  /** A graph from elsewhere, whose weights are lengths. */
  readonly graph?: Graph | undefined;
}

/** How many points there are. */
export const sizeOf = ({ points, graph }: NeighbourInput): number => graph?.size ?? points.rows;

/** Advice in a fit's message where neighbours are those of columns that seem to have different units. */
export const unitsAdviceOf = ({ points, input, graph }: NeighbourInput): string =>
  input === 'points' && graph === undefined ? unitsAdvice(points) : '';

/** The graph of neighbours, whose weights are how far they are apart; searched with pauses. */
export function* neighbourLengths(
  given: NeighbourInput,
  neighbourhood: NeighbourhoodOptions,
  name: string,
): ProgressiveWork<Graph> {
  if (given.graph !== undefined) return given.graph;
  const graph =
    given.input === 'points'
      ? yield* neighbourhoodGraph(given.points, neighbourhood, name)
      : distanceGraph(given.points, neighbourhood, name);
  const lengthOf = lengthsOf(given);
  return { ...graph, weights: graph.weights.map((_, e) => lengthOf(graph.sources[e]!, graph.targets[e]!)) };
}

/** The graph that joins in addition all points that have a neighbour in common, whose weights are how far they are apart. */
export function withCommonNeighbours(graph: Graph, given: NeighbourInput): Graph {
  const { size: N, sources, targets } = graph;
  const { starts, others } = incidentEdges(graph);
  const keys = Array.from(sources, (i, e) => pairKey(i, targets[e]!, N));
  for (let i = 0; i < N; i++) {
    for (let a = starts[i]!; a < starts[i + 1]!; a++) {
      for (let b = starts[i]!; b < a; b++) keys.push(pairKey(others[a]!, others[b]!, N));
    }
  }
  return { size: N, ...edgesOfPairs(Float64Array.from(keys), N, lengthsOf(given)) };
}

/** How far two points are apart, by points or distances. */
export function lengthsOf({ points, input }: NeighbourInput): (i: number, j: number) => number {
  const { data, columns: D } = points;
  return input === 'points' ? (i, j) => Math.sqrt(squaredDistance(data, i * D, j * D, D)) : (i, j) => points.at(i, j);
}

/** The graph of neighbours by distances, ties by index. */
function distanceGraph(distances: Matrix, { neighbours, radius }: NeighbourhoodOptions, name: string): Graph {
  const { rows: N } = distances;
  if (radius !== undefined && !(radius > 0)) {
    throw new InvalidInputError(`${name} takes a radius above 0, but ${describe(radius)} was given.`);
  }
  const keys: number[] = [];
  const others = (i: number) => Array.from({ length: N }, (_, j) => j).filter((j) => j !== i);
  for (let i = 0; i < N; i++) {
    const near =
      radius === undefined
        ? others(i)
            .sort((a, b) => distances.at(i, a) - distances.at(i, b) || a - b)
            .slice(0, neighbours)
        : others(i).filter((j) => distances.at(i, j) <= radius);
    for (const j of near) keys.push(pairKey(i, j, N));
  }
  if (radius !== undefined && keys.length === 0) {
    const between = distances.data.filter((_, p) => p % (N + 1) !== 0);
    throw radiusTooSmall(name, radius, N, between);
  }
  return { size: N, ...edgesOfPairs(Float64Array.from(keys), N, () => 1) };
}
