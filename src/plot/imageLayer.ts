import type { Data, Mark } from 'vega';
import type { Matrix } from '../core/matrix.ts';
import type { Pixel } from './graphLayer.ts';
import { PRIMARY } from './palette.ts';
import { fillOf, lookFields, type PointLooks } from './pointLooks.ts';
import { brightness, checkImage, type ImageShape, imageAddress } from './rowImages.ts';

/** Images of one picture at most, and their pixels. */
const MOST_IMAGES = 200;
const MOST_IMAGE_PIXELS = 1e6;
/** How high an image is drawn, in pixels. */
const HEIGHT = 28;

/** The parts of a Vega specification that draw the images of points where none covers another, with frames in the points' colours. */
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
      {
        type: 'image',
        name: 'images',
        aria: false,
        from: { data: 'shownImages' },
        encode: { enter: { ...place, url: { field: 'url' }, aspect: { value: false }, smooth: { value: false } } },
      },
      {
        type: 'rect',
        name: 'frames',
        aria: false,
        from: { data: 'shownImages' },
        encode: {
          enter: { ...place, stroke: 'value' in fill ? { value: PRIMARY } : fill, strokeWidth: { value: 1.5 } },
        },
      },
    ],
  };
}

/** Points of which no two are so near that their images overlap, those of lower number first. */
function apart(pixels: readonly Pixel[], width: number, height: number, most: number): number[] {
  const chosen: number[] = [];
  for (let i = 0; i < pixels.length && chosen.length < most; i++) {
    const [x, y] = pixels[i]!;
    const isFree = chosen.every((j) => Math.abs(pixels[j]![0] - x) >= width || Math.abs(pixels[j]![1] - y) >= height);
    if (isFree) chosen.push(i);
  }
  return chosen;
}
