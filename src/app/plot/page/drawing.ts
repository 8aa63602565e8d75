import { checkGiven } from '../../../core/options.ts';

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

/** A triangle with its tip along a direction. */
function triangle(turned: (along: number, across: number) => readonly [number, number]) {
  const half = Math.sqrt(3) / 2;
  return [turned(half, 0), turned(-half, 1), turned(-half, -1)];
}

const SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'triangle-down', 'cross', 'triangle-right'];

/**
 * Path of an SVG for the marks of a kind, one of seven shapes in turn, around 0 with the area of a circle of radius 1.
 *
 * @throws InvalidInputError unless the kind is a whole number from 0
 */
export function markPath(kind: number): string {
  checkGiven(kind, 'markPath', 'the number of a kind, a whole number from 0', (k) => Number.isSafeInteger(k) && k >= 0);
  return shapePath(SHAPES[kind % SHAPES.length]!);
}

/** Path of an SVG for a shape, around 0 with the area of a circle of radius 1. */
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
