import type { Data, Legend, Mark, Scale } from 'vega';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkGiven, givenList } from '../../core/options.ts';
import { checkGraph, type Graph } from '../../engine/graph/graph.ts';
import { EDGE, fillOf, GRAYS, lookFields, type PointLooks, PRIMARY } from './looks.ts';
import type { PrecisionGrid } from './precisionGrid.ts';
import { markOf } from './render.ts';
import { brightness, checkImage, type ImageShape, imageAddress } from './rowImages.ts';

/**
 * Columns of each panel of a picture: one or two columns give one panel, three give three of two columns each.
 *
 * @param columns - from 0; default the only one, the first two, or all of three
 * @throws InvalidInputError for columns that do not exist, or more than three
 */
export function panelColumns(latents: Matrix, columns?: readonly number[]): (readonly number[])[] {
  checkGiven(latents, 'panelColumns', 'the latents, a Matrix', (given) => given.columns >= 0);
  const shown =
    givenColumns(columns) ??
    Array.from({ length: latents.columns === 3 ? 3 : Math.min(2, latents.columns) }, (_, d) => d);
  if (shown.length !== 3) return [shown];
  const [a, b, c] = shown as [number, number, number];
  return [
    [a, b],
    [a, c],
    [b, c],
  ];
}

/** The latent dimensions along the two axes of a picture; the second is undefined if there is only one. */
export function columnsShown(latents: Matrix, columns?: readonly number[]): [number, number | undefined] {
  const shown = givenColumns(columns) ?? (latents.columns < 2 ? [0] : [0, 1]);
  const areValid = shown.every((column) => Number.isInteger(column) && column >= 0 && column < latents.columns);
  if (latents.rows === 0 || shown.length < 1 || shown.length > 2 || !areValid) {
    throw new InvalidInputError(
      `A picture shows one, two or three columns of the latents, but columns [${shown.map(describe).join(', ')}] of ${latents.rows}×${latents.columns} latents were asked for.`,
    );
  }
  return [shown[0]!, shown[1]];
}

const givenColumns = (columns: readonly number[] | undefined) =>
  columns === undefined ? undefined : givenList(columns, 'A picture', 'a list of columns');

/** Margin around the points in pixels. */
const PADDING = 16;

interface Extents {
  readonly x: readonly [low: number, high: number];
  readonly y: readonly [low: number, high: number];
}

/** Ranges of both axes: slightly beyond the points and, with `equalScales`, with the same number of units per pixel. */
export function extents(
  points: readonly { readonly x: number; readonly y: number }[],
  width: number,
  height: number,
  equalScales: boolean,
): Extents {
  const across = range(points.map(({ x }) => x));
  const up = range(points.map(({ y }) => y));
  const units = [unitsPerPixel(across, width), unitsPerPixel(up, height)] as const;
  const larger = Math.max(...units);
  const [unitsX, unitsY] = equalScales ? [larger, larger] : units;
  return { x: widened(across, width * unitsX), y: widened(up, height * unitsY) };
}

interface Range {
  readonly middle: number;
  readonly length: number;
}

function range(values: readonly number[]): Range {
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  return { middle: low + (high - low) / 2, length: high - low };
}

/** If all values are equal, a pixel is a hundredth of a unit, so that the axis has a length. */
const unitsPerPixel = ({ length }: Range, pixels: number) =>
  length > 0 ? length / Math.max(1, pixels - 2 * PADDING) : 0.01;

const widened = ({ middle }: Range, length: number) => [middle - length / 2, middle + length / 2] as const;

/** Half axis of an ellipse, in standard deviations. */
const DEVIATIONS = 2;

/** Two standard deviations of each point along one latent dimension. */
export function reach(
  variances: Matrix | undefined,
  rows: number,
  column: number | undefined,
): Float64Array | undefined {
  if (variances === undefined || column === undefined) return undefined;
  return Float64Array.from({ length: rows }, (_, i) => DEVIATIONS * Math.sqrt(variances.at(i, column)));
}

/**
 * @throws InvalidInputError unless there is a variance of every latent coordinate
 */
export function checkVariances(variances: Matrix, latents: Matrix): Matrix {
  if (variances.rows !== latents.rows || variances.columns !== latents.columns) {
    throw new InvalidInputError(
      `Latents of ${latents.rows}×${latents.columns} take as many variances, but ${variances.rows}×${variances.columns} were given.`,
    );
  }
  const bad = variances.data.findIndex((variance) => !(variance >= 0 && variance < Infinity));
  if (bad < 0) return variances;
  throw new InvalidInputError(
    `Variances of latents are finite numbers from 0, but row ${Math.floor(bad / variances.columns)}, column ${bad % variances.columns} is ${variances.data[bad]}.`,
  );
}

