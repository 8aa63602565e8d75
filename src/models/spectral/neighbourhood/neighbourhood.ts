import * as v from 'valibot';
import { InvalidInputError } from '../../../core/errors.ts';
import type { Matrix } from '../../../core/matrix.ts';
import type { ProgressiveWork } from '../../../core/progressiveWork.ts';
import { searchedKnnGraph } from '../../../engine/graph/approximateKnnGraph.ts';
import { connectedComponents } from '../../../engine/graph/connectedComponents.ts';
import type { Graph } from '../../../engine/graph/graph.ts';
import type { EdgeWeights } from '../../../engine/graph/index.ts';
import { epsilonGraphInParts } from '../../../engine/graph/neighbourhoodGraph.ts';
import { type NeighbourSearch, nearestNeighbours } from '../../../engine/neighbours/index.ts';
import { neighbourCount } from './usualNeighbours.ts';

/** Which points are neighbours: one of the two. */
export interface NeighbourhoodOptions {
  /** k of the symmetrised k-nearest-neighbour graph; 7 when neither is given, or all others of fewer points. */
  readonly neighbours?: number;
  /** Points no further apart than this are neighbours. */
  readonly radius?: number;
  /**
   * How k nearest neighbours are searched: 'exact'; 'descent', approximate, for many points in many dimensions; 'auto' (unless given), exact up to
   * 50 000 points. Where they are approximate, the fit's `message` says what part was found.
   */
  readonly neighbourSearch?: NeighbourSearch;
}

export const neighbourhoodOptions = {
  neighbours: v.optional(v.any()),
  radius: v.optional(v.any()),
  neighbourSearch: v.optional(v.picklist(['exact', 'descent', 'auto'], "'exact', 'descent' or 'auto'")),
};

/** The requested neighbourhood with its defaults and a sentence about them, for N points, unless a graph gives the neighbours. */
export function neighbourhoodFrom(
  {
    neighbours,
    radius,
    neighbourSearch,
  }: { neighbours?: unknown; radius?: unknown; neighbourSearch?: NeighbourSearch | undefined },
  name: string,
  N: number = Infinity,
): { readonly neighbourhood: NeighbourhoodOptions; readonly few: string } {
  if (neighbours !== undefined && radius !== undefined) {
    throw new InvalidInputError(`${name} takes either neighbours or radius, but both were given.`);
  }
  if (radius !== undefined) return { neighbourhood: { radius: radius as number }, few: '' };
  const search = neighbourSearch && { neighbourSearch };
  if (N === Infinity) return { neighbourhood: { neighbours: (neighbours ?? 7) as number, ...search }, few: '' };
  const { k, note } = neighbourCount(neighbours, N, name);
  return { neighbourhood: { neighbours: k, ...search }, few: note };
}

/**
 * The graph of neighbours, searched with pauses.
 *
 * @throws InvalidInputError when no two points are neighbours
 */
export function* neighbourhoodGraph(
  points: Matrix,
  { neighbours, radius, neighbourSearch = 'auto' }: NeighbourhoodOptions,
  name: string,
  weights: EdgeWeights = {},
): ProgressiveWork<Graph> {
  if (radius === undefined) return yield* searchedKnnGraph(points, neighbours!, neighbourSearch, weights, name);
  const graph = yield* epsilonGraphInParts(points, radius, weights);
  if (graph.sources.length > 0) return graph;
  const { distances } = nearestNeighbours(points, 1);
  throw radiusTooSmall(name, radius, points.rows, distances);
}

/** The message for a radius that joins no two points, given the distances of nearest neighbours. */
export function radiusTooSmall(
  name: string,
  radius: number,
  size: number,
  distances: Iterable<number>,
): InvalidInputError {
  let least = Infinity;
  for (const distance of distances) least = Math.min(least, distance);
  return new InvalidInputError(
    `Within the radius ${radius} of ${name} none of the ${size} points has a neighbour, so the graph has no edges: the nearest two points are ` +
      `${Number(least.toPrecision(4))} apart. Take a larger radius, or give neighbours instead.`,
  );
}

/** A sentence about a graph whose edges of positive weight do not connect it; nothing about another. */
export function componentsNote({ size, sources, targets, weights }: Graph): string {
  const kept = Int32Array.from(sources.keys()).filter((e) => weights[e]! > 0);
  const { sizes } = connectedComponents({
    size,
    sources: kept.map((e) => sources[e]!),
    targets: kept.map((e) => targets[e]!),
  });
  if (sizes.length === 1) return '';
  const largest = sizes.reduce((most, count) => Math.max(most, count));
  return (
    ` Its edges of positive weight leave ${sizes.length} components, the largest of ${largest} of ${size} points. ` +
    'The first columns only separate them. Take a larger width.'
  );
}
