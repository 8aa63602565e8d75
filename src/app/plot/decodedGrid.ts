import * as v from 'valibot';
import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import {
  checkFunction,
  checkOptions,
  givenOptions,
  integerBetween,
  numberFromZero,
  type OptionsIn,
  typed,
} from '../../core/options.ts';
import { type Line, sceneSvg } from '../../scene/index.ts';
import { columnsShown } from './layers.ts';
import { axis, gridPoints, range } from './precisionGrid.ts';
import { pixels, titleOption } from './render.ts';
import { brightness, checkImage, type ImageShape, imageAddress, MOST_PIXELS } from './rowImages.ts';

/** Maximum number of points in each direction. */
const MOST = 1000;

/** Pixels along the longer side of the whole picture after small images are enlarged. */
const SHARP = 1200;

/** Prediction at latent points n×q: means n×D. */
export type Decode = (X: Matrix) => { readonly mean: Matrix };

export interface DecodedGridOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Height and width of the predicted images, and 3 for color images. */
  image: typed<ImageShape>(),
  /**
   * Fitted observations, N×D: their smallest entry is drawn black, their largest white. By default the range of the predictions is used, which may be
   * much wider.
   */
  observations: v.optional(typed<MatrixLike>()),
  /** Images along each axis, at least 2; default 12. */
  resolution: v.optional(integerBetween(2, MOST), 12),
  /** Margin of the grid around the latents, relative to their range; default 0. */
  margin: v.optional(numberFromZero, 0),
  /** Latent dimensions along the axes, from 0; default the first two. */
  columns: v.optional(typed<readonly number[]>()),
  title: titleOption,
  /** Width of the area between the axes in pixels; default 460. */
  width: v.optional(pixels, 460),
});

/**
 * Draws predictions over the latent space: the mean image at each point of a grid over the latents, dark where entries are small. Latent dimensions
 * that are not shown are fixed at their mean.
 *
 * @param predict - means n×D at n latent points, such as `(X) => result.predict(X)`
 * @param latents - N×q, q ≥ 2
 * @param options - see {@link DecodedGridOptions}
 * @returns the picture as SVG text, with the images as one PNG inside
 * @throws InvalidInputError if the predictions are not images of that shape, or an option is out of range; any error of `predict`
 * @see Lawrence 2005, figures of digits
 * @example
 * ```ts
 * const svg = await decodedGrid((X) => result.predict(X), result.latents, { image: [4, 3], resolution: 8 });
 * ```
 */
export async function decodedGrid(predict: Decode, latents: MatrixLike, options: DecodedGridOptions): Promise<string> {
  checkFunction(predict, 'decodedGrid', 'a prediction, such as (X) => result.predict(X)');
  const { image, observations, resolution, margin, columns, title, width } = checkOptions(
    schema,
    options,
    'decodedGrid',
  );
  const X = Matrix.from(latents, 'latents');
  const [first, second] = columnsShown(X, columns);
  if (second === undefined)
    throw new InvalidInputError('A decoded grid takes two latent dimensions, but there is one.');
  const [across, up] = [range(X.column(first), margin), range(X.column(second), margin)];
  // From the top: the largest y comes first.
  const at = gridPoints(X, first, second, axis(across, resolution), axis(up, resolution).reverse());
  const mean = Matrix.from(givenOptions(predict(at), 'decodedGrid').mean, 'The predicted mean');
  const shape = checkImage(image, mean.columns);
  const [imageHeight, imageWidth] = shape;
  if (imageHeight * imageWidth * square(resolution) > MOST_PIXELS) {
    throw new InvalidInputError(
      `${resolution}×${resolution} images of ${imageHeight}×${imageWidth} are too many for a picture. Give a smaller resolution.`,
    );
  }
  const seen = observations === undefined ? mean : Matrix.from(observations, 'observations');
  const cells = Array.from({ length: mean.rows }, (_, i) => i);
  // Viewers would blur enlarged pixels.
  const enlarged = Math.max(1, Math.floor(SHARP / (resolution * Math.max(imageWidth, imageHeight))));
  const url = await imageAddress(mean, cells, resolution, shape, brightness(seen), enlarged);
  const height = (width * imageHeight) / imageWidth;
  // Each image is centered on its latent point: the picture extends half a step beyond the first and the last.
  const domainOf = ({ low, length }: typeof across) => {
    const half = length / (resolution - 1) / 2;
    return [low - half, low + length + half] as const;
  };
  const [x, y] = [domainOf(across), domainOf(up)];
  const middle = ([low, high]: readonly [number, number]) => (low + high) / 2;
  const border = { color: '#ffffff', width: 2, inPairs: true } as const;
  /** Both ends of lines between the cells of one axis, and of the other. */
  const between = ([low, high]: readonly [number, number]) =>
    Array.from({ length: resolution - 1 }, (_, k) => low + ((k + 1) / resolution) * (high - low)).flatMap((at) => [
      at,
      at,
    ]);
  const ends = (of: readonly [number, number]) => Array.from({ length: resolution - 1 }, () => of).flat();
  const borders: Line[] = [
    { ...border, x: between(x), y: ends(y) },
    { ...border, x: ends(x), y: between(y) },
  ];
  return sceneSvg({
    ...{ width, height, description: title ?? 'Decoded latent space', ...(title !== undefined && { title }) },
    x: { domain: x, title: `latent dimension ${first + 1}`, ticks: 6 },
    y: { domain: y, title: `latent dimension ${second + 1}`, ticks: 6 },
    marks: [
      { mark: 'images', name: 'decoded', x: [middle(x)], y: [middle(y)], width, height, urls: [url] },
      { mark: 'lines', name: 'borders', lines: borders },
    ],
    legends: [],
  });
}