/** @throws InvalidInputError unless there is a q×q covariance for every point whose shown part is positive semidefinite */
export function checkCovariances(covariances: readonly MatrixLike[], { rows, columns }: Matrix): Matrix[] {
  if (covariances.length !== rows) {
    throw new InvalidInputError(
      `${rows} latent points take as many covariances, but ${covariances.length} were given.`,
    );
  }
  return covariances.map((given, i) => {
    const covariance = Matrix.from(given, `The covariance of point ${i}`);
    const isSquare = covariance.rows === columns && covariance.columns === columns;
    if (isSquare && covariance.data.every(Number.isFinite)) return covariance;
    throw new InvalidInputError(
      `The covariance of a latent point is ${columns}×${columns} of finite numbers, but that of point ${i} is ${covariance.rows}×${covariance.columns}${isSquare ? ' with others' : ''}.`,
    );
  });
}

/** Outline of an ellipse around 0, in pixels, turned clockwise by some degrees. */
export function ellipse(across: number, up: number, degrees = 0): string {
  const [a, b] = [across, up].map((pixels) => Math.max(0.5, Math.round(100 * pixels) / 100)) as [number, number];
  const rounded = (number: number) => Math.round(100 * number) / 100;
  const angle = (degrees * Math.PI) / 180;
  const [x, y] = [rounded(a * Math.cos(angle)), rounded(a * Math.sin(angle))];
  const turn = rounded(degrees);
  return `M${-x},${-y}A${a},${b},${turn},1,1,${x},${y}A${a},${b},${turn},1,1,${-x},${-y}Z`;
}

/**
 * Outline of two standard deviations of a covariance of two coordinates, given the size of a unit of each in pixels; positive is downwards on the
 * screen.
 */
export function covarianceEllipse(xx: number, xy: number, yy: number, pixelsX: number, pixelsY: number): string {
  const [a, b, c] = [xx * pixelsX * pixelsX, -xy * pixelsX * pixelsY, yy * pixelsY * pixelsY];
  const half = Math.hypot((a - c) / 2, b);
  const [long, short] = [(a + c) / 2 + half, Math.max(0, (a + c) / 2 - half)];
  const degrees = (Math.atan2(2 * b, a - c) / 2) * (180 / Math.PI);
  return ellipse(DEVIATIONS * Math.sqrt(long), DEVIATIONS * Math.sqrt(short), degrees);
}

/** Ellipses of mean ± 2 standard deviations below the points, in their colors; `outline` is a field of the points. */
export const ellipseMarks = (looks: PointLooks): Mark =>
  markOf(
    'path',
    { name: 'ellipses', data: 'latents', clip: true },
    {
      x: { scale: 'x', field: 'x' },
      y: { scale: 'y', field: 'y' },
      path: { field: 'outline' },
      fill: fillOf(looks),
      fillOpacity: { value: 0.14 },
      stroke: fillOf(looks),
      strokeOpacity: { value: 0.35 },
      strokeWidth: { value: 0.75 },
    },
  );

/** Number of levels of opacity: all edges of a level are one path, a fraction of the size of one path per edge. */
const LEVELS = 20;

/** Position of a point in pixels. */
type Pixel = readonly [x: number, y: number];

/** Parts of a Vega specification that draw the edges of a graph below its points, more opaque for larger weights. */
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
      markOf(
        'path',
        { name: 'edges', data: 'graph' },
        {
          path: { field: 'path' },
          stroke: { value: EDGE },
          strokeWidth: { value: 1 },
          strokeOpacity: { field: 'opacity' },
        },
      ),
    ],
  };
}

/**
 * Edges of positive weight grouped by opacity, the faintest first, so that strong ones are drawn on top. The opacity of an edge is the fraction of
 * edges with at most its weight: weights span powers of ten, of which a linear scale would show only the last.
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

/** Most images of one picture. */
const MOST_IMAGES = 200;
const MOST_IMAGE_PIXELS = 1e6;
/** Height of an image in pixels. */
const HEIGHT = 28;

/** Parts of a Vega specification that draw the images of points where they do not overlap, with frames in the points' colors. */
export async function imageLayer(
  Y: Matrix,
  image: ImageShape,
  pixels: readonly Pixel[],
  looks: PointLooks,
): Promise<{ readonly data: Data[]; readonly marks: Mark[] }> {
  const shape = checkImage(image, Y.columns);
  const [height, width] = shape;
  const size = { height: HEIGHT, width: (HEIGHT * width) / height };
  const most = Math.max(1, Math.min(MOST_IMAGES, Math.floor(MOST_IMAGE_PIXELS / (height * width))));
  const range = brightness(Y);
  const values = await Promise.all(
    apart(pixels, size.width + 3, size.height + 3, most).map(async (i) => ({
      ...lookFields(looks, i),
      left: pixels[i]![0] - size.width / 2,
      top: pixels[i]![1] - size.height / 2,
      url: await imageAddress(Y, [i], 1, shape, range),
    })),
  );
  const place = {
    x: { field: 'left' },
    y: { field: 'top' },
    width: { value: size.width },
    height: { value: size.height },
  };
  const fill = fillOf(looks);
  return {
    data: [{ name: 'shownImages', values }],
    marks: [
      markOf(
        'image',
        { name: 'images', data: 'shownImages' },
        { ...place, url: { field: 'url' }, aspect: { value: false }, smooth: { value: false } },
      ),
      markOf(
        'rect',
        { name: 'frames', data: 'shownImages' },
        { ...place, stroke: 'value' in fill ? { value: PRIMARY } : fill, strokeWidth: { value: 1.5 } },
      ),
    ],
  };
}

