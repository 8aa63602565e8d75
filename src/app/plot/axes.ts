import { InvalidInputError } from '../../core/errors.ts';
import { checkGiven, givenList } from '../../core/given.ts';
import { describe, type Matrix } from '../../core/matrix.ts';

/**
 * Columns of each panel of a picture: one or two columns give one panel, three give three of two columns each.
 *
 * @param columns - from 0; default the only one, the first two, or all of three
 * @throws InvalidInputError for columns that do not exist, or more than three
 */
export function panelColumns(latents: Matrix, columns?: readonly number[]): (readonly number[])[] {
  checkGiven(latents, 'panelColumns', 'the latents, a Matrix', (given) => given.columns >= 0);
  const shown =
    givenColumns(columns) ??
    Array.from({ length: latents.columns === 3 ? 3 : Math.min(2, latents.columns) }, (_, d) => d);
  if (shown.length !== 3) return [shown];
  const [a, b, c] = shown as [number, number, number];
  return [
    [a, b],
    [a, c],
    [b, c],
  ];
}

/** The latent dimensions along the two axes of a picture; the second is undefined if there is only one. */
export function columnsShown(latents: Matrix, columns?: readonly number[]): [number, number | undefined] {
  const shown = givenColumns(columns) ?? (latents.columns < 2 ? [0] : [0, 1]);
  const areValid = shown.every((column) => Number.isInteger(column) && column >= 0 && column < latents.columns);
  if (latents.rows === 0 || shown.length < 1 || shown.length > 2 || !areValid) {
    throw new InvalidInputError(
      `A picture shows one, two or three columns of the latents, but columns [${shown.map(describe).join(', ')}] of ${latents.rows}×${latents.columns} latents were asked for.`,
    );
  }
  return [shown[0]!, shown[1]];
}

const givenColumns = (columns: readonly number[] | undefined) =>
  columns === undefined ? undefined : givenList(columns, 'A picture', 'a list of columns');

/** Margin around the points in pixels. */
const PADDING = 16;

interface Extents {
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
