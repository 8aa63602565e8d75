/** The colours of Okabe & Ito (2008), told apart by colour-blind readers too; those that stand out most on grey first. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#f0e442'];

/** Seven shapes to eight colours: no two of 56 labels share both. */
const SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'triangle-down', 'cross', 'triangle-right'];

/** How many labels have a colour and a shape of their own. */
export const MOST_LABELS = COLOURS.length * SHAPES.length;

export const PRIMARY = COLOURS[0]!;

/** Greys of the background, from uncertain to certain. */
export const GREYS = ['#7a7a7a', '#ffffff'];

/** Of the edges of a graph. */
export const EDGE = '#444444';

/** Around a picture without axes. */
export const FRAME = '#bbbbbb';

export const colourOf = (label: number): string => COLOURS[label % COLOURS.length]!;
export const shapeOf = (label: number): string => SHAPES[label % SHAPES.length]!;
