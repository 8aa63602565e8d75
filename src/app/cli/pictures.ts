import { InvalidArgumentError } from 'commander';
import { elementary } from '../../engine/index.ts';
import { type Fit, InvalidInputError, Matrix, NumericalError } from '../../index.ts';
import { typicalPrediction } from '../../inference/index.ts';
import type { ResultFolder, Table } from '../io/index.ts';
import {
  decodedGrid,
  type ImageShape,
  type LookOptions,
  latentPlot,
  type PrecisionGrid,
  panelColumns,
  plotHtml,
  precisionGrid,
  svgToPng,
} from '../plot/index.ts';
import type { Given } from './flags.ts';
import { latentVariancesOf } from './tableReport.ts';

const FORMATS = ['svg', 'png', 'html'] as const;
/** Names of all pictures that a fit may have. */
export const PICTURES = ['plot.svg', 'plot.png', 'plot.html', 'grid.svg', 'grid.png'] as const;
type PlotFormat = (typeof FORMATS)[number];

/** Flags that select pictures. */
export const PLOT_FLAGS = [
  ['--plot <formats>', 'pictures to write: svg, png, html, several with commas (default: svg)', formatsFrom],
  ['--color <column>', 'the column to color the picture by, numbers, dates or text (default: the labels)'],
  [
    '--image <HxW>',
    'the columns are the pixels of images, such as 28x28, or 32x32x3 in colors: draw points as images',
    shapeFrom,
  ],
  ['--image-grid', 'with --image: also draw the images that the model predicts over its latent space, as grid.svg'],
] as const;
export type PlotArguments = Given<typeof PLOT_FLAGS>;

function formatsFrom(text: string): PlotFormat[] {
  const formats = text.split(',').map((format) => format.trim().toLowerCase());
  const unknown = formats.find((format) => !FORMATS.includes(format as PlotFormat));
  if (unknown === undefined) return FORMATS.filter((format) => formats.includes(format));
  throw new InvalidArgumentError(`It must be some of ${FORMATS.join(', ')}, with commas between them.`);
}

function shapeFrom(text: string): ImageShape {
  const sides = text.split(/[x×,]/).map(Number);
  const isShape = sides.length >= 2 && sides.length <= 3 && sides.every((side) => Number.isInteger(side) && side >= 1);
  if (isShape && (sides[2] === undefined || sides[2] === 1 || sides[2] === 3)) return sides as unknown as ImageShape;
  throw new InvalidArgumentError(
    'It must be height and width, such as 28x28, and 3 where pixels have colors: 32x32x3.',
  );
}

/** File names of the pictures, in the order of writing. */
export function pictureNames({ plot = ['svg'], imageGrid: grid }: PlotArguments): string[] {
  const ofGrid = plot.filter((format) => format !== 'html');
  return [
    ...plot.map((format) => `plot.${format}`),
    ...(grid ? (ofGrid.length > 0 ? ofGrid : ['svg']).map((format) => `grid.${format}`) : []),
  ];
}

const DOT = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>';

/** Columns in pictures: names, and a conversion of rows of observations. */
export interface ShownColumns {
  readonly names: readonly string[];
  readonly rows: (observations: Matrix) => Matrix;
}

/**
 * Checks that the pictures can be drawn, before a fit whose pictures would fail.
 *
 * @returns the columns in pictures: the fitted ones; for images also the omitted constant pixels, at their positions
 * @throws InvalidInputError if --image-grid has no --image, columns are not the pixels of the images, or a PNG cannot be made
 */
export async function checkPictures(
  given: PlotArguments,
  { columns, leftOut, counts }: Pick<Table, 'columns' | 'leftOut' | 'counts'>,
): Promise<ShownColumns> {
  const { image, imageGrid } = given;
  if (imageGrid && image === undefined) {
    throw new InvalidInputError('--image-grid draws images: give their height and width with --image HxW.');
  }
  const pixels = image?.reduce((product, side) => product * side, 1);
  // Normalized counts are in another unit than a constant that is not 0.
  const constants = leftOut.filter(({ constant }) => constant && (counts === undefined || constant.value === 0));
  const isWhole = pixels === undefined || pixels === columns.length;
  if (!isWhole && pixels !== columns.length + constants.length) {
    throw new InvalidInputError(
      `--image ${image!.join('x')} needs ${pixels} columns, but ${columns.length} are fitted. Select the pixels with --columns.`,
    );
  }
  if (given.plot?.includes('png')) await svgToPng(DOT);
  return isWhole ? { names: columns, rows: (observations) => observations } : withConstants(columns, constants);
}

