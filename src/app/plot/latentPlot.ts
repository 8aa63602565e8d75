import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkOptions, type OptionsIn, typed } from '../../core/options.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import { type Axis, type Ellipses, extents, type Mark, type Scene, sceneSvg } from '../../scene/index.ts';
import {
  checkCovariances,
  checkVariances,
  columnsShown,
  graphLayer,
  imageLayer,
  type Position,
  panelColumns,
  precisionLayer,
  reach,
} from './layers.ts';
import { lookEntries, lookLegends, type PointLooks, pointLooks, type SharedLooks, sharedLooks } from './looks.ts';
import { pictureGrid } from './pictureGrid.ts';
import type { PrecisionGrid } from './precisionGrid.ts';
import { pixels } from './render.ts';
import type { ImageShape } from './rowImages.ts';

const OPTIONS = {
  ...lookEntries,
  /** Latents, N×q. */
  latents: typed<MatrixLike>(),
  /** N×q variances, such as `fit.latentVariances`: each point gets an ellipse of mean ± 2 standard deviations. */
  variances: v.optional(typed<MatrixLike>()),
  /**
   * N covariances, q×q, such as `draws.latents.covariances` or the ones from `laplaceApproximation`: each point gets a rotated ellipse of two
   * standard deviations. Replaces `variances`.
   */
  covariances: v.optional(typed<readonly MatrixLike[]>()),
  /** Observations N×D, whose rows are the images of `image`. */
  observations: v.optional(typed<MatrixLike>()),
  /** Height and width of the images in the observations: points are drawn as images if these do not overlap. */
  image: v.optional(typed<ImageShape>()),
  /** Background, made by `precisionGrid` with the same columns; one per panel for three panels. */
  precision: v.optional(typed<PrecisionGrid | readonly PrecisionGrid[]>()),
  /**
   * Latent dimensions along the axes, from 0; default the first two (or the only one). Three are shown as three panels of two each, which is the
   * default for three latent dimensions.
   */
  columns: v.optional(typed<readonly number[]>()),
  /** Graph on the N points, such as the learned graph of a fit; the opacity of an edge is the fraction of edges with at most its weight. */
  graph: v.optional(typed<Graph>()),
  /** Whether both axes have the same scale, for latents whose distances are meaningful; default false. */
  equalScales: v.optional(typed<boolean>()),
  /** Whether axes with ticks and titles are drawn; default true. */
  axes: v.optional(typed<boolean>()),
  title: v.optional(typed<string>()),
  /** Width of the area between the axes in pixels; default 460, or 340 for each of three panels. */
  width: v.optional(pixels),
  /** Height of the area between the axes in pixels; default 400, or 300 for each of three panels. */
  height: v.optional(pixels),
};

export interface LatentPlotOptions extends OptionsIn<typeof OPTIONS> {}

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
  const pictures = (await scenesOf(options, 'latentPlot')).map(sceneSvg);
  if (pictures.length === 1) return pictures[0]!;
  return pictureGrid(pictures, { columns: 2, ...(options.title !== undefined && { title: options.title }) });
}

/**
 * Layers of a {@link latentPlot} as plain data, for pages that draw or change them themselves: `sceneSvg` draws them. They
 * survive `structuredClone` and JSON.
 *
 * @param options - options of `latentPlot`
 * @returns one scene for each panel: one, or three for three dimensions
 * @throws the same errors as `latentPlot`
 * @example
 * ```ts
 * const [scene] = await latentScenes({ latents: result.latents, labels });
 * self.postMessage(structuredClone(scene));
 * ```
 */
export const latentScenes = (options: LatentPlotOptions): Promise<Scene[]> => scenesOf(options, 'latentScenes');

async function scenesOf(options: LatentPlotOptions, caller: string): Promise<Scene[]> {
  const latents = Matrix.from(checkOptions(v.strictObject(OPTIONS), options, caller).latents, 'latents');
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
  const scenes: Scene[] = [];
  for (const [k, columns] of panels.entries()) {
    const grid = grids?.[k];
    const { title, ...untitled } = { ...size, ...rest };
    // The legend is next to the second panel, which ends the first row.
    const hasLegend = k === Math.min(1, panels.length - 1);
    const panel = { ...untitled, columns, looks, hasLegend, ...(grid && { precision: grid }) };
    scenes.push(await sceneOf(latents, title === undefined || panels.length > 1 ? panel : { ...panel, title }));
  }
  return scenes;
}

const isList = (precision: PrecisionGrid | readonly PrecisionGrid[]): precision is readonly PrecisionGrid[] =>
  Array.isArray(precision);

