import { type MapTheme, markPath, mixed, PALETTES as plot } from 'latentfield/plot';

/** Colors of pictures, and of images and differences. */
export const PALETTES = {
  light: {
    ...plot.light,
    ink: ['#fdfcf9', '#c9d6d3', '#7da3a5', '#3b6d78', '#173f4c', '#0b2733'],
    differences: ['#8a3509', '#cf8f55', '#f4eee3', '#5f9db8', '#0f4a6c'],
  },
  dark: {
    ...plot.dark,
    ink: ['#0d141b', '#203a44', '#3c6a72', '#74a3a2', '#b9d4cc', '#f3f7ee'],
    differences: ['#f7ad6c', '#a55f30', '#1b2630', '#3d86aa', '#a3dcf4'],
  },
} as const;

export type ThemeName = keyof typeof PALETTES;

/** Colors of the page for pictures, light or dark; the map's colors are read from the style sheet. */
export interface Theme {
  readonly name: ThemeName;
  readonly map: MapTheme;
  readonly numbers: readonly string[];
  /** Colors of pictures, from the least to the most. */
  readonly ink: readonly string[];
  /** Colors of differences, from negative to positive. */
  readonly differences: readonly string[];
  readonly labels: readonly string[];
  readonly none: string;
}

/** @param name - value of the root element's `data-theme` */
export function themeOf(name: ThemeName): Theme {
  const style = getComputedStyle(document.documentElement);
  const token = (key: string) => style.getPropertyValue(`--${key}`).trim();
  const map = {
    ...{ certain: token('certain'), mid: token('mid'), vague: token('vague'), contour: token('contour') },
    ...{ hatch: token('hatch'), halo: token('halo'), ink: token('ink'), faintInk: token('ink2') },
    ...{ panel: token('panel'), line: token('line2'), accent: token('accent') },
    ...{ font: token('font'), serif: token('serif') },
  };
  return { name, map, ...PALETTES[name] };
}

export interface Kind {
  readonly name: string;
  readonly color: string;
  readonly path: string;
  readonly count: number;
}

/** Look of each point, and its meaning. */
export interface Coloring {
  readonly title: string;
  /** Kinds by index; for numbers, steps of the scale, followed by a kind for missing values. */
  readonly kinds: readonly Kind[];
  readonly kindOf: Uint16Array;
  readonly numbers: { readonly low: number; readonly high: number; readonly areDates?: boolean } | undefined;
}

/** Number of shapes of marks. */
const SHAPES = 7;
/** Least contrast of the colors of two kinds with the same shape. */
const LEAST_CONTRAST = 1.5;

/** Relative luminance of a color #rrggbb, by the definition of WCAG. */
function luminanceOf(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** Contrast of two colors, from 1 to 21. */
export function contrastOf(a: string, b: string): number {
  const [darker, lighter] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => x - y);
  return (lighter! + 0.05) / (darker! + 0.05);
}

/**
 * Shape of each kind: the first one whose kinds have other colors of enough contrast, or, if there is none, the first that this color does not have yet.
 * Kinds repeat after all colors in all shapes.
 */
function shapesOf(colors: readonly string[], count: number): number[] {
  const taken: string[][] = Array.from({ length: SHAPES }, () => []);
  const combinations = SHAPES * colors.length;
  const shapes = Array.from({ length: Math.min(count, combinations) }, (_, k) => {
    const color = colors[k % colors.length]!;
    const differs = taken.findIndex((others) => others.every((other) => contrastOf(color, other) >= LEAST_CONTRAST));
    const shape = differs >= 0 ? differs : taken.findIndex((others) => !others.includes(color));
    taken[shape]!.push(color);
    return shape;
  });
  return Array.from({ length: count }, (_, k) => shapes[k % combinations]!);
}

/** Up to seventy labels, by ten colors and seven shapes; colors of little contrast have different shapes. */
export function byLabels(labels: readonly string[], title: string, theme: Theme): Coloring {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  const names = [...counts.keys()].sort(new Intl.Collator('en', { numeric: true }).compare);
  const places = new Map(names.map((name, k) => [name, k]));
  const shapes = shapesOf(theme.labels, names.length);
  const kinds = names.map((name, k) => ({
    name: name || '(none)',
    color: name === '' ? theme.none : theme.labels[k % theme.labels.length]!,
    path: markPath(shapes[k]!),
    count: counts.get(name)!,
  }));
  return { title, kinds, kindOf: Uint16Array.from(labels, (label) => places.get(label)!), numbers: undefined };
}

const STEPS = 24;

export function byNumbers(values: ArrayLike<number>, title: string, theme: Theme): Coloring {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const kinds = Array.from({ length: STEPS }, (_, k) => k / (STEPS - 1)).map((part) => ({
    ...{ name: '', color: mixed(theme.numbers, part), path: markPath(0), count: 0 },
  }));
  const step = (value: number) =>
    Number.isFinite(value) ? (high > low ? Math.round(((value - low) / (high - low)) * (STEPS - 1)) : 0) : STEPS;
  return {
    title,
    kinds: [...kinds, { name: 'missing', color: theme.none, path: markPath(0), count: 0 }],
    kindOf: Uint16Array.from(values as ArrayLike<number>, step),
    numbers: { low, high },
  };
}

export const ofOneColor = (rows: number, theme: Theme): Coloring => ({
  title: '',
  kinds: [{ name: '', color: theme.labels[0]!, path: markPath(0), count: rows }],
  kindOf: new Uint16Array(rows),
  numbers: undefined,
});
