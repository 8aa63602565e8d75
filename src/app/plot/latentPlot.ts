import type { Axis, Mark, Scale, Spec } from 'vega';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { namedOptions } from '../../core/options.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import {
  checkCovariances,
  checkVariances,
  columnsShown,
  covarianceEllipse,
  ellipse,
  ellipseMarks,
  extents,
  graphLayer,
  imageLayer,
  panelColumns,
  precisionLayer,
  reach,
} from './layers.ts';
import {
  FRAME,
  fillOf,
  type LookOptions,
  lookFields,
  lookLegends,
  lookScales,
  type PointLooks,
  pointLooks,
  sizeOf,
} from './looks.ts';
import { pictureGrid } from './pictureGrid.ts';
import type { PrecisionGrid } from './precisionGrid.ts';
import { CONFIG, checkPictureSize, markOf, pictureOf, renderSvg } from './render.ts';
import type { ImageShape } from './rowImages.ts';

export interface LatentPlotOptions extends LookOptions {
  /** N×q. */
  readonly latents: MatrixLike;
  /** N×q variances, such as `fit.latentVariances`: each point gets an ellipse of mean ± 2 standard deviations. */
  readonly variances?: MatrixLike;
  /**
   * N covariances, q×q, such as `draws.latents.covariances` or those of `laplaceApproximation`: each point gets a rotated ellipse of two standard
   * deviations. Replaces `variances`.
   */
  readonly covariances?: readonly MatrixLike[];
  /** N×D, whose rows are the images of `image`. */
  readonly observations?: MatrixLike;
  /** Height and width of the images that the observations are: points are drawn as images where these do not overlap. */
  readonly image?: ImageShape;
  /** Background, made by `precisionGrid` with the same columns; one per panel for three panels. */
  readonly precision?: PrecisionGrid | readonly PrecisionGrid[];
  /**
   * Latent dimensions along the axes, from 0; default the first two (or the only one). Three are shown as three panels of two each, which is the
   * default for three latent dimensions.
   */
  readonly columns?: readonly number[];
  /** A graph on the N points, such as the learned one of a fit; the opacity of an edge is the fraction of edges with at most its weight. */
  readonly graph?: Graph;
  /** Whether both axes have the same scale, for latents whose distances are meaningful; default false. */
  readonly equalScales?: boolean;
  /** Whether axes with ticks and titles are drawn; default true. */
  readonly axes?: boolean;
  readonly title?: string;
  /** Width of the area between the axes in pixels; default 460, or 340 for each of three panels. */
  readonly width?: number;
  /** Height of the area between the axes in pixels; default 400, or 300 for each of three panels. */
  readonly height?: number;
}

const OPTIONS: readonly (keyof LatentPlotOptions)[] = [
  'latents',
  'variances',
  'covariances',
  'observations',
  'image',
  'precision',
  'columns',
  'graph',
  'equalScales',
  'axes',
  'title',
  'width',
  'height',
  'labels',
  'color',
  'legendTitle',
];

/** One picture, or one of three panels. */
interface Panel extends LatentPlotOptions {
  readonly precision?: PrecisionGrid;
  readonly looks: PointLooks;
  readonly hasLegend: boolean;
}

/**
 * Draws latents as points, with colors and shapes by label or colors by number, over the logarithm of the predictive precision in gray (white where
 * the model is certain), as in Lawrence (2005), "Probabilistic non-linear principal component analysis with
 * Gaussian process latent variable models", figure 4. A single latent dimension is drawn against the index of the point; three are drawn in three
 * panels.
 *
 * Points without a label or number are gray. All shapes have the same area.
 *
 * @param options - see {@link LatentPlotOptions}
 * @returns the picture as SVG text, which needs no page, font file or script; `svgToPng` converts it to pixels
 * @throws InvalidInputError if sizes do not match, the width or height is not from 1 to 10 000 pixels, latents are not finite, or there are more than
 *   70 different labels
 * @example
 * ```ts
 * const precision = precisionGrid((X) => result.predict(X, { noise: true }), result.latents);
 * const svg = await latentPlot({ latents: result.latents, labels, precision });
 * const ages = Y.map(([age]) => age!);
 * const byAge = await latentPlot({ latents: result.latents, color: ages, legendTitle: 'age', equalScales: true });
 * ```
 */
export async function latentPlot(options: LatentPlotOptions): Promise<string> {
  const pictures: string[] = [];
  for (const spec of await specsOf(options, 'latentPlot')) pictures.push(await renderSvg(spec));
  if (pictures.length === 1) return pictures[0]!;
  return pictureGrid(pictures, { columns: 2, ...(options.title !== undefined && { title: options.title }) });
}

