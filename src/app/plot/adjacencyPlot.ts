import type { Spec } from 'vega';
import { square } from '../../core/elementary/index.ts';
import { namedOptions } from '../../core/options.ts';
import { checkGraph, type Graph } from '../../engine/graph/graph.ts';
import { EDGE, FRAME } from './looks.ts';
import { checkPictureSize, renderSvg } from './render.ts';

export interface AdjacencyPlotOptions {
  readonly title?: string;
  /** Width and height of the matrix in pixels; default 400. */
  readonly size?: number;
}

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
  const { title, size = 400 } = namedOptions(options, 'adjacencyPlot', ['title', 'size']);
  checkPictureSize({ size });
  const joined = pairsOf(checkGraph(graph, 'adjacencyPlot'));
  const share = (100 * 2 * joined.length) / square(graph.size);
  const spec: Spec = {
    description: title ?? 'Weights of a graph',
    width: size,
    height: size,
    padding: 8,
    ...(title === undefined ? {} : { title }),
    data: [{ name: 'weights', values: [{ path: squares(joined, size / graph.size) }] }],
    marks: [
      {
        type: 'rect',
        aria: false,
        encode: {
          enter: { width: { value: size }, height: { value: size }, stroke: { value: FRAME }, fill: { value: null } },
        },
      },
      {
        type: 'path',
        name: 'entries',
        aria: false,
        from: { data: 'weights' },
        encode: { enter: { path: { field: 'path' }, fill: { value: EDGE } } },
      },
      {
        type: 'text',
        name: 'caption',
        aria: false,
        encode: {
          enter: {
            x: { value: size / 2 },
            y: { value: size + 20 },
            align: { value: 'center' },
            font: { value: 'sans-serif' },
            fontSize: { value: 13 },
            fill: { value: '#222222' },
            text: { value: `${2 * joined.length} of ${graph.size}² are not 0: ${share.toFixed(1)} %` },
          },
        },
      },
    ],
  };
  return renderSvg(spec);
}

/** The pairs with positive weight; a graph may contain edges of weight 0. */
const pairsOf = ({ sources, targets, weights }: Graph): (readonly [i: number, j: number])[] =>
  Array.from(weights.keys())
    .filter((e) => weights[e]! > 0)
    .map((e) => [sources[e]!, targets[e]!]);

/** Both entries of every pair as one path of squares, which are never too small to see. */
function squares(pairs: readonly (readonly [i: number, j: number])[], side: number): string {
  const drawn = Math.round(100 * Math.max(side, 1.5)) / 100;
  const square = (row: number, column: number) =>
    `M${Math.round(100 * column * side) / 100},${Math.round(100 * row * side) / 100}h${drawn}v${drawn}h${-drawn}Z`;
  return pairs.map(([i, j]) => square(i, j) + square(j, i)).join('');
}
