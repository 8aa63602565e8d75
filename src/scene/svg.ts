import * as v from 'valibot';
import { checkOptions, numberAboveZero } from '../core/options.ts';
import { pictureOf } from './layout.ts';
import type { Group, Part, Path, Picture, Text } from './picture.ts';
import type { Scene } from './scene.ts';
import { hundredth } from './shapes.ts';

/**
 * Draws a scene as SVG text, which needs no page, font file or script. The same scene gives the same text on every machine.
 *
 * @param scene - see {@link Scene}
 * @returns the picture as SVG text; `svgToPng` converts it to pixels
 * @throws InvalidInputError for a scene without size, axes or lists of marks and legends
 * @example
 * ```ts
 * const svg = sceneSvg({
 *   ...{ width: 300, height: 200, description: 'A line', legends: [] },
 *   ...{ x: { domain: [0, 1], title: 'x', ticks: 5 }, y: { domain: [0, 2], title: 'y', ticks: 4 } },
 *   marks: [{ mark: 'lines', name: 'line', lines: [{ x: [0, 1], y: [0, 2], color: '#3964af', width: 2 }] }],
 * });
 * ```
 */
export function sceneSvg(scene: Scene): string {
  checkOptions(sceneSchema, scene, 'sceneSvg');
  const picture = pictureOf(scene);
  // Several pictures of one page do not share ids, which follow from their content.
  return svgText(picture, fingerprint(svgText(picture, '')));
}

const axisSchema = v.looseObject(
  { domain: v.tuple([v.number('a number'), v.number('a number')], 'two numbers') },
  'an axis with a domain',
);
const sceneSchema = v.strictObject({
  width: numberAboveZero,
  height: numberAboveZero,
  description: v.string('a text'),
  title: v.optional(v.string('a text')),
  x: axisSchema,
  y: axisSchema,
  marks: v.array(v.looseObject({ mark: v.string('the name of a mark') }, 'a mark'), 'a list of marks'),
  legends: v.array(v.looseObject({}, 'a legend'), 'a list of legends'),
});

function svgText({ width, height, description, parts }: Picture, prefix: string): string {
  /** SVG definitions, each included once. */
  const definitions: string[] = [];
  const defined: Define = (text) => {
    const at = definitions.indexOf(text);
    return `url(#${prefix}-${at < 0 ? definitions.push(text) - 1 : at})`;
  };
  const content = parts.map((part) => element(part, defined)).join('');
  const named = definitions.map((text, k) => text.replace('id=""', `id="${prefix}-${k}"`));
  const defs = named.length === 0 ? '' : `<defs>${named.join('')}</defs>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(description)}" font-family="sans-serif"><rect width="${width}" height="${height}" fill="#ffffff"/>${defs}${content}</svg>`;
}

/** Returns the reference to a definition, which has an empty id. */
type Define = (definition: string) => string;

function element(part: Part, defined: Define): string {
  switch (part.part) {
    case 'group':
      return group(part, defined);
    case 'path':
      return `<path${attributes(pathAttributes(part, defined))}/>`;
    case 'text':
      return textElement(part);
    case 'image': {
      const { x, y, width, height, url } = part;
      const place = { x, y, width, height, preserveAspectRatio: 'none', 'image-rendering': 'optimizeSpeed', href: url };
      return `<image${attributes(place)}/>`;
    }
  }
}

function group({ name, x, y, clip, parts }: Group, defined: Define): string {
  const clipped = clip && defined(`<clipPath id=""><rect width="${clip[0]}" height="${clip[1]}"/></clipPath>`);
  const border = sharedBorder(parts);
  const own = { class: name, transform: moved(x, y), 'clip-path': clipped, ...borderAttributes(border) };
  const content = parts.map((part) => element(border === undefined ? part : { ...part, ...NO_BORDER }, defined));
  return `<g${attributes(own)}>${content.join('')}</g>`;
}

const NO_BORDER = { stroke: undefined, strokeWidth: undefined };

/** Color and width of the outlines of many paths, written once if all agree. */
function sharedBorder(parts: readonly Part[]): Pick<Path, 'stroke' | 'strokeWidth'> | undefined {
  const [first] = parts;
  if (first?.part !== 'path' || parts.length < 2) return undefined;
  const { stroke, strokeWidth } = first;
  const areEqual = parts.every(
    (part) => part.part === 'path' && part.stroke === stroke && part.strokeWidth === strokeWidth,
  );
  return areEqual ? { stroke, strokeWidth } : undefined;
}

const borderAttributes = ({ stroke, strokeWidth }: Pick<Path, 'stroke' | 'strokeWidth'> = {}): Attributes => ({
  stroke,
  'stroke-width': strokeWidth === 1 ? undefined : strokeWidth,
});

function pathAttributes({ d, x, y, fill, stroke, strokeWidth, ...rest }: Path, defined: Define): Attributes {
  const color = typeof fill === 'string' ? fill : fill === undefined ? 'none' : defined(gradient(fill));
  return {
    transform: moved(x ?? 0, y ?? 0),
    d,
    fill: color,
    'fill-opacity': rest.fillOpacity,
    ...borderAttributes({ stroke, strokeWidth }),
    'stroke-opacity': rest.strokeOpacity === 1 ? undefined : rest.strokeOpacity,
    'stroke-linecap': rest.isRound ? 'round' : undefined,
    'stroke-dasharray': rest.dashes?.join(' '),
  };
}

const gradient = (stops: readonly string[]): string =>
  `<linearGradient id="" x1="0" y1="1" x2="0" y2="0">${stops
    .map((color, k) => `<stop offset="${hundredth(k / (stops.length - 1))}" stop-color="${color}"/>`)
    .join('')}</linearGradient>`;

function textElement({ x, y, text, size, color, anchor, isBold, isUpwards }: Text): string {
  const own = {
    ...(isUpwards ? { transform: `translate(${hundredth(x)},${hundredth(y)}) rotate(-90)` } : { x, y }),
    'font-size': size,
    'font-weight': isBold ? 'bold' : undefined,
    fill: color,
    'text-anchor': anchor === 'start' ? undefined : anchor,
  };
  return `<text${attributes(own)}>${escaped(text)}</text>`;
}

type Attributes = Readonly<Record<string, string | number | undefined>>;

const attributes = (values: Attributes): string =>
  Object.entries(values)
    .map(([name, value]) =>
      value === undefined ? '' : ` ${name}="${typeof value === 'number' ? hundredth(value) : value}"`,
    )
    .join('');

const moved = (x: number, y: number): string | undefined =>
  x === 0 && y === 0 ? undefined : `translate(${hundredth(x)},${hundredth(y)})`;

/** Text for XML: control characters and lone surrogates become �, so that text of a table cannot damage a picture. */
export const printable = (text: string): string =>
  text.replace(/(?![\t\n\r])[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');

/** Text for the content or an attribute of an element of XML or HTML. */
export const escaped = (text: string): string =>
  printable(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** FNV-1a, 32 bits, in letters and digits. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return `p${(hash >>> 0).toString(36)}`;
}
