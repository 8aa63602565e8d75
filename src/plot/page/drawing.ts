import { checkGiven } from '../../core/given.ts';
import type { PageData } from './runPage.ts';

/** One axis of a page: pixels = scale · unit + shift. */
interface PageAxis {
  readonly scale: number;
  readonly shift: number;
  readonly title: string;
}

/** Pixels that the axes take on the left and at the bottom. */
interface PageMargins {
  readonly left: number;
  readonly bottom: number;
}

/**
 * Draws ticks with their numbers, 1, 2 or 5 times a power of ten apart, along the left and the bottom of a canvas. Its text becomes part of a page: it
 * uses nothing of this module.
 */
export function drawAxes(
  context: CanvasRenderingContext2D,
  { width, height }: { readonly width: number; readonly height: number },
  { left, bottom }: PageMargins,
  across: PageAxis,
  up: PageAxis,
): void {
  const floor = height - bottom;
  const ticksOf = ({ scale, shift }: PageAxis, from: number, to: number, gap: number) => {
    const ends = [(from - shift) / scale, (to - shift) / scale];
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const rough = ((high - low) * gap) / Math.abs(to - from);
    const unit = Number(`1e${rough.toExponential().split('e')[1]}`);
    const step = [1, 2, 5, 10].map((times) => times * unit).find((each) => each >= rough)!;
    const count = Math.floor(high / step) - Math.ceil(low / step) + 1;
    return Array.from({ length: Math.max(0, count) }, (_, k) => {
      const value = Number(((Math.ceil(low / step) + k) * step).toPrecision(12));
      return { at: scale * value + shift, text: String(value) };
    });
  };
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, left, height);
  context.fillRect(left, floor, width - left, bottom);
  context.fillStyle = '#444444';
  context.strokeStyle = '#888888';
  context.lineWidth = 1;
  context.font = '11px system-ui, sans-serif';
  context.beginPath();
  context.moveTo(left, 0);
  context.lineTo(left, floor);
  context.lineTo(width, floor);
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (const { at, text } of ticksOf(across, left, width, 80)) {
    context.moveTo(at, floor);
    context.lineTo(at, floor + 5);
    if (at < width - 48) context.fillText(text, at, floor + 7);
  }
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const { at, text } of ticksOf(up, floor, 0, 60)) {
    context.moveTo(left, at);
    context.lineTo(left - 5, at);
    if (at > 20) context.fillText(text, left - 7, at);
  }
  context.stroke();
  context.font = 'bold 11px system-ui, sans-serif';
  context.fillText(up.title, left - 7, 9);
  context.textBaseline = 'top';
  context.fillText(across.title, width - 4, floor + 7);
}

/** Where and how points are drawn on a canvas. */
interface Drawn {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  /** Pixels of each point. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Half the axes of the ellipses, in pixels; empty without them. */
  readonly across: Float64Array;
  readonly up: Float64Array;
  readonly isHidden: (i: number) => boolean;
  readonly isChosen: (i: number) => boolean;
  readonly hovered: number;
  /** The line of a selection, x₁, y₁, …; empty without one. */
  readonly lasso: readonly number[];
}

