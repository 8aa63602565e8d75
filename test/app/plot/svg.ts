export interface SvgElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: SvgElement[];
  text: string;
}

/** Parses a picture as strict XML: one root, every element closed in order, every attribute quoted, no bare & or <. */
export function parseSvg(svg: string): SvgElement {
  const root: SvgElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const token =
    /<(\/?)([a-zA-Z][\w:-]*)((?:\s+[\w:-]+="[^"<&]*(?:&(?:amp|lt|gt|quot|apos|#\d+);[^"<&]*)*")*)\s*(\/?)>|([^<]+)/y;
  while (token.lastIndex < svg.length) {
    const position = token.lastIndex;
    const match = token.exec(svg);
    if (match === null) throw new Error(`Not XML at ${position}: ${svg.slice(position, position + 60)}`);
    const [, closing, name, attributes, empty, text] = match;
    const parent = open.at(-1)!;
    if (text !== undefined) {
      if (/&(?!(amp|lt|gt|quot|apos|#\d+);)/.test(text)) throw new Error(`Bare & in '${text}'`);
      parent.text += text;
    } else if (closing === '/') {
      if (parent.name !== name) throw new Error(`</${name}> closes <${parent.name}>`);
      open.pop();
    } else {
      const pairs = [...attributes!.matchAll(/([\w:-]+)="([^"]*)"/g)].map((pair) => [pair[1]!, pair[2]!] as const);
      const element: SvgElement = { name: name!, attributes: Object.fromEntries(pairs), children: [], text: '' };
      parent.children.push(element);
      if (empty !== '/') open.push(element);
    }
  }
  if (open.length !== 1 || root.children.length !== 1) throw new Error('Not one closed root element');
  return root.children[0]!;
}

/** Every element below (and at) one that a test accepts. */
export function elements(root: SvgElement, accept: (element: SvgElement) => boolean): SvgElement[] {
  return [...(accept(root) ? [root] : []), ...root.children.flatMap((child) => elements(child, accept))];
}

/** The shapes that a named mark drew. */
export const marks = (root: SvgElement, name: string): SvgElement[] =>
  elements(root, ({ attributes }) => attributes.class?.split(' ').includes(name) ?? false).flatMap(
    ({ children }) => children,
  );

export const texts = (root: SvgElement): string[] =>
  elements(root, ({ name }) => name === 'text').map(({ text }) => text);

/** Where `translate(x,y)` moves a shape. */
export function position({ attributes }: SvgElement): [x: number, y: number] {
  const [x, y] = /translate\(([^,]+),([^)]+)\)/.exec(attributes.transform!)!.slice(1).map(Number);
  return [x!, y!];
}

/** Whether a point lies inside a path of straight lines, by the even-odd rule. */
export function contains({ attributes }: SvgElement, [x, y]: readonly [number, number]): boolean {
  let inside = false;
  for (const ring of attributes.d?.split('M').slice(1) ?? []) {
    const corners = ring
      .replace(/Z\s*$/, '')
      .split('L')
      .map((corner) => corner.split(',').map(Number) as [number, number]);
    corners.forEach(([x1, y1], i) => {
      const [x2, y2] = corners[(i + 1) % corners.length]!;
      if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
    });
  }
  return inside;
}

/** 0 for black … 255 for white. */
export function grayness(fill: string): number {
  const channels =
    /^rgb\((\d+), (\d+), (\d+)\)$/.exec(fill)?.slice(1).map(Number) ??
    [...fill.slice(1).matchAll(/../g)].map(([hex]) => Number.parseInt(hex, 16));
  if (channels.some((channel) => channel !== channels[0])) throw new Error(`${fill} is not gray`);
  return channels[0]!;
}

/** The area of a drawn symbol: a circle, or straight lines. */
export function areaOf({ attributes }: Pick<SvgElement, 'attributes'>): number {
  const path = attributes.d!;
  const arc = /A([\d.]+),/.exec(path);
  if (arc !== null) return Math.PI * Number(arc[1]) ** 2;
  const corners: [number, number][] = [];
  for (const [, command, rest] of path.matchAll(/([MLHVhvZ])([^MLHVhvZ]*)/g)) {
    const numbers = rest!.match(/-?[\d.]+/g)?.map(Number) ?? [];
    const [x, y] = corners.at(-1) ?? [0, 0];
    if (command === 'M' || command === 'L') corners.push([numbers[0]!, numbers[1]!]);
    if (command === 'H') corners.push([numbers[0]!, y]);
    if (command === 'V') corners.push([x, numbers[0]!]);
    if (command === 'h') corners.push([x + numbers[0]!, y]);
    if (command === 'v') corners.push([x, y + numbers[0]!]);
  }
  const doubled = corners.reduce((sum, [x1, y1], i) => {
    const [x2, y2] = corners[(i + 1) % corners.length]!;
    return sum + x1 * y2 - x2 * y1;
  }, 0);
  return Math.abs(doubled) / 2;
}
