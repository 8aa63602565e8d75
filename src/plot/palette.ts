/** Nine hues of Tableau 10, and nearly black: any two are 18 apart by CIEDE2000, where 2 can be seen. */
const COLOURS = [
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

/** Seven shapes to ten colours: no two of 70 labels share both. */
const SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'triangle-down', 'cross', 'triangle-right'];

/** Vega sizes a symbol by the square around it, of which shapes fill these parts. */
const FILLED: Readonly<Record<string, number>> = {
  circle: Math.PI / 4,
  square: 1,
  'triangle-up': Math.sqrt(3) / 4,
  diamond: 1 / 2,
  'triangle-down': Math.sqrt(3) / 4,
  cross: 0.64,
  'triangle-right': Math.sqrt(3) / 4,
};

/** How many labels have a colour and a shape of their own. */
export const MOST_LABELS = COLOURS.length * SHAPES.length;

export const PRIMARY = COLOURS[0]!;

/** Colour of points without a label or number: the grey of Tableau 10. */
export const UNLABELLED = '#bab0ac';

/** The scale of numbers, of even steps to the eye, for colour-blind readers too (Smith, van der Walt & Firing 2015). */
export const NUMBERS_SCHEME = 'viridis';

/** Greys of the background, from uncertain to certain. */
export const GREYS = ['#7a7a7a', '#ffffff'];

/** Colour of the edges of a graph. */
export const EDGE = '#444444';

/** Around a picture without axes. */
export const FRAME = '#bbbbbb';

export const colourOf = (label: number): string => COLOURS[label % COLOURS.length]!;
export const shapeOf = (label: number): string => SHAPES[label % SHAPES.length]!;

/** The size that gives a shape the area of a circle of another size. */
export const sizeOf = (shape: string, size: number): number => (size * FILLED.circle!) / FILLED[shape]!;
