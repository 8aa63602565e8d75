import * as v from 'valibot';
import { InvalidInputError } from '../../../core/errors.ts';
import { componentTree, componentTreeOf } from '../../../engine/graph/componentTree.ts';
import { connectedComponents } from '../../../engine/graph/connectedComponents.ts';
import { edgesOfPairs, type Graph, mergedEdges } from '../../../engine/graph/graph.ts';
import { lengthsOf, type NeighbourInput } from './neighbourLengths.ts';

/**
 * What to do about a graph of neighbours that is not connected: 'connect' its components by the shortest edges between them, show the
 * points of the 'largest' alone, or throw an 'error'.
 */
export type Disconnected = 'connect' | 'largest' | 'error';

export const disconnectedOption = v.optional(
  v.picklist(['connect', 'largest', 'error'], "'connect', 'largest' or 'error'"),
  'connect',
);

/** The points that are shown together, and the graph that joins them. */
export interface ShownComponent {
  /** Graph of all points, with the edges that were added. */
  readonly graph: Graph;
  /** Their numbers, ascending. */
  readonly points: Int32Array;
  /** A sentence about what was done to a graph that was not connected, after a space. */
  readonly note: string;
}

/**
 * All points of a connected graph; of another all, joined by its shortest edges, or the largest component, the first of equals.
 *
 * @param graph - of neighbours, whose weights are lengths
 * @throws InvalidInputError for a graph that is not connected, where that is an error or lengths between its components are not known
 */
export function shownComponent(
  graph: Graph,
  given: NeighbourInput,
  disconnected: Disconnected,
  name: string,
): ShownComponent {
  const { labels, sizes } = connectedComponents(graph);
  const all = Int32Array.from(labels.keys());
  const approximate = recallNote(graph);
  if (sizes.length === 1) return { graph, points: all, note: approximate };
  const largest = sizes.reduce((most, size) => Math.max(most, size));
  const found = `The graph of neighbours has ${sizes.length} components, the largest of ${largest} of ${graph.size} points`;
  if (disconnected === 'largest') {
    const points = all.filter((i) => labels[i] === sizes.indexOf(largest));
    return { graph, points, note: `${approximate} ${found}, which alone are shown: parameters.points lists them.` };
  }
  if (disconnected === 'error') {
    throw new InvalidInputError(
      `${found}, so ${name} has no distance between some points. Take more neighbours or a larger radius, or disconnected: 'connect' or 'largest'.`,
    );
  }
  if (given.input === 'graph') {
    throw new InvalidInputError(
      `${found}, and no distances between them were given, so ${name} cannot connect them. Give a graph that is connected, or disconnected: 'largest'.`,
    );
  }
  const tree = given.input === 'points' ? componentTree(graph, given.points) : componentTreeOf(graph, given.points);
  const keys = Float64Array.from(tree.sources, (i, e) => i * graph.size + tree.targets[e]!);
  const added = edgesOfPairs(keys, graph.size, lengthsOf(given));
  const edges =
    keys.length === 1 ? 'The shortest edge between them joins' : `The ${keys.length} shortest edges between them join`;
  return {
    graph: Object.freeze({ size: graph.size, ...mergedEdges(graph, added, Math.min) }),
    points: all,
    note: `${approximate} ${found}. ${edges} them.`,
  };
}

/** A sentence about neighbours that were searched approximately. */
const recallNote = ({ recall }: Graph): string =>
  recall === undefined
    ? ''
    : ` The neighbours are approximate: about ${(100 * recall).toFixed(1)} % of the nearest were found (neighbourSearch: 'exact' finds all).`;
