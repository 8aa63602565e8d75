/** Of labels: Tableau 10, its last grey left for what has none. */
const LABELS = [
  '#4c78a8',
  '#f58518',
  '#54a24b',
  '#e45756',
  '#b279a2',
  '#72b7b2',
  '#eeca3b',
  '#9d755d',
  '#ff9da6',
  '#8c8c8c',
];
/** Of numbers: viridis. */
const NUMBERS = [
  ...['#440154', '#482878', '#3e4989', '#31688e', '#26828e'],
  ...['#1f9e89', '#35b779', '#6ece58', '#b5de2b', '#fde725'],
];
const NONE = '#9aa0a6';

/** The colour of each point, and what colours mean. */
export interface Colouring {
  /** Colours by number; points of one are drawn together. */
  readonly palette: readonly string[];
  readonly colourOf: Uint16Array;
  readonly legend:
    | { readonly kind: 'labels'; readonly names: readonly string[] }
    | { readonly kind: 'numbers'; readonly low: number; readonly high: number }
    | { readonly kind: 'none' };
}

export function byLabels(labels: readonly string[]): Colouring {
  const names = [...new Set(labels)];
  const numbers = new Map(names.map((name, k) => [name, k]));
  return {
    palette: names.map((_, k) => LABELS[k % LABELS.length]!),
    colourOf: Uint16Array.from(labels, (label) => numbers.get(label)!),
    legend: { kind: 'labels', names },
  };
}

export function byNumbers(values: ArrayLike<number>): Colouring {
  const all = Array.from(values);
  const known = all.filter(Number.isFinite);
  const low = known.reduce((a, b) => Math.min(a, b), Infinity);
  const high = known.reduce((a, b) => Math.max(a, b), -Infinity);
  const part = (value: number) => (high > low ? (value - low) / (high - low) : 0.5);
  return {
    palette: [...NUMBERS, NONE],
    colourOf: Uint16Array.from(all, (value) =>
      Number.isFinite(value) ? Math.min(NUMBERS.length - 1, Math.floor(part(value) * NUMBERS.length)) : NUMBERS.length,
    ),
    legend: { kind: 'numbers', low, high },
  };
}

export const ofOneColour = (rows: number): Colouring => ({
  palette: [LABELS[0]!],
  colourOf: new Uint16Array(rows),
  legend: { kind: 'none' },
});

/** How pictures look on a light and on a dark page. */
export const themes = {
  light: { plate: '#ffffff', certain: [255, 255, 255], uncertain: [150, 156, 164], ink: '#20262e', edge: '#ffffff' },
  dark: { plate: '#161c24', certain: [22, 28, 36], uncertain: [92, 104, 120], ink: '#e6eaf0', edge: '#161c24' },
} as const;

export type Theme = (typeof themes)['light' | 'dark'];