async function sceneOf(latents: Matrix, panel: Panel): Promise<Scene> {
  const { width = 460, height = 400, precision, title } = panel;
  const [first, second] = columnsShown(latents, panel.columns);
  const points = Array.from({ length: latents.rows }, (_, i) => ({
    x: finite(latents, i, first),
    y: second === undefined ? i : finite(latents, i, second),
  }));
  if (precision && panel.equalScales) checkAspect(precision, width / height);
  const background = precision && precisionLayer(precision);
  const looks = sharedLooks(panel.looks, latents.rows);
  const spread = spreadOf(panel, latents, first, second);
  const corners = points.flatMap(({ x, y }, i) => {
    const [dx, dy] = [spread?.reachX[i] ?? 0, spread?.reachY?.[i] ?? 0];
    return dx === 0 && dy === 0
      ? [{ x, y }]
      : [
          { x: x - dx, y: y - dy },
          { x: x + dx, y: y + dy },
        ];
  });
  const domains = precision ?? extents(corners, width, height, panel.equalScales ?? false);
  const [x, y] = [domainOf(domains.x), domainOf(domains.y)];
  const at = { x: points.map((point) => point.x), y: points.map((point) => point.y) };
  const pixels = points.map((point) => ({
    x: ((point.x - x[0]) / (x[1] - x[0])) * width,
    y: ((point.y - y[0]) / (y[1] - y[0])) * height,
  }));
  const images = await imagesOf(panel, points, pixels, looks);
  const marks: (Mark | undefined)[] = [
    background?.bands,
    panel.graph && graphLayer(panel.graph, points),
    spread && { mark: 'ellipses', name: 'ellipses', ...at, ...spread.covariance, ...looks },
    { mark: 'points', name: 'points', ...at, ...looks, radius: radiusOf(latents.rows) },
    images,
  ];
  const axisOf = (domain: Axis['domain'], title: string): Axis =>
    panel.axes === false ? { domain } : { domain, title, ticks: 6 };
  return {
    ...{ width, height, description: title ?? 'Latent points', ...(title !== undefined && { title }) },
    x: axisOf(x, `latent dimension ${first + 1}`),
    y: axisOf(y, second === undefined ? 'index of the point' : `latent dimension ${second + 1}`),
    marks: marks.filter((mark) => mark !== undefined),
    legends: panel.hasLegend ? [...lookLegends(panel.looks), ...(background?.legends ?? [])] : [],
  };
}

interface Spread {
  readonly covariance: Pick<Ellipses, 'xx' | 'yy' | 'xy'>;
  /** Two standard deviations of each point along the axes. */
  readonly reachX: Float64Array;
  readonly reachY?: Float64Array | undefined;
}

/** Variances of the points along the axes, which determine their ellipses. */
function spreadOf(panel: Panel, latents: Matrix, first: number, second: number | undefined): Spread | undefined {
  const covariances = panel.covariances && checkCovariances(panel.covariances, latents);
  if (covariances !== undefined && panel.variances !== undefined) {
    throw new InvalidInputError('Points take either variances or covariances, but both were given.');
  }
  const variances =
    covariances === undefined
      ? panel.variances && checkVariances(Matrix.from(panel.variances, 'The variances of the latents'), latents)
      : diagonals(covariances, latents);
  if (variances === undefined) return undefined;
  return {
    covariance: {
      xx: Array.from(variances.column(first)),
      yy: second === undefined ? Array(latents.rows).fill(0) : Array.from(variances.column(second)),
      ...(covariances && second !== undefined && { xy: covariances.map((own) => own.at(first, second)) }),
    },
    reachX: reach(variances, latents.rows, first)!,
    reachY: reach(variances, latents.rows, second),
  };
}

const domainOf = (numbers: ArrayLike<number>) => [numbers[0]!, numbers[numbers.length - 1]!] as const;

/** Variances on the diagonals, N×q. */
const diagonals = (covariances: readonly Matrix[], { rows, columns }: Matrix): Matrix =>
  Matrix.zeros(rows, columns).map((_, i, d) => covariances[i]!.at(d, d));

async function imagesOf(
  { image, observations }: Panel,
  points: readonly Position[],
  pixels: readonly Position[],
  looks: SharedLooks,
) {
  if (image === undefined) return undefined;
  if (observations === undefined)
    throw new InvalidInputError('Images of points are rows of observations: give these too.');
  const Y = Matrix.from(observations, 'The observations');
  if (Y.rows === points.length) return imageLayer(Y, image, points, pixels, looks);
  throw new InvalidInputError(
    `There are ${points.length} latent points, but ${Y.rows} observations were given. Give observations of the same points.`,
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
  throw new InvalidInputError(`Latent points must be finite, but entry [${i}][${j}] is ${value}.`);
}

/** Radius of a point in pixels: points of a large set are smaller, so that clusters stay separate. */
const radiusOf = (count: number) => Math.sqrt(Math.min(48, Math.max(14, 14_000 / count))) / 2;
