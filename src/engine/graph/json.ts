import * as v from 'valibot';
import { listOf, type OptionsIn } from '../../core/options.ts';
import { checkSaved } from '../../core/saved.ts';
import { checkGraph, type Edges, type Graph } from './graph.ts';
import { classGraph } from './labelGraph.ts';

export interface EdgesJSON extends OptionsIn<typeof edges> {}

/** A graph as plain JSON; complete classes are kept as classes. */
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

/**
 * Reads a graph written by `graphToJSON`.
 *
 * @throws InvalidInputError if it is not a saved graph
 */
export function graphFromJSON(json: unknown): Graph {
  const saved = checkSaved(schema, json, '.');
  if ('classes' in saved) {
    const { classes, count, rest } = saved;
    const read = classGraph({ classes: Int32Array.from(classes), count, rest: edgesFromJSON(rest) });
    return checkGraph(read, 'A saved prior');
  }
  return checkGraph(Object.freeze({ size: saved.size, ...edgesFromJSON(saved) }), 'A saved prior');
}

const whole = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 31 - 1));
const edges = {
  sources: listOf(whole),
  targets: listOf(whole),
  weights: listOf(v.pipe(v.number(), v.finite())),
};
const schema = v.union([
  v.strictObject({ size: whole, ...edges }),
  v.strictObject({
    classes: v.array(v.pipe(v.number(), v.integer(), v.minValue(-1))),
    count: whole,
    rest: v.strictObject(edges),
  }),
]);

const edgesFromJSON = ({ sources, targets, weights }: EdgesJSON): Edges => ({
  sources: Int32Array.from(sources),
  targets: Int32Array.from(targets),
  weights: Float64Array.from(weights),
});