/** A picture as a Vega specification, plain data: its rows in `data`, its layers, from the background on, in `marks`. */
export type PictureSpec = Readonly<Record<string, unknown>>;

/**
 * The layers of a {@link latentPlot} as plain data, for pages that draw or change them themselves: Vega specifications, which `vega.parse` takes as
 * they are. They survive `structuredClone` and JSON.
 *
 * @param options - those of `latentPlot`
 * @returns one specification for each panel: one, or three for three dimensions
 * @throws the same errors as `latentPlot`
 * @example
 * ```ts
 * const [spec] = await latentPlotSpecs({ latents: result.latents, labels });
 * self.postMessage(structuredClone(spec));
 * ```
 */
export async function latentPlotSpecs(options: LatentPlotOptions): Promise<PictureSpec[]> {
  const specs = await specsOf(options, 'latentPlotSpecs');
  return specs.map((spec) => ({ ...spec, config: CONFIG }));
}

async function specsOf(options: LatentPlotOptions, caller: string): Promise<Spec[]> {
  const latents = Matrix.from(namedOptions(options, caller, OPTIONS).latents, 'latents');
  const looks = pointLooks(options, latents.rows);
  const panels = panelColumns(latents, options.columns);
  const { precision, ...rest } = options;
  const grids: readonly PrecisionGrid[] | undefined =
    precision === undefined || isList(precision) ? precision : [precision];
  if (grids !== undefined && grids.length !== panels.length) {
    throw new InvalidInputError(
      `A picture of ${panels.length} panels takes as many precision grids, but ${grids.length} were given. Make one for each pair of columns.`,
    );
  }
  const size = panels.length === 1 ? { width: 460, height: 400 } : { width: 340, height: 300 };
  const specs: Spec[] = [];
  for (const [k, columns] of panels.entries()) {
    const grid = grids?.[k];
    const { title, ...untitled } = { ...size, ...rest };
    // The legend stands beside the second panel, which ends the first row.
    const hasLegend = k === Math.min(1, panels.length - 1);
    const panel = { ...untitled, columns, looks, hasLegend, ...(grid && { precision: grid }) };
    specs.push(await specOf(latents, title === undefined || panels.length > 1 ? panel : { ...panel, title }));
  }
  return specs;
}

const isList = (precision: PrecisionGrid | readonly PrecisionGrid[]): precision is readonly PrecisionGrid[] =>
  Array.isArray(precision);

async function specOf(latents: Matrix, panel: Panel): Promise<Spec> {
  const { width = 460, height = 400, precision, looks } = panel;
  checkPictureSize({ width, height });
  const [first, second] = columnsShown(latents, panel.columns);
  const covariances = panel.covariances && checkCovariances(panel.covariances, latents);
  if (covariances !== undefined && panel.variances !== undefined) {
    throw new InvalidInputError('Points take either variances or covariances, but both were given.');
  }
  const variances =
    covariances === undefined
      ? panel.variances && checkVariances(Matrix.from(panel.variances, 'The variances of the latents'), latents)
      : diagonals(covariances, latents);
  const across = reach(variances, latents.rows, first);
  const up = reach(variances, latents.rows, second);
  const at = Array.from({ length: latents.rows }, (_, i) => ({
    x: finite(latents, i, first),
    y: second === undefined ? i : finite(latents, i, second),
  }));
  if (precision && panel.equalScales) checkAspect(precision, width / height);
  const background = precision && precisionLayer(precision, width, height);
  const corners = at.flatMap(({ x, y }, i) => {
    const [dx, dy] = [across?.[i] ?? 0, up?.[i] ?? 0];
    return dx === 0 && dy === 0
      ? [{ x, y }]
      : [
          { x: x - dx, y: y - dy },
          { x: x + dx, y: y + dy },
        ];
  });
  const domains = precision ?? extents(corners, width, height, panel.equalScales ?? false);
  const [toX, toY] = [positionOn(domains.x, width), positionOn(domains.y, height)];
  const pixels = at.map(({ x, y }) => [toX(x), height - toY(y)] as const);
  const [pixelsX, pixelsY] = [toX(1) - toX(0), toY(1) - toY(0)];
  const outlineOf = (i: number) => {
    const own = covariances?.[i];
    return own === undefined || second === undefined
      ? ellipse(toX(across![i]!) - toX(0), up === undefined ? 0 : toY(up[i]!) - toY(0))
      : covarianceEllipse(own.at(first, first), own.at(first, second), own.at(second, second), pixelsX, pixelsY);
  };
  const points = at.map((point, i) => ({
    ...point,
    ...lookFields(looks, i),
    ...(across && { outline: outlineOf(i) }),
  }));
  const edges = panel.graph && graphLayer(panel.graph, pixels);
  const images = await imagesOf(panel, pixels, latents.rows);
  return pictureOf(
    { title: panel.title, description: 'Latent points', width, height },
    {
      data: [
        { name: 'latents', values: points },
        ...(background?.data ?? []),
        ...(edges?.data ?? []),
        ...(images?.data ?? []),
      ],
      scales: [
        axisScale('x', 'width', domains.x),
        axisScale('y', 'height', domains.y),
        ...lookScales(looks, (shape) => sizeOf(shape, circleSize(latents.rows))),
        ...(background?.scales ?? []),
      ],
      axes:
        panel.axes === false
          ? []
          : [
              axis('x', 'bottom', `latent dimension ${first + 1}`),
              axis('y', 'left', second === undefined ? 'index of the point' : `latent dimension ${second + 1}`),
            ],
      legends: panel.hasLegend ? [...lookLegends(looks), ...(background?.legends ?? [])] : [],
      ...(panel.axes === false && { encode: { enter: { stroke: { value: FRAME } } } }),
      marks: [
        ...(background?.marks ?? []),
        ...(edges?.marks ?? []),
        ...(across ? [ellipseMarks(looks)] : []),
        pointMarks(latents.rows, looks),
        ...(images?.marks ?? []),
      ],
    },
  );
}

