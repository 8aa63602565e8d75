import { InvalidInputError } from '../../core/errors.ts';
import { mergedEdges } from './edges.ts';
import { type CompleteClasses, checkGraph, type Edges, type Graph } from './graph.ts';
import { classGraph } from './labelGraph.ts';

/**
 * The graph with the edges of both; an edge that both have keeps the larger weight. Joined with a neighbourhood graph, a label
 * graph with missing labels is the semi-supervised one; its classes keep their closed form.
 *
 * @param a - a graph on N points
 * @param b - another on the same points
 * @throws InvalidInputError when they are not graphs on the same number of points
 * @example
 * ```ts
 * graphUnion(labelGraph(labels), knnGraph(Y, 5));
 * ```
 */
export function graphUnion(a: Graph, b: Graph): Graph {
  checkGraph(a, 'graphUnion');
  checkGraph(b, 'graphUnion');
  if (a.size !== b.size) {
    throw new InvalidInputError(
      `graphUnion joins graphs on the same points, but one has ${a.size} points and the other ${b.size}.`,
    );
  }
  if (a.complete !== undefined) return withClasses(a.complete, b);
  if (b.complete !== undefined) return withClasses(b.complete, a);
  return Object.freeze({ size: a.size, ...mergedEdges(a, b, Math.max) });
}

/** Classes count 1 for each of their edges, so only what other edges weigh above that is added to them. */
function withClasses(complete: CompleteClasses, other: Edges): Graph {
  const { classes, count, rest } = complete;
  const within = (e: number) => {
    const c = classes[other.sources[e]!]!;
    return c >= 0 && c === classes[other.targets[e]!]!;
  };
  const beyond = other.weights.map((weight, e) => (within(e) ? weight - 1 : weight));
  const kept = Int32Array.from(beyond.keys()).filter((e) => !within(e) || beyond[e]! > 0);
  const added: Edges = {
    sources: kept.map((e) => other.sources[e]!),
    targets: kept.map((e) => other.targets[e]!),
    weights: Float64Array.from(kept, (e) => beyond[e]!),
  };
  return classGraph({ classes, count, rest: mergedEdges(rest, added, Math.max) });
}
