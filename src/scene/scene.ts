/**
 * Picture as plain data: an area with marks in the units of its two axes, a title and legends. It survives JSON and `structuredClone`;
 * {@link sceneSvg} draws it.
 */
export interface Scene {
  /** Size of the area between the axes in pixels. */
  readonly width: number;
  readonly height: number;
  /** Description for screen readers. */
  readonly description: string;
  readonly title?: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Marks in drawing order. */
  readonly marks: readonly Mark[];
  readonly legends: readonly Legend[];
}

/** Axis that spans exactly its domain: from left to right, or from bottom to top. */
export interface Axis {
  readonly domain: readonly [from: number, to: number];
  readonly title?: string;
  /** Approximate number of ticks, or a list of ticks in ascending order, as for a logarithmic axis; without it the axis is replaced by a frame. */
  readonly ticks?: number | readonly { readonly value: number; readonly text: string }[];
  /** Whether a faint line crosses the area at each tick. */
  readonly grid?: boolean;
}

/** Shape and color shared by points. */
export interface Look {
  readonly color: string;
  readonly shape: Shape;
}

/** Shapes of points, all with the same area as the circle. */
export type Shape = 'circle' | 'square' | 'triangle-up' | 'diamond' | 'triangle-down' | 'cross' | 'triangle-right';

export type Mark = Points | Ellipses | Lines | Bars | Cells | Bands | Images | Note;

interface Named {
  /** Class of the marks in SVG. */
  readonly name: string;
}

/** N points. */
export interface Points extends Named {
  readonly mark: 'points';
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly looks: readonly Look[];
  /** Index of each point's look. */
  readonly lookOf: readonly number[];
  /** Radius of a circle in pixels; other shapes have the same area. */
  readonly radius: number;
  readonly opacity?: number;
  /** Whether points are circles without borders, drawn as one path for each look, which takes a tenth of the size. */
  readonly areDots?: boolean;
}

/** Ellipses of two standard deviations around N points, from the variances and covariances along the axes. */
export interface Ellipses extends Named {
  readonly mark: 'ellipses';
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly xx: readonly number[];
  readonly yy: readonly number[];
  readonly xy?: readonly number[];
  readonly looks: readonly Pick<Look, 'color'>[];
  readonly lookOf: readonly number[];
}

export interface Lines extends Named {
  readonly mark: 'lines';
  readonly lines: readonly Line[];
}

/** Line through points or, in pairs, a set of segments: from the first point to the second, from the third to the fourth, … */
export interface Line {
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly inPairs?: boolean;
  readonly color: string;
  /** Width in pixels. */
  readonly width: number;
  readonly opacity?: number;
  readonly dashes?: readonly number[];
}

/** Bars from the corner (x, y) to the corner (x2, y2). */
export interface Bars extends Named {
  readonly mark: 'bars';
  readonly x: readonly number[];
  readonly x2: readonly number[];
  readonly y: readonly number[];
  readonly y2: readonly number[];
  /** One color, or one for each bar. */
  readonly color: string | readonly string[];
}

/** Squares of one color in a matrix, with row 0 at the top; even the smallest are visible. */
export interface Cells extends Named {
  readonly mark: 'cells';
  readonly rows: number;
  readonly columns: number;
  /** Row and column of each square. */
  readonly at: readonly (readonly [row: number, column: number])[];
  readonly color: string;
}

/** Raster over the whole area, drawn as regions above each threshold, without seams and with a tenth of the size of its cells. */
export interface Bands extends Named {
  readonly mark: 'bands';
  /** Values at the nodes of a grid from corner to corner, row by row from the bottom. */
  readonly values: readonly number[];
  readonly columns: number;
  /** Lower end of each band, ascending, and its color. */
  readonly thresholds: readonly number[];
  readonly colors: readonly string[];
}

/** Images of one size around points. */
export interface Images extends Named {
  readonly mark: 'images';
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** Size of an image in pixels. */
  readonly width: number;
  readonly height: number;
  /** One address for each image. */
  readonly urls: readonly string[];
  /** Color of the frame of each image. */
  readonly frames?: readonly string[];
}

/** A line of text centered below the area. */
export interface Note extends Named {
  readonly mark: 'note';
  readonly text: string;
}

export type Legend = LabelLegend | NumberLegend;

/** Names of looks. */
export interface LabelLegend {
  readonly title: string;
  readonly entries: readonly {
    readonly name: string;
    readonly look: Look | { readonly color: string; readonly line: true };
  }[];
}

/** Colors of numbers from the smallest to the largest. */
export interface NumberLegend {
  readonly title: string;
  readonly range: readonly [low: number, high: number];
  /** Colors at equal distances. */
  readonly stops: readonly string[];
}
