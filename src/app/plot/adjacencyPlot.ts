import { square } from '../../core/elementary/index.ts';
import { withDefaults } from '../../core/options.ts';
import { checkGraph, type Graph } from '../../engine/graph/graph.ts';
import { EDGE, FRAME } from './looks.ts';
import { checkPictureSize, markOf, pictureOf, renderSvg } from './render.ts';

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
  const { title, size } = withDefaults(options, 'adjacencyPlot', { title: undefined, size: 400 });
  checkPictureSize({ size });
  const joined = pairsOf(checkGraph(graph, 'adjacencyPlot'));
  const share = (100 * 2 * joined.length) / square(graph.size);
  const caption = `${2 * joined.length} of ${graph.size}² are not 0: ${share.toFixed(1)} %`;
  const spec = pictureOf(
    { title, description: 'Weights of a graph', width: size, height: size },
    {
      data: [{ name: 'weights', values: [{ path: squares(joined, size / graph.size) }] }],
      marks: [
        markOf(
          'rect',
          {},
          { width: { value: size }, height: { value: size }, stroke: { value: FRAME }, fill: { value: null } },
        ),
        markOf('path', { name: 'entries', data: 'weights' }, { path: { field: 'path' }, fill: { value: EDGE } }),
        markOf(
          'text',
          { name: 'caption' },
          {
            x: { value: size / 2 },
            y: { value: size + 20 },
            align: { value: 'center' },
            font: { value: 'sans-serif' },
            fontSize: { value: 13 },
            fill: { value: '#222222' },
            text: { value: caption },
          },
        ),
      ],
    },
  );
  return renderSvg(spec);
}

/** The pairs with positive weight; a graph may contain edges of weight 0. */
const pairsOf = ({ sources, targets, weights }: Graph): (readonly [i: number, j: number])[] =>
  Array.from(weights.keys())
    .filter((e) => weights[e]! > 0)
    .map((e) => [sources[e]!, targets[e]!]);

/** Path of squares for both entries of every pair; squares are never too small to see. */
function squares(pairs: readonly (readonly [i: number, j: number])[], side: number): string {
  const drawn = Math.round(100 * Math.max(side, 1.5)) / 100;
  const square = (row: number, column: number) =>
    `M${Math.round(100 * column * side) / 100},${Math.round(100 * row * side) / 100}h${drawn}v${drawn}h${-drawn}Z`;
  return pairs.map(([i, j]) => square(i, j) + square(j, i)).join('');
}
