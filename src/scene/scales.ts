import { tickStep, ticks } from 'd3-array';
import { format, precisionFixed, precisionRound } from 'd3-format';
import { checkGiven } from '../core/options.ts';

/** A tick of an axis: its value and text. */
export interface Tick {
  readonly value: number;
  readonly text: string;
}

/** Limits beyond which numbers (first) or steps (second) are written with exponents. */
const LARGE = 1e6;
const SMALL = 1e-4;

/** Ticks at 1, 2 or 5 times a power of ten between two ends, about `count` of them, ascending. */
export function ticksOf(from: number, to: number, count: number): Tick[] {
  const [low, high] = from < to ? [from, to] : [to, from];
  const text = textOf(Math.max(Math.abs(low), Math.abs(high)), tickStep(low, high, count));
  return ticks(low, high, count).map((value) => ({ value, text: text(value) }));
}

/** Writes numbers up to a largest one with as many digits as a step needs, and a proper minus sign. */
function textOf(largest: number, step: number): (value: number) => string {
  if (largest < LARGE && step >= SMALL) return format(`.${precisionFixed(step)}f`);
  const exponential = format(`.${Math.max(0, precisionRound(step, largest) - 1)}~e`);
  return (value) => (value === 0 ? '0' : exponential(value).replace('e+', 'e'));
}

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

/**
 * Colors on light and on dark ground. Any two of the ten colors of labels differ by at least 0.085 in OKLab for normal, protan, deutan and tritan
 * sight, and differ in lightness; each has a contrast of at least 3 : 1 to the ground. The ramp of numbers changes evenly in lightness and hue,
 * starting from that contrast: larger numbers are darker on light ground, and lighter on dark ground.
 */
export const PALETTES = {
  light: {
    labels: [
      ...(['#184869', '#cf7c5b', '#176b52', '#a95cf6', '#966b16'] as const),
      ...(['#751034', '#2993bb', '#5c08a3', '#9e2904', '#705d91'] as const),
    ],
    numbers: ['#bc8404', '#7d8401', '#1d7e3a', '#06655c', '#054d5e', '#013368', '#28085f'],
    none: '#8a8f8f',
  },
  dark: {
    labels: [
      ...(['#a1a1ef', '#feb245', '#09c9b1', '#e3347a', '#e6ff4a'] as const),
      ...(['#0c6dfc', '#fec4f8', '#769d07', '#b463bf', '#7afca7'] as const),
    ],
    numbers: ['#736bc9', '#4d8fe0', '#02b1df', '#12cecf', '#5fe6b3', '#b6f393', '#fff89a'],
    none: '#6d7b88',
  },
} as const;

const isRamp = (stops: readonly string[]) =>
  Array.isArray(stops) && stops.length > 1 && stops.every((color) => /^#[0-9a-f]{6}$/i.test(color));

/**
 * Interpolates between equally spaced color stops, as #rrggbb.
 *
 * @param stops - at least two colors of the form #rrggbb
 * @param part - position between the first (0) and the last (1); clamped to this range
 * @throws InvalidInputError for other stops, and for a position that is not a number
 */
export function mixed(stops: readonly string[], part: number): string {
  checkGiven(stops, 'mixed', 'at least two colors of the form #rrggbb', isRamp);
  checkGiven(part, 'mixed', 'a number from 0 to 1', (value) => typeof value === 'number' && !Number.isNaN(value));
  const at = Math.min(1, Math.max(0, part)) * (stops.length - 1);
  const from = Math.min(stops.length - 2, Math.floor(at));
  const channel = (k: number) => {
    const value = (color: string) => Number.parseInt(color.slice(k, k + 2), 16);
    return Math.round(value(stops[from]!) + (at - from) * (value(stops[from + 1]!) - value(stops[from]!)));
  };
  return `#${[1, 3, 5].map((k) => channel(k).toString(16).padStart(2, '0')).join('')}`;
}