/** The variances on the diagonals, N×q. */
const diagonals = (covariances: readonly Matrix[], { rows, columns }: Matrix): Matrix =>
  new Matrix(
    Float64Array.from({ length: rows * columns }, (_, k) =>
      covariances[Math.floor(k / columns)]!.at(k % columns, k % columns),
    ),
    rows,
    columns,
  );

async function imagesOf({ image, observations, looks }: Panel, pixels: Parameters<typeof imageLayer>[2], rows: number) {
  if (image === undefined) return undefined;
  if (observations === undefined)
    throw new InvalidInputError('Images of points are rows of observations: give these too.');
  const Y = Matrix.from(observations, 'The observations');
  if (Y.rows === rows) return imageLayer(Y, image, pixels, looks);
  throw new InvalidInputError(
    `There are ${rows} latent points, but ${Y.rows} observations were given. Give those of the same points.`,
  );
}

/** Largest rounding error of a grid's aspect. */
const ROUNDING = 1e-6;

function checkAspect({ x, y }: PrecisionGrid, aspect: number): void {
  const length = (numbers: ArrayLike<number>) => numbers[numbers.length - 1]! - numbers[0]!;
  const ratio = length(x) / length(y);
  if (Math.abs(ratio / aspect - 1) <= ROUNDING) return;
  throw new InvalidInputError(
    `Equal scales take a precision grid as wide as the picture, ${aspect.toPrecision(4)} times its height, but it is ${ratio.toPrecision(4)} times. Make it with aspect: ${aspect.toPrecision(4)}, or leave out equalScales.`,
  );
}

function finite(latents: Matrix, i: number, j: number): number {
  const value = latents.at(i, j);
  if (Number.isFinite(value)) return value;
  throw new InvalidInputError(`Latent points must be finite, but row ${i}, column ${j} is ${value}.`);
}

/** Scale of an axis that spans exactly from the first to the last number. */
const axisScale = (name: 'x' | 'y', range: 'width' | 'height', numbers: ArrayLike<number>): Scale => ({
  name,
  type: 'linear',
  range,
  zero: false,
  nice: false,
  domain: [numbers[0]!, numbers[numbers.length - 1]!],
});

/** Maps a number to its distance in pixels from the start of the axis. */
function positionOn(numbers: ArrayLike<number>, length: number): (value: number) => number {
  const [low, high] = [numbers[0]!, numbers[numbers.length - 1]!];
  return (value) => ((value - low) / (high - low)) * length;
}

const axis = (scale: string, orient: 'bottom' | 'left', title: string): Axis => ({
  scale,
  orient,
  title,
  tickCount: 6,
  // Above the background, which would cover half of the axis line.
  zindex: 1,
});

/** Points of a large set are smaller, so that clusters stay separate. */
const circleSize = (count: number) => Math.min(48, Math.max(14, 14_000 / count));

const pointMarks = (count: number, looks: PointLooks): Mark =>
  markOf(
    'symbol',
    { name: 'points', data: 'latents' },
    {
      x: { scale: 'x', field: 'x' },
      y: { scale: 'y', field: 'y' },
      size: looks.kindOf === undefined ? { value: circleSize(count) } : { scale: 'size', field: 'label' },
      fill: fillOf(looks),
      shape: looks.kindOf === undefined ? { value: 'circle' } : { scale: 'shape', field: 'label' },
      stroke: { value: '#ffffff' },
      strokeWidth: { value: 0.5 },
    },
  );
