import type { Edges, Graph } from './graph.ts';

export interface EdgesJSON {
  readonly sources: readonly number[];
  readonly targets: readonly number[];
  readonly weights: readonly number[];
}

/** A graph as plain JSON; complete classes stay classes. */
export type GraphJSON =
  | ({ readonly size: number } & EdgesJSON)
  | { readonly classes: readonly number[]; readonly count: number; readonly rest: EdgesJSON };

export function graphToJSON(graph: Graph): GraphJSON {
  if (graph.complete === undefined) return { size: graph.size, ...edgesToJSON(graph) };
  const { classes, count, rest } = graph.complete;
  return { classes: Array.from(classes), count, rest: edgesToJSON(rest) };
}

const edgesToJSON = ({ sources, targets, weights }: Edges): EdgesJSON => ({
  sources: Array.from(sources),
  targets: Array.from(targets),
  weights: Array.from(weights),
});