/** Points whose images do not overlap; lower numbers come first. */
function apart(pixels: readonly Pixel[], width: number, height: number, most: number): number[] {
  const chosen: number[] = [];
  for (let i = 0; i < pixels.length && chosen.length < most; i++) {
    const [x, y] = pixels[i]!;
    const isFree = chosen.every((j) => Math.abs(pixels[j]![0] - x) >= width || Math.abs(pixels[j]![1] - y) >= height);
    if (isFree) chosen.push(i);
  }
  return chosen;
}

/** Number of gray levels, enough to look continuous. */
const BANDS = 20;

interface Layer {
  readonly data: Data[];
  readonly scales: Scale[];
  readonly legends: Legend[];
  readonly marks: Mark[];
}

/**
 * Parts of a Vega specification that draw log₁₀ of the precision as bands of gray. Each band is the region where it exceeds a threshold, drawn over
 * the previous one: a tenth of the size of a raster, and without seams.
 */
export function precisionLayer({ x, y, values }: PrecisionGrid, width: number, height: number): Layer {
  if (values.columns !== x.length || values.rows !== y.length || x.length < 2 || y.length < 2) {
    throw new InvalidInputError(
      `A precision grid of ${y.length} positions in y and ${x.length} in x takes ${y.length}×${x.length} values (2×2 at least), but ${values.rows}×${values.columns} were given.`,
    );
  }
  const bad = values.data.findIndex((precision) => !(precision > 0 && Number.isFinite(precision)));
  if (bad >= 0) {
    throw new InvalidInputError(
      `Precisions must be positive and finite, but row ${Math.floor(bad / x.length)}, column ${bad % x.length} is ${values.data[bad]}.`,
    );
  }
  const logarithms = Array.from(values.data, Math.log10);
  const low = logarithms.reduce((a, b) => Math.min(a, b));
  const high = logarithms.reduce((a, b) => Math.max(a, b));
  // A constant precision has no bands and is white.
  const thresholds = high > low ? Array.from({ length: BANDS }, (_, k) => low + ((high - low) * k) / BANDS) : [low];
  const [stepX, stepY] = [width / (x.length - 1), height / (y.length - 1)];
  const grid = {
    width: x.length,
    height: y.length,
    values: logarithms,
    // The first sample is at ½ in the coordinates of the contours, and at the corner of the picture.
    scale: [stepX, -stepY],
    translate: [-stepX / 2, height + stepY / 2],
  };
  return {
    data: [
      { name: 'precision', values: [grid] },
      {
        name: 'contours',
        source: 'precision',
        transform: [{ type: 'isocontour', thresholds, as: 'contour' }],
      },
    ],
    scales: [{ name: 'precision', type: 'linear', domain: high > low ? [low, high] : [low - 1, low], range: GRAYS }],
    legends: high > low ? [precisionLegend] : [],
    marks: [bandMarks(high > low ? (high - low) / BANDS : 0, low, high)],
  };
}

const precisionLegend: Legend = {
  fill: 'precision',
  type: 'gradient',
  // A subscript 10 is missing in some fonts, which would then be replaced.
  title: 'log10 precision',
  gradientLength: 120,
  gradientStrokeColor: '#999999',
  gradientStrokeWidth: 0.5,
  tickCount: 4,
};

/** Each band has the gray of the legend at its lower end, stretched so that the last one is white. */
const bandMarks = (step: number, low: number, high: number): Mark => ({
  type: 'group',
  clip: true,
  aria: false,
  encode: { enter: { width: { signal: 'width' }, height: { signal: 'height' } } },
  marks: [
    {
      type: 'path',
      name: 'bands',
      aria: false,
      from: { data: 'contours' },
      encode: {
        enter: {
          fill: {
            scale: 'precision',
            signal: `${low} + (datum.contour.value - ${low}) * ${step > 0 ? (high - low) / (high - low - step) : 1}`,
          },
        },
      },
      transform: [{ type: 'geopath', field: 'datum.contour' }],
    },
  ],
});
