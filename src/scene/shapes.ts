import { atan2, cos, sin } from '../core/elementary/index.ts';
import { checkGiven } from '../core/options.ts';
import type { Shape } from './scene.ts';

/** Corners of shapes, in any size, with y downwards. */
const CORNERS: Readonly<Partial<Record<Shape, readonly (readonly [x: number, y: number])[]>>> = {
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

/** A triangle with its tip along a direction. */
function triangle(turned: (along: number, across: number) => readonly [number, number]) {
  const half = Math.sqrt(3) / 2;
  return [turned(half, 0), turned(-half, 1), turned(-half, -1)];
}

/** Shapes in the order of the labels. */
export const SHAPES: readonly Shape[] = [
  ...(['circle', 'square', 'triangle-up', 'diamond', 'triangle-down', 'cross', 'triangle-right'] as const),
];

/**
 * Path of an SVG for the marks of a kind, one of seven shapes in turn, around 0 with the area of a circle of radius 1.
 *
 * @throws InvalidInputError unless the kind is a whole number from 0
 */
export function markPath(kind: number): string {
  checkGiven(kind, 'markPath', 'the number of a kind, a whole number from 0', (k) => Number.isSafeInteger(k) && k >= 0);
  return shapePath(SHAPES[kind % SHAPES.length]!);
}

/** Path of an SVG for a shape around 0, with the area of a circle of this radius. */
export function shapePath(shape: Shape, radius = 1): string {
  const corners = CORNERS[shape];
  const rounded = (value: number) => Number(value.toFixed(3));
  if (corners === undefined) {
    const r = rounded(radius);
    return `M${r},0A${r},${r} 0 1 1 ${-r},0A${r},${r} 0 1 1 ${r},0Z`;
  }
  const area = corners.reduce((sum, [x, y], k) => {
    const [nextX, nextY] = corners[(k + 1) % corners.length]!;
    return sum + (x * nextY - nextX * y) / 2;
  }, 0);
  const scale = radius * Math.sqrt(Math.PI / Math.abs(area));
  return `M${corners.map(([x, y]) => `${rounded(scale * x)},${rounded(scale * y)}`).join('L')}Z`;
}

/** Half axes of an ellipse, in standard deviations. */
const DEVIATIONS = 2;

/**
 * Path of the ellipse of two standard deviations around 0, from a covariance in units and the size of a unit in pixels; the second axis points up.
 * Half axes are at least half a pixel.
 */
export function ellipsePath(xx: number, xy: number, yy: number, pixelsX: number, pixelsY: number): string {
  const [a, b, c] = [xx * pixelsX * pixelsX, -xy * pixelsX * pixelsY, yy * pixelsY * pixelsY];
  const angle = b === 0 ? 0 : atan2(2 * b, a - c) / 2;
  const half = Math.sqrt(((a - c) / 2) * ((a - c) / 2) + b * b);
  const [long, short] = b === 0 ? [a, c] : [(a + c) / 2 + half, Math.max(0, (a + c) / 2 - half)];
  const [wide, high] = [long, short].map((variance) => Math.max(0.5, hundredth(DEVIATIONS * Math.sqrt(variance)))) as [
    number,
    number,
  ];
  const [x, y] = [hundredth(wide * cos(angle)), hundredth(wide * sin(angle))];
  const turn = hundredth((angle * 180) / Math.PI);
  return `M${-x},${-y}A${wide},${high},${turn},1,1,${x},${y}A${wide},${high},${turn},1,1,${-x},${-y}Z`;
}

/** Rounds pixels to a hundredth, which is invisible and halves the file size. */
export const hundredth = (pixels: number): number => Math.round(100 * pixels) / 100 || 0;

/**
 * True if a point lies inside a closed line, by the even-odd rule. Its source becomes part of a page, so it uses nothing else of this module.
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
