import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { checkEach, describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkGiven, givenList } from '../../core/options.ts';
import { checkGraph, type Graph } from '../../engine/graph/graph.ts';
import { type Bands, type Images, type Legend, type Lines, mixed } from '../../scene/index.ts';
import { EDGE, GRAYS, type SharedLooks } from './looks.ts';
import type { PrecisionGrid } from './precisionGrid.ts';
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
      `A picture shows one, two or three columns of the latents, but columns [${shown.map(describe).join(', ')}] of ${latents.rows}×${latents.columns} latents were requested.`,
    );
  }
  return [shown[0]!, shown[1]];
}

const givenColumns = (columns: readonly number[] | undefined) =>
  columns === undefined ? undefined : givenList(columns, 'A picture', 'a list of columns');

/** Half axis of an ellipse in standard deviations. */
const DEVIATIONS = 2;

/** Two standard deviations of each point along one latent dimension, the half axis of its ellipse. */
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
  return checkEach(
    variances,
    'Variances of latents are finite numbers from 0',
    (variance) => variance >= 0 && variance < Infinity,
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
    const covariance = Matrix.from(given, `The covariance of point index ${i}`);
    const isSquare = covariance.rows === columns && covariance.columns === columns;
    if (isSquare && covariance.data.every(Number.isFinite)) return covariance;
    throw new InvalidInputError(
      `The covariance of a latent point is ${columns}×${columns} of finite numbers, but the one of point index ${i} is ${covariance.rows}×${covariance.columns}${isSquare ? ' with others' : ''}.`,
    );
  });
}

/** Number of opacity levels: all edges of a level are one path, which takes a fraction of the size of one path per edge. */
const LEVELS = 20;

/** Position of a point: in units, or in pixels. */
export interface Position {
  readonly x: number;
  readonly y: number;
}

/** The edges of a graph between points, more opaque for larger weights. */
export function graphLayer(graph: Graph, points: readonly Position[]): Lines {
  const { size, sources, targets, weights } = checkGraph(graph, 'latentPlot');
  if (size !== points.length) {
    throw new InvalidInputError(
      `There are ${points.length} latent points, but the graph has ${size}. Make it from the same rows.`,
    );
  }
  return {
    mark: 'lines',
    name: 'edges',
    lines: opacityLevels(weights).map(({ opacity, entries }) => {
      const ends = entries.flatMap((e) => [points[sources[e]!]!, points[targets[e]!]!]);
      return {
        ...{ x: ends.map(({ x }) => x), y: ends.map(({ y }) => y), inPairs: true },
        ...{ color: EDGE, width: 1, opacity },
      };
    }),
  };
}

/**
 * Edges of positive weight grouped by opacity, faintest first, so that strong ones are drawn on top. The opacity of an edge is the fraction of edges
 * with at most its weight, since weights span powers of ten, and a linear scale would show only the largest.
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

/** Maximum number of images in a picture. */
const MOST_IMAGES = 200;
const MOST_IMAGE_PIXELS = 1e6;
/** Height of an image in pixels. */
const HEIGHT = 28;

/** Images of points that do not overlap, with frames in the points' colors. */
export async function imageLayer(
  Y: Matrix,
  image: ImageShape,
  points: readonly Position[],
  pixels: readonly Position[],
  { looks, lookOf }: SharedLooks,
): Promise<Images> {
  const shape = checkImage(image, Y.columns);
  const [height, width] = shape;
  const size = { height: HEIGHT, width: (HEIGHT * width) / height };
  const most = Math.max(1, Math.min(MOST_IMAGES, Math.floor(MOST_IMAGE_PIXELS / (height * width))));
  const range = brightness(Y);
  const shown = apart(pixels, size.width + 3, size.height + 3, most);
  return {
    ...{ mark: 'images', name: 'images', ...size },
    ...{ x: shown.map((i) => points[i]!.x), y: shown.map((i) => points[i]!.y) },
    urls: await Promise.all(shown.map((i) => imageAddress(Y, [i], 1, shape, range))),
    frames: shown.map((i) => looks[lookOf[i]!]!.color),
  };
}

/** Points whose images do not overlap; lower numbers come first. */
function apart(pixels: readonly Position[], width: number, height: number, most: number): number[] {
  const chosen: number[] = [];
  for (let i = 0; i < pixels.length && chosen.length < most; i++) {
    const { x, y } = pixels[i]!;
    const isFree = chosen.every((j) => Math.abs(pixels[j]!.x - x) >= width || Math.abs(pixels[j]!.y - y) >= height);
    if (isFree) chosen.push(i);
  }
  return chosen;
}

/** Number of gray levels, enough to look continuous. */
const BANDS = 20;

/** log₁₀ of the precision as bands of gray, each with the gray of the legend at its lower end, stretched so that the last one is white. */
export function precisionLayer({ x, y, values }: PrecisionGrid): { readonly bands: Bands; readonly legends: Legend[] } {
  if (values.columns !== x.length || values.rows !== y.length || x.length < 2 || y.length < 2) {
    throw new InvalidInputError(
      `A precision grid of ${y.length} positions in y and ${x.length} in x takes ${y.length}×${x.length} values (2×2 at least), but ${values.rows}×${values.columns} were given.`,
    );
  }
  checkEach(
    values,
    'Precisions must be positive and finite',
    (precision) => precision > 0 && Number.isFinite(precision),
  );
  const logarithms = Array.from(values.data, (precision) => log(precision) / log(10));
  const low = logarithms.reduce((a, b) => Math.min(a, b));
  const high = logarithms.reduce((a, b) => Math.max(a, b));
  // A constant precision is white.
  const levels = high > low ? Array.from({ length: BANDS }, (_, k) => k) : [BANDS - 1];
  return {
    bands: {
      ...{ mark: 'bands', name: 'bands', values: logarithms, columns: x.length },
      thresholds: levels.map((k) => low + ((high - low) * k) / BANDS),
      colors: levels.map((k) => mixed(GRAYS, k / (BANDS - 1))),
    },
    // A subscript 10 is missing in some fonts, which would then be replaced.
    legends: high > low ? [{ title: 'log10 precision', range: [low, high], stops: GRAYS }] : [],
  };
}