/** Fitted columns and constant ones in the order of the file. */
function withConstants(columns: readonly string[], constants: Table['leftOut']): ShownColumns {
  const sources: (number | { readonly value: number })[] = columns.map((_, j) => j);
  const names = [...columns];
  constants.forEach(({ column, constant }, before) => {
    sources.splice(constant!.position + before, 0, constant!);
    names.splice(constant!.position + before, 0, column);
  });
  const whole = (row: readonly number[]) =>
    sources.map((source) => (typeof source === 'number' ? row[source]! : source.value));
  return { names, rows: (observations) => Matrix.from(observations.toArrays().map((row) => whole(row))) };
}

/** Contents of pictures, besides the latents. */
export interface Shown {
  /** Colors of the points. */
  readonly looks: LookOptions;
  readonly ids?: readonly string[] | undefined;
  /** Observations of the points, in the units of the table. */
  readonly observations: () => Matrix;
  readonly columns: readonly string[];
  /** Converts predictions to the units of the table. */
  readonly undo: (mean: Matrix) => Matrix;
  readonly time: PictureTime;
}

/** Adds the requested pictures to a result. */
export async function addPictures(to: ResultFolder, result: Fit, shown: Shown, given: PlotArguments): Promise<void> {
  const svgs = new Map<string, string>();
  for (const name of pictureNames(given)) {
    const [kind, format] = name.split('.') as ['plot' | 'grid', string];
    if (format === 'html') {
      await to.add(name, await page(result, shown, given));
    } else {
      const svg = svgs.get(kind) ?? (await (kind === 'plot' ? plot : grid)(result, shown, given));
      svgs.set(kind, svg);
      await to.add(name, format === 'png' ? await svgToPng(svg) : svg);
    }
  }
}

const titleOf = ({ model, objective }: Fit) => `${model}, objective ${objective.toPrecision(6)}`;

async function plot(
  result: Fit,
  { looks, observations, columns: columnNames, time }: Shown,
  { image }: PlotArguments,
): Promise<string> {
  const columns = columnsOf(result);
  const panels = panelColumns(result.latents, columns);
  const size = panels.length === 1 ? { width: 460, height: 400 } : { width: 340, height: 300 };
  const equalScales = result.latents.columns > 1 && meansDistance(result);
  const aspect = equalScales ? size.width / size.height : undefined;
  const precision = pictureBackground(result, panels, { aspect, columns: columnNames.length }, time);
  return latentPlot({
    latents: result.latents,
    columns,
    title: titleOf(result),
    equalScales,
    ...size,
    ...looks,
    ...(precision === undefined ? {} : { precision }),
    ...variancesOf(result),
    ...(image === undefined ? {} : { image, observations: observations() }),
  });
}

/** Maximum number of values in a page; with more, the page does not show values of rows. */
const MOST_NUMBERS = 2e6;

function page(
  result: Fit,
  { looks, ids, observations, columns, time }: Shown,
  { image }: PlotArguments,
): Promise<string> {
  const Y = observations();
  const rows = Y.data.length <= MOST_NUMBERS;
  if (!rows) time.note?.('plot.html contains no rows, because there are more than 2 million numbers.');
  return plotHtml({
    latents: result.latents,
    title: titleOf(result),
    equalScales: meansDistance(result),
    ...looks,
    ...(ids === undefined ? {} : { ids }),
    ...(rows && { observations: Y, columnNames: columns, ...(image && { image }) }),
    ...variancesOf(result),
  });
}

function grid(
  { latents, model, ...result }: Fit,
  { undo, observations }: Shown,
  { image }: PlotArguments,
): Promise<string> {
  const { predict } = typicalPrediction({ latents, model, ...result } as Fit);
  if (predict === undefined) {
    throw new InvalidInputError(
      `${model} predicts nothing at latent points, so it has no grid. Leave out --image-grid.`,
    );
  }
  const columns = columnsOf({ latents, ...result } as Fit).slice(0, 2);
  return decodedGrid((X) => ({ mean: undo(predict(X).mean) }), latents, {
    image: image!,
    observations: observations(),
    columns,
    title: `${model}: images over the latent space`,
  });
}

