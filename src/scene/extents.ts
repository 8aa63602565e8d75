/** Margin around the points in pixels. */
const PADDING = 16;

export interface Extents {
  readonly x: readonly [low: number, high: number];
  readonly y: readonly [low: number, high: number];
}

/** Ranges of both axes: slightly beyond the points and, with `equalScales`, with the same number of units per pixel. */
export function extents(
  points: readonly { readonly x: number; readonly y: number }[],
  width: number,
  height: number,
  equalScales: boolean,
): Extents {
  const across = range(points.map(({ x }) => x));
  const up = range(points.map(({ y }) => y));
  const units = [unitsPerPixel(across, width), unitsPerPixel(up, height)] as const;
  const larger = Math.max(...units);
  const [unitsX, unitsY] = equalScales ? [larger, larger] : units;
  return { x: widened(across, width * unitsX), y: widened(up, height * unitsY) };
}

interface Range {
  readonly middle: number;
  readonly length: number;
}

function range(values: readonly number[]): Range {
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  return { middle: low + (high - low) / 2, length: high - low };
}

/** If all values are equal, a pixel is a hundredth of a unit, so that the axis has a length. */
const unitsPerPixel = ({ length }: Range, pixels: number) =>
  length > 0 ? length / Math.max(1, pixels - 2 * PADDING) : 0.01;

const widened = ({ middle }: Range, length: number) => [middle - length / 2, middle + length / 2] as const;
