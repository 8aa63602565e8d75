import { nice } from 'd3-array';
import * as v from 'valibot';
import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { checkGiven, checkOptions, type OptionsIn } from '../../core/options.ts';
import { checkGraph, type Graph } from '../../engine/graph/graph.ts';
import { type Axis, sceneSvg } from '../../scene/index.ts';
import { EDGE, PRIMARY } from './looks.ts';
import { pixels, titleOption } from './render.ts';

export interface AdjacencyPlotOptions extends OptionsIn<typeof adjacencySchema> {}

const adjacencySchema = v.strictObject({
  title: titleOption,
  /** Width and height of the matrix in pixels; default 400. */
  size: v.optional(pixels, 400),
});

/**
 * Draws the edges of a graph: the symmetric N×N matrix of its weights, row i from the top and column j from the left, with a square for every nonzero
 * entry, however small. A caption counts them: W_ij and W_ji are two of N².
 *
 * @param graph - a graph on N points, such as the learned one of a fit
 * @param options - see {@link AdjacencyPlotOptions}
 * @returns the picture as SVG text
 * @throws InvalidInputError if it is not a graph
 * @see Mao et al. 2017, Figs. 2 and 3, the second rows
 * @example
 * ```ts
 * const { graph } = await fit(mpme(Y));
 * const svg = await adjacencyPlot(graph!);
 * ```
 */
export async function adjacencyPlot(graph: Graph, options: AdjacencyPlotOptions = {}): Promise<string> {
  const { title, size } = checkOptions(adjacencySchema, options, 'adjacencyPlot');
  const joined = pairsOf(checkGraph(graph, 'adjacencyPlot'));
  const share = (100 * 2 * joined.length) / square(graph.size);
  const caption = `${2 * joined.length} of ${graph.size}² are not 0: ${share.toFixed(1)} %`;
  return sceneSvg({
    ...{ width: size, height: size, description: title ?? 'Weights of a graph', ...(title !== undefined && { title }) },
    ...{ x: { domain: [0, graph.size] }, y: { domain: [0, graph.size] }, legends: [] },
    marks: [
      {
        ...{ mark: 'cells', name: 'entries', rows: graph.size, columns: graph.size, color: EDGE },
        at: joined.flatMap(([i, j]) => [[i, j] as const, [j, i] as const]),
      },
      { mark: 'note', name: 'caption', text: caption },
    ],
  });
}

/** The pairs with positive weight; a graph may contain edges of weight 0. */
const pairsOf = ({ sources, targets, weights }: Graph): (readonly [i: number, j: number])[] =>
  Array.from(weights.keys())
    .filter((e) => weights[e]! > 0)
    .map((e) => [sources[e]!, targets[e]!]);

export interface TracePlotOptions extends OptionsIn<typeof traceSchema> {}

const traceSchema = v.strictObject({
  title: titleOption,
  /** Width of the area between the axes in pixels; default 460. */
  width: v.optional(pixels, 460),
  /** Height of the area between the axes in pixels; default 280. */
  height: v.optional(pixels, 280),
});

/**
 * Draws the objective against the number of its evaluations.
 *
 * @param trace - the trace of a fit, at least one entry
 * @param options - see {@link TracePlotOptions}
 * @returns the picture as SVG text
 * @throws InvalidInputError if the trace is empty or has a number that is not finite
 * @example
 * ```ts
 * const svg = await tracePlot(result.trace);
 * ```
 */
export async function tracePlot(
  trace: readonly { readonly evaluations: number; readonly objective: number }[],
  options: TracePlotOptions = {},
): Promise<string> {
  const { title, ...size } = checkOptions(traceSchema, options, 'tracePlot');
  checkGiven(trace, 'tracePlot', 'the trace of a fit, a list', (given) => Array.isArray(given) && given.every(Boolean));
  const bad = trace.findIndex((entry) => !Number.isFinite(entry.evaluations) || !Number.isFinite(entry.objective));
  if (trace.length === 0 || bad >= 0) {
    throw new InvalidInputError(
      trace.length === 0
        ? 'A trace plot takes at least one entry, but the trace is empty.'
        : `A trace must be finite, but entry ${bad} is ${trace[bad]!.objective} after ${trace[bad]!.evaluations} evaluations.`,
    );
  }
  const [x, y] = [trace.map(({ evaluations }) => evaluations), trace.map(({ objective }) => objective)];
  return sceneSvg({
    ...{ ...size, description: title ?? 'Objective by evaluations', ...(title !== undefined && { title }) },
    x: { domain: domainOf(x), title: 'evaluations', ticks: 6 },
    y: { domain: nice(...domainOf(y), 6), title: 'objective', ticks: 6, grid: true },
    marks: [{ mark: 'lines', name: 'curve', lines: [{ x, y, color: PRIMARY, width: 1.75 }] }],
    legends: [],
  });
}

/** Smallest and largest value; widened to both sides if all values are equal. */
export function domainOf(values: readonly number[]): Axis['domain'] {
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  const some = Math.abs(low) / 2 || 1;
  return high > low ? [low, high] : [low - some, high + some];
}
