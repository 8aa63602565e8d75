import type { Legend, Scale } from 'vega';
import { InvalidInputError } from '../../core/errors.ts';
import { isMissingText } from '../../core/observations.ts';

/** Nine hues of Tableau 10, and nearly black. The difference between any two is at least 18 by CIEDE2000, where 2 is visible. */
const COLORS = [
  '#4c78a8',
  '#f58518',
  '#54a24b',
  '#e45756',
  '#b279a2',
  '#222222',
  '#72b7b2',
  '#eeca3b',
  '#9d755d',
  '#ff9da6',
];

/** Seven shapes to ten colors: no two of 70 labels share both. */
const SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'triangle-down', 'cross', 'triangle-right'];

/** Fraction of its bounding square that a shape fills; Vega sizes symbols by the square. */
const FILLED: Readonly<Record<string, number>> = {
  circle: Math.PI / 4,
  square: 1,
  'triangle-up': Math.sqrt(3) / 4,
  diamond: 1 / 2,
  'triangle-down': Math.sqrt(3) / 4,
  cross: 0.64,
  'triangle-right': Math.sqrt(3) / 4,
};

/** Most labels that can have distinct looks. */
export const MOST_LABELS = COLORS.length * SHAPES.length;

export const PRIMARY = COLORS[0]!;

/** Color of points without a label or number: the gray of Tableau 10. */
export const UNLABELED = '#bab0ac';

/** Color scale of numbers, perceptually uniform and suited to color-blind readers (Smith, van der Walt & Firing 2015). */
export const NUMBERS_SCHEME = 'viridis';

/** Grays of the background, from uncertain to certain. */
export const GRAYS = ['#7a7a7a', '#ffffff'];

/** Color of the edges of a graph. */
export const EDGE = '#444444';

/** Frame of a picture without axes. */
export const FRAME = '#bbbbbb';

export const colorOf = (label: number): string => COLORS[label % COLORS.length]!;
const shapeOf = (label: number): string => SHAPES[label % SHAPES.length]!;

/** Size at which a shape has the area of a circle of the given size. */
export const sizeOf = (shape: string, size: number): number => (size * FILLED.circle!) / FILLED[shape]!;

/** Options for the colors of points. */
export interface LookOptions {
  /** N labels, which determine color and shape; '', 'NA', null, undefined and NaN count as missing and are gray. */
  readonly labels?: ArrayLike<string | number | null | undefined>;
  /** N numbers, which determine the color on a continuous scale; NaN is gray. */
  readonly color?: ArrayLike<number>;
  /** Title of the legend. */
  readonly legendTitle?: string;
}

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

interface Kind {
  readonly name: string;
  readonly color: string;
  readonly shape: string;
}

/** Size of a circle in a legend; other shapes have the same area. */
const LEGEND_SIZE = 60;

/** Most labels in one column of a legend. */
const MOST_ROWS = 18;

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

function checkCount(count: number, noun: string, rows: number): void {
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
  const kinds = sorted.map((name, k) => ({ name, color: colorOf(k), shape: shapeOf(k) }));
  return hasNone ? [...kinds, NONE] : kinds;
}

/** Fields from which Vega draws point i. */
export const lookFields = ({ kinds, kindOf, values }: PointLooks, i: number): object => ({
  ...(kindOf !== undefined && { label: kinds[kindOf[i]!]!.name }),
  // JSON has no NaN.
  ...(values !== undefined && { value: Number.isNaN(values[i]) ? null : values[i] }),
});

/** Scales of colors, shapes and sizes; `pointSize` gives the size of a shape. */
export function lookScales({ kinds, values, range }: PointLooks, pointSize: (shape: string) => number): Scale[] {
  const domain = kinds.map(({ name }) => name);
  const shape: Scale = { name: 'shape', type: 'ordinal', domain, range: kinds.map((kind) => kind.shape) };
  if (values === undefined) {
    return [
      { name: 'color', type: 'ordinal', domain, range: kinds.map(({ color }) => color) },
      shape,
      { name: 'size', type: 'ordinal', domain, range: kinds.map((kind) => pointSize(kind.shape)) },
      { name: 'legendSize', type: 'ordinal', domain, range: kinds.map((kind) => sizeOf(kind.shape, LEGEND_SIZE)) },
    ];
  }
  return [
    { name: 'color', type: 'linear', zero: false, domain: [...(range ?? [0, 1])], range: { scheme: NUMBERS_SCHEME } },
  ];
}

/** Fill of a point. */
export function fillOf({ kindOf, values }: PointLooks) {
  if (kindOf !== undefined) return { scale: 'color', field: 'label' };
  if (values === undefined) return { value: PRIMARY };
  return [{ test: 'datum.value !== null', scale: 'color', field: 'value' }, { value: UNLABELED }];
}

export function lookLegends({ kinds, range, title }: PointLooks): Legend[] {
  if (range !== undefined) {
    return [
      {
        fill: 'color',
        type: 'gradient',
        title,
        gradientLength: 120,
        gradientStrokeColor: '#999999',
        gradientStrokeWidth: 0.5,
        tickCount: 4,
      },
    ];
  }
  if (kinds.length === 0) return [];
  const columns = Math.ceil(kinds.length / MOST_ROWS);
  const rows = Math.ceil(kinds.length / columns);
  // Vega misplaces entries unless all columns are full: blank entries fill the last one.
  const blanks = Array.from({ length: rows * columns - kinds.length }, (_, k) => ' '.repeat(k + 1));
  return [
    {
      fill: 'color',
      shape: 'shape',
      title,
      values: [...kinds.map(({ name }) => name), ...blanks],
      size: 'legendSize',
      symbolStrokeColor: '#ffffff',
      symbolStrokeWidth: 0.5,
      symbolLimit: 0,
      columns,
      ...(blanks.length > 0 && {
        encode: { symbols: { update: { opacity: { signal: "trim(datum.value) === '' ? 0 : 1" } } } },
      }),
    },
  ];
}
