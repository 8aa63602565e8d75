import * as v from 'valibot';
import { InvalidInputError } from '../../../core/errors.ts';
import { connectedComponents } from '../../../numerics/graph/connectedComponents.ts';
import type { Graph } from '../../../numerics/graph/graph.ts';

export const disconnectedOption = v.optional(v.picklist(['error', 'largest'], "'error' or 'largest'"), 'error');

/** The points that can be shown together. */
export interface ShownComponent {
  /** Their numbers, ascending. */
  readonly points: Int32Array;
  /** How many components the whole graph has. */
  readonly components: number;
}

/**
 * All points of a connected graph; the largest component, the first of equals, of another.
 *
 * @throws InvalidInputError for a graph that is not connected, where that is an error
 */
export function shownComponent(graph: Graph, disconnected: 'error' | 'largest', name: string): ShownComponent {
  const { labels, sizes } = connectedComponents(graph);
  const shown = sizes.indexOf(sizes.reduce((most, size) => Math.max(most, size)));
  if (sizes.length > 1 && disconnected === 'error') {
    throw new InvalidInputError(
      `The graph of neighbours has ${sizes.length} components, the largest of ${sizes[shown]} of ${graph.size} points, so ${name} has no ` +
        "distance between some points. Take more neighbours or a larger radius, or disconnected: 'largest'.",
    );
  }
  return { points: Int32Array.from(labels.keys()).filter((i) => labels[i] === shown), components: sizes.length };
}
