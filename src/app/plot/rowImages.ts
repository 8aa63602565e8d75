import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { checkGiven, isList } from '../../core/options.ts';

/** Height and width in pixels of images stored in rows, pixel rows from the top; and 3 for pixels with red, green and blue. */
export type ImageShape =
  | readonly [height: number, width: number]
  | readonly [height: number, width: number, channels: 1 | 3];

/** An image shape with its number of channels. */
export type FullShape = readonly [height: number, width: number, channels: 1 | 3];

/** Maximum number of pixels of a picture. */
export const MOST_PIXELS = 2 ** 22;

/**
 * @throws InvalidInputError unless the columns are the pixels of an image of this shape
 */
export function checkImage(shape: ImageShape, columns: number): FullShape {
  checkGiven(shape, 'image', 'a list of height and width, such as [28, 28]', isList);
  const [height, width, channels = 1] = shape;
  const isShape = [height, width].every((side) => Number.isInteger(side) && side >= 1) && [1, 3].includes(channels);
  if (!isShape || height * width * channels !== columns) {
    throw new InvalidInputError(
      `Images of ${shape.join('×')} have ${isShape ? height * width * channels : 'no'} pixels, but the observations have ${columns} columns. Give height and width, and 3 for colors.`,
    );
  }
  if (height * width <= MOST_PIXELS) return [height, width, channels];
  throw new InvalidInputError(`Images of ${shape.join('×')} are too many for a picture. Make them smaller.`);
}

/** The smallest and largest entries, which are drawn black and white. */
export function brightness({ data }: Matrix): readonly [black: number, white: number] {
  let black = Infinity;
  let white = -Infinity;
  for (const value of data) {
    if (value < black) black = value;
    if (value > white) white = value;
  }
  return white > black ? [black, white] : [black - 1, black];
}

/**
 * Images combined into one PNG, as a data URL.
 *
 * @param rows - indices of the rows, one per image
 * @param across - images per row of the picture
 * @param enlarged - enlargement factor of pixels along each side
 */
export async function imageAddress(
  Y: Matrix,
  rows: readonly number[],
  across: number,
  [height, width, channels]: FullShape,
  [black, white]: readonly [number, number],
  enlarged = 1,
): Promise<string> {
  const { encode } = await import('fast-png');
  const down = Math.ceil(rows.length / across);
  const line = across * width * enlarged * channels;
  const data = new Uint8Array(down * height * enlarged * line);
  rows.forEach((row, n) => {
    const top = Math.floor(n / across) * height * enlarged;
    const left = (n % across) * width * enlarged;
    for (let y = 0; y < height * enlarged; y++) {
      for (let x = 0; x < width * enlarged; x++) {
        const pixel = Math.floor(y / enlarged) * width + Math.floor(x / enlarged);
        for (let c = 0; c < channels; c++) {
          const value = Y.data[row * Y.columns + pixel * channels + c]!;
          const level = Math.round((255 * (value - black)) / (white - black));
          // Missing pixels are gray.
          data[(top + y) * line + (left + x) * channels + c] = Number.isNaN(value)
            ? 128
            : Math.min(255, Math.max(0, level));
        }
      }
    }
  });
  const png = encode({ width: across * width * enlarged, height: down * height * enlarged, data, channels, depth: 8 });
  return `data:image/png;base64,${base64(png)}`;
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += 0x8000)
    text += String.fromCharCode(...bytes.subarray(from, from + 0x8000));
  return btoa(text);
}
