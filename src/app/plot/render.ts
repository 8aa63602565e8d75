import type { Config, EncodeEntry, Mark, Spec } from 'vega';
import { InvalidInputError, LatentFieldError } from '../../core/errors.ts';
import { isNode, nodeModule, optionalPackage } from '../../core/host.ts';
import { describe } from '../../core/matrix.ts';
import { checkGiven, namedOptions } from '../../core/options.ts';

export interface SvgToPngOptions {
  /** Pixels of the result per pixel of the picture; default 2, for high-resolution screens. */
  readonly scale?: number;
}

/** Largest side in pixels. */
const LONGEST = 16_384;

/** The part of @resvg/resvg-js that is used. */
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
  return new Resvg(svg, { fitTo: { mode: 'zoom', value: scale }, font: { loadSystemFonts: true } }).render().asPng();
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

/** Style of all pictures. */
export const CONFIG: Config = {
  background: '#ffffff',
  axis: {
    domainColor: '#444444',
    tickColor: '#444444',
    labelColor: '#222222',
    titleColor: '#222222',
    labelFont: 'sans-serif',
    titleFont: 'sans-serif',
    labelFontSize: 11,
    titleFontSize: 13,
    titleFontWeight: 'normal',
    titlePadding: 8,
    tickSize: 4,
  },
  legend: {
    labelColor: '#222222',
    titleColor: '#222222',
    labelFont: 'sans-serif',
    titleFont: 'sans-serif',
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 'normal',
    layout: { right: { anchor: 'start', direction: 'vertical', margin: 22 } },
  },
  title: { font: 'sans-serif', fontSize: 14, fontWeight: 'bold', color: '#222222', offset: 12 },
};

/** A specification with the size, padding and title that all pictures share; the description, for screen readers, is the title if there is one. */
export const pictureOf = (
  {
    title,
    description,
    width,
    height,
  }: { title?: string | undefined; description: string; width: number; height: number },
  layers: Spec,
): Spec => ({
  description: title ?? description,
  width,
  height,
  padding: 8,
  ...(title !== undefined && { title }),
  ...layers,
});

/** A mark for each row of `data`, or a single one. Screen readers skip it: they read the description of the picture. */
export const markOf = (
  type: 'group' | 'image' | 'line' | 'path' | 'rect' | 'rule' | 'symbol' | 'text',
  { data, ...rest }: { readonly data?: string; readonly name?: string; readonly clip?: true; readonly marks?: Mark[] },
  enter: EncodeEntry,
): Mark => ({ type, aria: false, ...(data !== undefined && { from: { data } }), ...rest, encode: { enter } }) as Mark;

/** Renders a Vega specification as SVG text, without a page. Vega is larger than the rest of the library and is loaded only when a picture is drawn. */
export async function renderSvg(spec: Spec): Promise<string> {
  const [vega, { expressionInterpreter }] = await Promise.all([import('vega'), import('vega-interpreter')]);
  const problems: string[] = [];
  // Vega would compile strings to functions, which a strict content security policy forbids.
  const view = new vega.View(vega.parse(spec, CONFIG, { ast: true }), {
    renderer: 'none',
    logger: collecting(problems),
    expr: expressionInterpreter,
  });
  try {
    const svg = await view.toSVG();
    if (problems.length > 0) throw new LatentFieldError(`The picture could not be drawn: ${problems.join('; ')}.`);
    return withOwnIds(shortened(printable(svg)));
  } finally {
    view.finalize();
  }
}

/** Vega reports a failing transform to its logger and continues; nothing here may be printed to the console. */
function collecting(problems: string[]) {
  const logger = {
    level: () => logger,
    error: (...messages: readonly unknown[]) => {
      problems.push(messages.map(String).join(' '));
      return logger;
    },
    warn: () => logger,
    info: () => logger,
    debug: () => logger,
  };
  // Vega's type requires `level` to be a getter as well, which Vega never uses on a given logger.
  return logger as never;
}

/** Text for XML: control characters and lone surrogates become �, so that text of a table cannot damage a picture. */
export const printable = (text: string): string =>
  text.replace(/(?![\t\n\r])[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');

/** Text for the content or an attribute of an element of XML or HTML. */
export const escaped = (text: string): string =>
  printable(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** Rounds coordinates to a hundredth of a pixel, which is invisible and halves the file. */
const shortened = (svg: string): string =>
  svg.replace(/ (?:d|transform)="[^"]*"/g, (attribute) =>
    attribute.replace(/-?\d+\.\d{3,}(?:e-?\d+)?/g, (number) => String(Math.round(Number(number) * 100) / 100)),
  );

/**
 * Replaces Vega's ids of clip paths and gradients, which come from a global counter, by ids derived from the content. The same picture then has the
 * same text, and several pictures in one page do not share ids.
 */
function withOwnIds(svg: string): string {
  const ids = [...svg.matchAll(/ id="((?:clip|gradient_)\d+)"/g)].map(([, id]) => id!);
  const numbered = (prefix: string) => (id: string) => `${prefix}${ids.indexOf(id)}`;
  const renamed = (name: (id: string) => string) =>
    svg.replace(/(id="|url\(#)((?:clip|gradient_)\d+)/g, (_, before: string, id: string) => before + name(id));
  return renamed(numbered(`${fingerprint(renamed(numbered('')))}-`));
}

/** FNV-1a, 32 bits, in letters and digits. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return `p${(hash >>> 0).toString(36)}`;
}

/** Largest width or height of a picture in pixels: enough for print, and feasible to draw. */
const LARGEST = 10_000;

/** @throws InvalidInputError that names the size, unless it is a number of pixels from 1 to {@link LARGEST} */
export function checkPictureSize(sizes: Readonly<Record<string, unknown>>): void {
  for (const [name, given] of Object.entries(sizes)) {
    if (typeof given === 'number' && given >= 1 && given <= LARGEST) continue;
    throw new InvalidInputError(
      `The ${name} of a picture is a number of pixels from 1 to ${LARGEST}, but ${describe(given)} was given.`,
    );
  }
}
