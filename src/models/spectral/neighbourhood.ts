import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { connectedComponents } from '../../core/graph/connectedComponents.ts';
import type { Graph } from '../../core/graph/graph.ts';
import { type EdgeWeights, epsilonGraph, knnGraph } from '../../core/graph/index.ts';
import type { Matrix } from '../../core/matrix.ts';

/** Which points are neighbours: one of the two. */
export interface NeighbourhoodOptions {
  /** k of the symmetrised k-nearest-neighbour graph; 7 when neither is given. */
  readonly neighbours?: number;
  /** Points no further apart than this are neighbours. */
  readonly radius?: number;
}

export const neighbourhoodOptions = { neighbours: v.optional(v.any()), radius: v.optional(v.any()) };

/** What was asked for, with the default. */
export function neighbourhoodFrom({ neighbours, radius }: { neighbours?: unknown; radius?: unknown }, name: string) {
  if (neighbours !== undefined && radius !== undefined) {
    throw new InvalidInputError(`${name} takes either neighbours or radius, but both were given.`);
  }
  return radius === undefined ? { neighbours: (neighbours ?? 7) as number } : { radius: radius as number };
}

/** The graph of neighbours. */
export function neighbourhoodGraph(
  points: Matrix,
  { neighbours, radius }: NeighbourhoodOptions,
  weights: EdgeWeights = {},
): Graph {
  return radius === undefined ? knnGraph(points, neighbours!, weights) : epsilonGraph(points, radius, weights);
}

/** A sentence about a graph that is not connected; nothing about one that is. */
export function componentsNote(graph: Pick<Graph, 'size' | 'sources' | 'targets'>): string {
  const { sizes } = connectedComponents(graph);
  if (sizes.length === 1) return '';
  const largest = sizes.reduce((most, size) => Math.max(most, size));
  return (
    ` The graph of neighbours has ${sizes.length} components, the largest of ${largest} of ${graph.size} points, so as many eigenvalues are 0 and ` +
    'the first columns tell components apart only. Take more neighbours or a larger radius.'
  );
}
