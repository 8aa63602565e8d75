import type { Axis, Legend, Mark, Scale, Spec } from 'vega';
import { InvalidInputError } from '../core/errors.ts';
import { Matrix, type MatrixLike } from '../core/matrix.ts';
import type { Graph } from '../numerics/graph/graph.ts';
import { columnsShown } from './columnsShown.ts';
import { extents } from './extents.ts';
import { graphLayer } from './graphLayer.ts';
import { colourOf, FRAME, MOST_LABELS, PRIMARY, shapeOf } from './palette.ts';
import type { PrecisionGrid } from './precisionGrid.ts';
import { precisionLayer } from './precisionLayer.ts';
import { renderSvg } from './render.ts';

export interface LatentPlotOptions {
  /** N×q. */
  readonly latents: MatrixLike;
  /** N labels, which give points their colour and shape. */
  readonly labels?: ArrayLike<string | number>;
  /** The background, made by `precisionGrid` with the same columns. */
  readonly precision?: PrecisionGrid;
  /** The latent dimensions along the axes, from 0; the first two (or the only one) unless given. */
  readonly columns?: readonly number[];
  /** A graph on the N points, such as the learned one of a fit; the opacity of an edge is the share of edges that weigh no more. */
  readonly graph?: Graph;
  /** Whether a unit is as long on both axes; off unless turned on, and not possible with `precision`. */
  readonly equalScales?: boolean;
  /** Whether the axes are drawn, with ticks and titles; on unless turned off. */
  readonly axes?: boolean;
  readonly title?: string;
  /** Width of the area between the axes in pixels; 460 unless given. */
  readonly width?: number;
  /** Height of the area between the axes in pixels; 400 unless given. */
  readonly height?: number;
}

/**
 * Draws latents as points, coloured and shaped by label, over the logarithm of the predictive precision in grey (white
 * where the model is certain), as in Lawrence (2005), "Probabilistic non-linear principal component analysis with
 * Gaussian process latent variable models", figure 4. A single latent dimension is drawn against the index of the point.
 *
 * @param options - see {@link LatentPlotOptions}
 * @returns the picture as SVG text, which needs no page, font file or script
 * @throws InvalidInputError when sizes do not match, latents are not finite, or there are more than 56 different labels
 * @example
 * ```ts
 * const precision = precisionGrid((X) => result.predict(X, { noise: true }), result.latents);
 * const svg = await latentPlot({ latents: result.latents, labels, precision });
 * ```
 */
export async function latentPlot(options: LatentPlotOptions): Promise<string> {
  const { width = 460, height = 400, precision } = options;
  const latents = Matrix.from(options.latents, 'latents');
  const [first, second] = columnsShown(latents, options.columns);
  const labels = labelsOf(options.labels, latents.rows);
  const kinds = kindsOf(labels);
  const points = Array.from({ length: latents.rows }, (_, i) => ({
    x: finite(latents, i, first),
    y: second === undefined ? i : finite(latents, i, second),
    ...(labels === undefined ? {} : { label: labels[i]! }),
  }));
  if (precision && options.equalScales) {
    throw new InvalidInputError('The precision behind latents sets both scales. Leave out precision or equalScales.');
  }
  const background = precision && precisionLayer(precision, width, height);
  const domains = precision ?? extents(points, width, height, options.equalScales ?? false);
  const [toX, toY] = [positionOn(domains.x, width), positionOn(domains.y, height)];
  const edges =
    options.graph &&
    graphLayer(
      options.graph,
      points.map(({ x, y }) => [toX(x), height - toY(y)] as const),
    );
  const spec: Spec = {
    description: options.title ?? 'Latent points',
    width,
    height,
    padding: 8,
    ...(options.title === undefined ? {} : { title: options.title }),
    data: [{ name: 'latents', values: points }, ...(background?.data ?? []), ...(edges?.data ?? [])],
    scales: [
      axisScale('x', 'width', domains.x),
      axisScale('y', 'height', domains.y),
      { name: 'colour', type: 'ordinal', domain: kinds, range: kinds.map((_, k) => colourOf(k)) },
      { name: 'shape', type: 'ordinal', domain: kinds, range: kinds.map((_, k) => shapeOf(k)) },
      ...(background?.scales ?? []),
    ],
    axes:
      options.axes === false
        ? []
        : [
            axis('x', 'bottom', `latent dimension ${first + 1}`),
            axis('y', 'left', second === undefined ? 'index of the point' : `latent dimension ${second + 1}`),
          ],
    legends: [...(labels === undefined ? [] : [labelLegend(kinds.length)]), ...(background?.legends ?? [])],
    ...(options.axes === false && { encode: { enter: { stroke: { value: FRAME } } } }),
    marks: [...(background?.marks ?? []), ...(edges?.marks ?? []), pointMarks(latents.rows, labels !== undefined)],
  };
  return renderSvg(spec);
}

