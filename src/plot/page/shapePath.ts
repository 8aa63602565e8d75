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