const variancesOf = (result: Fit) => {
  const variances = latentVariancesOf(result);
  return variances === undefined ? {} : { variances };
};

type Relevance = Float64Array | Readonly<Record<string, Float64Array>>;

/** Relevance of each dimension; with several views, the largest one. */
function relevanceIn(relevance: Relevance | undefined): Float64Array | undefined {
  if (relevance === undefined || relevance instanceof Float64Array) return relevance;
  const views = Object.values(relevance);
  return views[0]?.map((_, d) => Math.max(...views.map((own) => own[d]!)));
}

/** First two dimensions, two most relevant ones, or all three. */
function columnsOf(result: Fit): number[] {
  const q = result.latents.columns;
  const relevance = 'relevance' in result ? relevanceIn(result.relevance as Relevance | undefined) : undefined;
  const all = Array.from({ length: q }, (_, d) => d);
  if (q <= 3 || relevance === undefined) return q === 3 ? all : all.slice(0, 2);
  return all
    .sort((a, b) => relevance[b]! - relevance[a]!)
    .slice(0, 2)
    .sort((a, b) => a - b);
}

/** Models whose eigenvectors have arbitrary lengths, so that distances are meaningless. */
const UNIT_COLUMNS = ['lle', 'laplacianEigenmaps', 'alle', 'drill'];

/** True if distances between latents are meaningful; false if the scale of each column is arbitrary. */
export function meansDistance({ model, parameters }: Fit): boolean {
  if (UNIT_COLUMNS.includes(model)) return false;
  const isList = (value: unknown) => Array.isArray(value) && value.length > 1;
  return !Object.entries(parameters).some(([path, value]) => path.endsWith('lengthscale') && isList(value));
}

/** Points along each axis of the precision grid, and of a coarse one that estimates the time. */
const RESOLUTION = 60;
const SAMPLE = 6;
/** Maximum number of variances that are predicted for the backgrounds of a picture. */
const MOST_VARIANCES = 1e8;

/** Time limit of the pictures. */
interface PictureTime {
  readonly secondsLeft?: () => number;
  /** Receives a note about omissions. */
  readonly note?: (text: string) => void;
}

/**
 * Predictive precision over the latents behind each panel; none if the model has no mapping from latents, or predicts without error.
 *
 * @param panels - columns of each panel
 * @param shown - number of observed columns; width over height, if both axes have the same scale
 */
function pictureBackground(
  fit: Fit,
  panels: readonly (readonly number[])[],
  { columns: observed, aspect }: { readonly columns: number; readonly aspect: number | undefined },
  { secondsLeft = () => Infinity, note }: PictureTime,
): PrecisionGrid[] | undefined {
  const { latents } = fit;
  const { predict, at } = typicalPrediction(fit);
  if (predict === undefined) return undefined;
  if (at !== undefined) note?.(`the background of the picture is for predictions at ${at}.`);
  if (observed * elementary.square(RESOLUTION) * panels.length > MOST_VARIANCES) {
    note?.(
      `the picture has no background, which would take the variances of ${observed} columns at each of its points.`,
    );
    return undefined;
  }
  const grid = (resolution: number, columns: readonly number[]) =>
    precisionGrid((X) => predict(X, { noise: true }), latents, {
      resolution,
      columns,
      ...(aspect === undefined ? {} : { aspect }),
    });
  try {
    if (secondsLeft() < Infinity) {
      const before = secondsLeft();
      grid(SAMPLE, panels[0]!);
      const expected = (before - secondsLeft()) * elementary.square(RESOLUTION / SAMPLE) * panels.length;
      if (expected > secondsLeft()) {
        note?.('the picture has no background, since --max-seconds is up.');
        return undefined;
      }
    }
    return panels.map((columns) => grid(RESOLUTION, columns));
  } catch (error) {
    if (error instanceof InvalidInputError || error instanceof NumericalError) return undefined;
    throw error;
  }
}
