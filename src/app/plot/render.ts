import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { isNode, nodeModule, optionalPackage } from '../../core/host.ts';
import { reasonOf } from '../../core/matrix.ts';
import { checkGiven, namedOptions } from '../../core/options.ts';

export interface SvgToPngOptions {
  /** Pixels of the result per pixel of the picture; default 2, for high-resolution screens. */
  readonly scale?: number;
}

/** Largest side in pixels. */
const LONGEST = 16_384;

/** Part of @resvg/resvg-js that is used. */
interface Resvg {
  readonly Resvg: new (
    svg: string,
    options: { fitTo: { mode: 'zoom'; value: number }; font: { loadSystemFonts: boolean; sansSerifFamily?: string } },
  ) => { render(): { asPng(): Uint8Array } };
}

/**
 * Converts a picture to pixels: in Node with the optional package @resvg/resvg-js and the fonts of the system, in a page with the browser.
 *
 * @param svg - a picture from the plots of this library
 * @param options - `scale`: pixels of the result per pixel of the picture
 * @returns the bytes of a PNG file
 * @throws InvalidInputError if the text is not a picture, the scale is out of range, or the package is not installed
 * @example
 * ```ts
 * const png = await svgToPng(await latentPlot({ latents: result.latents, labels }), { scale: 3 });
 * ```
 */
export async function svgToPng(svg: string, options: SvgToPngOptions = {}): Promise<Uint8Array> {
  const { scale = 2 } = namedOptions(options, 'svgToPng', ['scale']);
  checkGiven(svg, 'svgToPng', 'SVG text', (given) => typeof given === 'string');
  const size = /^<svg [^>]*?width="([\d.]+)" height="([\d.]+)"/.exec(svg)?.slice(1).map(Number);
  if (size === undefined)
    throw new InvalidInputError('A PNG is made of SVG text with a width and a height, as the plots return it.');
  // The renderer would read files of this machine.
  if (/href\s*=\s*["']\s*(?!data:|#)/i.test(svg)) {
    throw new InvalidInputError(
      'A PNG is made of SVG text without references to other files. Put images into it as data URLs, as the plots do.',
    );
  }
  const longest = Math.max(...size) * scale;
  if (!(scale > 0 && longest <= LONGEST)) {
    throw new InvalidInputError(
      `At scale ${scale} the picture of ${size.join('×')} would be ${Math.ceil(longest)} pixels long. Give a scale above 0 and up to ${Math.floor(LONGEST / Math.max(...size))}.`,
    );
  }
  return isNode() ? byResvg(svg, scale) : byCanvas(svg, size as [number, number], scale);
}

async function byResvg(svg: string, scale: number): Promise<Uint8Array> {
  const name = '@resvg/resvg-js';
  const { Resvg } = await optionalPackage(name, () => nodeModule<Resvg>(name, 'A PNG file'), 'A PNG file');
  try {
    return new Resvg(svg, { fitTo: { mode: 'zoom', value: scale }, font: { loadSystemFonts: true } }).render().asPng();
  } catch (error) {
    throw new InvalidInputError(
      `This SVG text cannot be drawn: ${reasonOf(error)}. Give a picture as the plots return it.`,
      { cause: error },
    );
  }
}

async function byCanvas(svg: string, [width, height]: [number, number], scale: number): Promise<Uint8Array> {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null)
    throw new InvalidInputError('The browser could not make a PNG of the picture. Give a smaller scale.');
  return new Uint8Array(await blob.arrayBuffer());
}

/** Largest width or height of a picture in pixels: enough for print, and feasible to draw. */
const LARGEST = 10_000;

const pixelsExpected = `a number of pixels from 1 to ${LARGEST}`;

/** Width or height of a picture. */
export const pixels = v.pipe(
  v.number(pixelsExpected),
  v.minValue(1, pixelsExpected),
  v.maxValue(LARGEST, pixelsExpected),
);

export const titleOption = v.optional(v.string('a text'));