function labelsOf(labels: ArrayLike<string | number> | undefined, rows: number): string[] | undefined {
  if (labels === undefined) return undefined;
  if (labels.length !== rows) {
    throw new InvalidInputError(
      `There are ${rows} latent points, but ${labels.length} labels were given. Give one label for each point.`,
    );
  }
  return Array.from(labels, String);
}

/** The different labels in the order of a dictionary, numbers by their value. */
function kindsOf(labels: readonly string[] | undefined): string[] {
  const kinds = [...new Set(labels)].sort(new Intl.Collator('en', { numeric: true }).compare);
  if (kinds.length > MOST_LABELS) {
    throw new InvalidInputError(
      `A picture tells ${MOST_LABELS} labels apart, but ${kinds.length} different ones were given. Group them, or leave them out.`,
    );
  }
  return kinds;
}

function finite(latents: Matrix, i: number, j: number): number {
  const value = latents.at(i, j);
  if (Number.isFinite(value)) return value;
  throw new InvalidInputError(`Latent points must be finite, but row ${i}, column ${j} is ${value}.`);
}

/** From the first to the last number, which the axis spans exactly. */
const axisScale = (name: 'x' | 'y', range: 'width' | 'height', numbers: ArrayLike<number>): Scale => ({
  name,
  type: 'linear',
  range,
  zero: false,
  nice: false,
  domain: [numbers[0]!, numbers[numbers.length - 1]!],
});

/** What turns a number into its distance in pixels from where the axis begins. */
function positionOn(numbers: ArrayLike<number>, length: number): (value: number) => number {
  const [low, high] = [numbers[0]!, numbers[numbers.length - 1]!];
  return (value) => ((value - low) / (high - low)) * length;
}

const axis = (scale: string, orient: 'bottom' | 'left', title: string): Axis => ({
  scale,
  orient,
  title,
  tickCount: 6,
  // Above the background, which would hide half of the axis line.
  zindex: 1,
});

const labelLegend = (kinds: number): Legend => ({
  fill: 'colour',
  shape: 'shape',
  title: 'label',
  symbolSize: 70,
  symbolStrokeColor: '#ffffff',
  symbolStrokeWidth: 0.5,
  symbolLimit: 0,
  columns: Math.ceil(kinds / 18),
});

const pointMarks = (count: number, areLabelled: boolean): Mark => ({
  type: 'symbol',
  name: 'points',
  aria: false,
  from: { data: 'latents' },
  encode: {
    enter: {
      x: { scale: 'x', field: 'x' },
      y: { scale: 'y', field: 'y' },
      // Points of a large set are smaller, so that clusters stay apart.
      size: { value: Math.min(48, Math.max(14, 14_000 / count)) },
      fill: areLabelled ? { scale: 'colour', field: 'label' } : { value: PRIMARY },
      shape: areLabelled ? { scale: 'shape', field: 'label' } : { value: 'circle' },
      stroke: { value: '#ffffff' },
      strokeWidth: { value: 0.5 },
    },
  },
});