/** Draws all points. Its text becomes part of a page: it uses nothing of this module. */
export function drawPoints(data: PageData, drawn: Drawn): void {
  const { context, width, height, x, y, across, up, isHidden, isChosen, hovered, lasso } = drawn;
  const count = x.length;
  // The same area for all shapes: that of a circle of this radius.
  const radius = Math.max(2.2, Math.min(4, 120 / Math.sqrt(count)));
  const anyChosen = x.some((_, i) => isChosen(i));
  const colourOf = (i: number) =>
    data.kindOf.length > 0 ? data.kinds[data.kindOf[i]!]!.colour : (data.colours[i] ?? data.primary);
  // Paths have the area of a circle of radius 1.
  const circle = 'M1,0A1,1 0 1 1 -1,0A1,1 0 1 1 1,0Z';
  const paths = (data.kinds.length > 0 ? data.kinds : [{ path: circle }]).map(({ path }) => new Path2D(path));
  const mark = (i: number, scale: number, lineWidth: number, isFilled: boolean) => {
    const size = radius * scale;
    const path = paths[data.kindOf[i] ?? 0]!;
    context.save();
    context.translate(x[i]!, y[i]!);
    context.scale(size, size);
    context.lineWidth = lineWidth / size;
    if (isFilled) context.fill(path);
    context.stroke(path);
    context.restore();
  };
  context.clearRect(0, 0, width, height);
  if (across.length > 0) {
    for (let i = 0; i < count; i++) {
      if (isHidden(i)) continue;
      context.beginPath();
      context.ellipse(x[i]!, y[i]!, across[i]!, up[i]!, 0, 0, 2 * Math.PI);
      context.fillStyle = colourOf(i);
      context.globalAlpha = 0.12;
      context.fill();
    }
  }
  context.strokeStyle = '#ffffff';
  for (let i = 0; i < count; i++) {
    if (isHidden(i)) continue;
    context.globalAlpha = anyChosen && !isChosen(i) ? 0.25 : 1;
    context.fillStyle = colourOf(i);
    mark(i, isChosen(i) ? 1.25 : 1, 0.75, true);
  }
  context.globalAlpha = 1;
  if (hovered >= 0) {
    context.strokeStyle = '#111111';
    mark(hovered, 1.6, 2, false);
  }
  if (lasso.length < 4) return;
  context.beginPath();
  for (let p = 0; p < lasso.length; p += 2) context.lineTo(lasso[p]!, lasso[p + 1]!);
  context.closePath();
  context.fillStyle = 'rgba(76, 120, 168, 0.12)';
  context.fill();
  context.strokeStyle = '#4c78a8';
  context.lineWidth = 1;
  context.stroke();
}

/** Corners of shapes, in any size, with y downwards. */
const CORNERS: Readonly<Record<string, readonly (readonly [x: number, y: number])[]>> = {
  square: [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ],
  diamond: [
    [-1, 0],
    [0, -1],
    [1, 0],
    [0, 1],
  ],
  cross: [
    [-3, -1],
    [-1, -1],
    [-1, -3],
    [1, -3],
    [1, -1],
    [3, -1],
    [3, 1],
    [1, 1],
    [1, 3],
    [-1, 3],
    [-1, 1],
    [-3, 1],
  ],
  'triangle-up': triangle((along, across) => [across, -along]),
  'triangle-down': triangle((along, across) => [across, along]),
  'triangle-right': triangle((along, across) => [along, across]),
};

/** One with its tip along a direction, of equal sides. */
function triangle(turned: (along: number, across: number) => readonly [number, number]) {
  const half = Math.sqrt(3) / 2;
  return [turned(half, 0), turned(-half, 1), turned(-half, -1)];
}

const SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'triangle-down', 'cross', 'triangle-right'];

/**
 * The shape of the marks of a kind, seven in turn, as the path of an SVG around 0, of the area of a circle of radius 1.
 *
 * @throws InvalidInputError when the kind is no whole number from 0
 */
export function markPath(kind: number): string {
  checkGiven(kind, 'markPath', 'the number of a kind, a whole number from 0', (k) => Number.isSafeInteger(k) && k >= 0);
  return shapePath(SHAPES[kind % SHAPES.length]!);
}

/** A shape as the path of an SVG around 0, of the area of a circle of radius 1. */
export function shapePath(shape: string): string {
  const corners = CORNERS[shape];
  if (corners === undefined) return 'M1,0A1,1 0 1 1 -1,0A1,1 0 1 1 1,0Z';
  const area = corners.reduce((sum, [x, y], k) => {
    const [nextX, nextY] = corners[(k + 1) % corners.length]!;
    return sum + (x * nextY - nextX * y) / 2;
  }, 0);
  const scale = Math.sqrt(Math.PI / Math.abs(area));
  return `M${corners.map(([x, y]) => `${(scale * x).toFixed(3)},${(scale * y).toFixed(3)}`).join('L')}Z`;
}

/**
 * Whether a point lies inside a closed line, by the even-odd rule. Its text becomes part of a page: it uses nothing of this module.
 *
 * @param polygon - corners x₁, y₁, x₂, y₂, …
 */
export function insidePolygon(x: number, y: number, polygon: readonly number[]): boolean {
  let inside = false;
  for (let i = 0, j = polygon.length - 2; i < polygon.length; j = i, i += 2) {
    const [x1, y1, x2, y2] = [polygon[i]!, polygon[i + 1]!, polygon[j]!, polygon[j + 1]!];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
  }
  return inside;
}
