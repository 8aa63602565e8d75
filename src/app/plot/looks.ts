import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { isMissingText } from '../../core/observations.ts';
import { type OptionsIn, typed } from '../../core/options.ts';
import { type Legend, type Look, mixed, PALETTES, SHAPES } from '../../scene/index.ts';

const { labels: COLORS, numbers: NUMBERS } = PALETTES.light;

/** Maximum number of labels with distinct looks. */
export const MOST_LABELS = COLORS.length * SHAPES.length;

export const PRIMARY = COLORS[0];

/** Color of points without a label or number. */
export const UNLABELED = PALETTES.light.none;

/** Grays of the background, from uncertain to certain. */
export const GRAYS = ['#7a7a7a', '#ffffff'];

/** Color of the edges of a graph. */
export const EDGE = '#444444';

export const colorOf = (label: number): string => COLORS[label % COLORS.length]!;

export const lookEntries = {
  /** N labels, which determine color and shape; '', 'NA', null, undefined and NaN count as missing and are gray. */
  labels: v.optional(typed<ArrayLike<string | number | null | undefined>>()),
  /** N numbers, which determine the color on a continuous scale; NaN is gray. */
  color: v.optional(typed<ArrayLike<number>>()),
  /** Title of the legend. */
  legendTitle: v.optional(typed<string>()),
};

/** Options for the colors of points. */
export interface LookOptions extends OptionsIn<typeof lookEntries> {}

/** Looks of points: by a label, by a number, or all the same. */
export interface PointLooks {
  /** Kinds of labels; '(none)' is the last. */
  readonly kinds: readonly Kind[];
  /** Index of each point's kind; undefined without labels. */
  readonly kindOf?: Int32Array;
  /** Number of each point; undefined without numbers. */
  readonly values?: Float64Array;
  /** Smallest and largest number. */
  readonly range?: readonly [low: number, high: number];
  readonly title: string;
}

interface Kind extends Look {
  readonly name: string;
}

const NONE: Kind = { name: '(none)', color: UNLABELED, shape: 'circle' };

export function pointLooks({ labels, color, legendTitle }: LookOptions, rows: number): PointLooks {
  if (labels !== undefined && color !== undefined) {
    throw new InvalidInputError('Points are colored by labels or by numbers. Leave out labels or color.');
  }
  if (color !== undefined) return byNumbers(color, rows, legendTitle ?? 'value');
  if (labels === undefined) return { kinds: [], title: '' };
  checkCount(labels.length, 'label', rows);
  const names = Array.from(labels, nameOf);
  const kinds = kindsOf(names);
  const places = new Map(kinds.map(({ name }, k) => [name, k]));
  return { kinds, kindOf: Int32Array.from(names, (name) => places.get(name)!), title: legendTitle ?? 'label' };
}

function byNumbers(color: ArrayLike<number>, rows: number, title: string): PointLooks {
  checkCount(color.length, 'number', rows);
  const values = Float64Array.from(color);
  const infinite = values.findIndex((value) => Math.abs(value) === Infinity);
  if (infinite >= 0) {
    throw new InvalidInputError(
      `Points are colored by finite numbers, and NaN where there is none, but number ${infinite} is ${values[infinite]}.`,
    );
  }
  const present = values.filter((value) => !Number.isNaN(value));
  if (present.length === 0) return { kinds: [], values, title };
  const low = present.reduce((a, b) => Math.min(a, b));
  const high = present.reduce((a, b) => Math.max(a, b));
  return { kinds: [], values, range: [low, high > low ? high : low + 1], title };
}

/** @throws InvalidInputError unless there is one for each point */
export function checkCount(count: number, noun: string, rows: number): void {
  if (count === rows) return;
  throw new InvalidInputError(
    `There are ${rows} latent points, but ${count} ${noun}s were given. Give one ${noun} for each point.`,
  );
}

const nameOf = (label: string | number | null | undefined): string =>
  label === null || label === undefined || isMissingText(String(label).trim()) ? NONE.name : String(label);

/** The distinct labels in dictionary order, numbers by value, and the missing label last. */
function kindsOf(names: readonly string[]): Kind[] {
  const distinct = new Set(names);
  const hasNone = distinct.delete(NONE.name);
  const sorted = [...distinct].sort(new Intl.Collator('en', { numeric: true }).compare);
  if (sorted.length > MOST_LABELS) {
    throw new InvalidInputError(
      `A picture can distinguish ${MOST_LABELS} labels, but ${sorted.length} different ones were given. Group them, or leave them out.`,
    );
  }
  const kinds = sorted.map((name, k) => ({ name, color: colorOf(k), shape: SHAPES[k % SHAPES.length]! }));
  return hasNone ? [...kinds, NONE] : kinds;
}

/** Different looks of points, and the index of each point's. */
export interface SharedLooks {
  readonly looks: readonly Look[];
  readonly lookOf: readonly number[];
}

/** Looks of all points: by kind, or circles of one color or in colors by number. */
export function sharedLooks({ kinds, kindOf, values, range }: PointLooks, rows: number): SharedLooks {
  if (kindOf !== undefined) return { looks: kinds.map(({ color, shape }) => ({ color, shape })), lookOf: [...kindOf] };
  const colors = Array.from({ length: rows }, (_, i) =>
    values === undefined ? PRIMARY : numberColor(values[i]!, range),
  );
  const distinct = [...new Set(colors)];
  const at = new Map(distinct.map((color, k) => [color, k]));
  return {
    looks: distinct.map((color) => ({ color, shape: 'circle' })),
    lookOf: colors.map((color) => at.get(color)!),
  };
}

/** Color of a number; gray without one. */
const numberColor = (value: number, range: PointLooks['range']): string =>
  range === undefined || Number.isNaN(value) ? UNLABELED : mixed(NUMBERS, (value - range[0]) / (range[1] - range[0]));

export function lookLegends({ kinds, range, title }: PointLooks): Legend[] {
  if (range !== undefined) return [{ title, range, stops: NUMBERS }];
  if (kinds.length === 0) return [];
  return [{ title, entries: kinds.map(({ name, color, shape }) => ({ name, look: { color, shape } })) }];
}
