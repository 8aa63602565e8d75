import type { Data, Mark } from 'vega';
import { InvalidInputError } from '../core/errors.ts';
import { checkGraph, type Graph } from '../numerics/graph/graph.ts';
import { EDGE } from './palette.ts';

/** Opacities are rounded to as many levels: the edges of one level are one path, a fraction of the size of a path each. */
const LEVELS = 20;

/** Where a point is drawn, in pixels. */
export type Pixel = readonly [x: number, y: number];

/**
 * The parts of a Vega specification that draw the edges of a graph under its points, the more opaque the larger their weights.
 */
export function graphLayer(graph: Graph, pixels: readonly Pixel[]): { readonly data: Data[]; readonly marks: Mark[] } {
  const { size, sources, targets, weights } = checkGraph(graph, 'latentPlot');
  if (size !== pixels.length) {
    throw new InvalidInputError(
      `There are ${pixels.length} latent points, but the graph has ${size}. Make it from the same rows.`,
    );
  }
  const at = (point: number) => pixels[point]!.map((pixel) => Math.round(pixel * 10) / 10).join(',');
  const paths = opacityLevels(weights).map(({ opacity, entries }) => ({
    opacity,
    path: entries.map((e) => `M${at(sources[e]!)}L${at(targets[e]!)}`).join(''),
  }));
  return {
    data: [{ name: 'graph', values: paths }],
    marks: [
      {
        type: 'path',
        name: 'edges',
        aria: false,
        from: { data: 'graph' },
        encode: {
          enter: {
            path: { field: 'path' },
            stroke: { value: EDGE },
            strokeWidth: { value: 1 },
            strokeOpacity: { field: 'opacity' },
          },
        },
      },
    ],
  };
}

/**
 * The edges of positive weight by opacity, the faintest first, so that what is strong is drawn over it. The opacity of an edge is the
 * share of edges that weigh no more: weights span powers of ten, of which a linear scale would show the last.
 */
function opacityLevels(weights: Float64Array): { readonly opacity: number; readonly entries: readonly number[] }[] {
  const ascending = Array.from(weights.keys())
    .filter((e) => weights[e]! > 0)
    .sort((a, b) => weights[a]! - weights[b]!);
  const levels = Array.from({ length: LEVELS }, (_, k) => ({ opacity: (k + 1) / LEVELS, entries: [] as number[] }));
  let first = 0;
  while (first < ascending.length) {
    let end = first + 1;
    while (end < ascending.length && weights[ascending[end]!] === weights[ascending[first]!]) end++;
    levels[Math.ceil((LEVELS * end) / ascending.length) - 1]!.entries.push(...ascending.slice(first, end));
    first = end;
  }
  return levels.filter(({ entries }) => entries.length > 0);
}
