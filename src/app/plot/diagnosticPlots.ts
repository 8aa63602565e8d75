import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { checkGiven, withDefaults } from '../../core/options.ts';
import { checkGraph, type Graph } from '../../engine/graph/graph.ts';
import { EDGE, FRAME, PRIMARY } from './looks.ts';
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

export interface TracePlotOptions {
  readonly title?: string;
  /** Width of the area between the axes in pixels; default 460. */
  readonly width?: number;
  /** Height of the area between the axes in pixels; default 280. */
  readonly height?: number;
}

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
  const { title, ...size } = withDefaults(options, 'tracePlot', { title: undefined, width: 460, height: 280 });
  checkGiven(trace, 'tracePlot', 'the trace of a fit, a list', (given) => Array.isArray(given) && given.every(Boolean));
  checkPictureSize(size);
  const bad = trace.findIndex((entry) => !Number.isFinite(entry.evaluations) || !Number.isFinite(entry.objective));
  if (trace.length === 0 || bad >= 0) {
    throw new InvalidInputError(
      trace.length === 0
        ? 'A trace plot takes at least one entry, but the trace is empty.'
        : `A trace must be finite, but entry ${bad} is ${trace[bad]!.objective} after ${trace[bad]!.evaluations} evaluations.`,
    );
  }
  const spec = pictureOf(
    { title, description: 'Objective by evaluations', ...size },
    {
      data: [{ name: 'trace', values: trace.map(({ evaluations, objective }) => ({ evaluations, objective })) }],
      scales: [
        { name: 'x', type: 'linear', range: 'width', zero: false, domain: { data: 'trace', field: 'evaluations' } },
        {
          name: 'y',
          type: 'linear',
          range: 'height',
          zero: false,
          nice: true,
          domain: { data: 'trace', field: 'objective' },
        },
      ],
      axes: [
        { scale: 'x', orient: 'bottom', title: 'evaluations', tickCount: 6 },
        { scale: 'y', orient: 'left', title: 'objective', tickCount: 6, grid: true, gridColor: '#e5e5e5' },
      ],
      marks: [
        markOf(
          'line',
          { name: 'curve', data: 'trace' },
          {
            x: { scale: 'x', field: 'evaluations' },
            y: { scale: 'y', field: 'objective' },
            stroke: { value: PRIMARY },
            strokeWidth: { value: 1.75 },
          },
        ),
      ],
    },
  );
  return renderSvg(spec);
}
