/** Scene in pixels, with as few kinds of parts as possible, which every renderer draws identically. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly description: string;
  readonly parts: readonly Part[];
}

export type Part = Group | Path | Text | Image;

/** Parts moved by (x, y). */
export interface Group {
  readonly part: 'group';
  readonly name?: string;
  readonly x: number;
  readonly y: number;
  /** Size of the rectangle at (x, y) beyond which nothing is drawn. */
  readonly clip?: readonly [width: number, height: number];
  readonly parts: readonly Part[];
}

/** Outline in the syntax of SVG paths, moved by (x, y). */
export interface Path {
  readonly part: 'path';
  readonly d: string;
  readonly x?: number;
  readonly y?: number;
  /** A color, or the colors of a gradient from the bottom to the top. */
  readonly fill?: string | readonly string[];
  readonly fillOpacity?: number;
  readonly stroke?: string | undefined;
  readonly strokeWidth?: number | undefined;
  readonly strokeOpacity?: number;
  /** Whether lines end in half circles; a line without length is then a dot. */
  readonly isRound?: boolean;
  readonly dashes?: readonly number[];
}

export interface Text {
  readonly part: 'text';
  readonly x: number;
  /** Baseline. */
  readonly y: number;
  readonly text: string;
  readonly size: number;
  readonly color: string;
  readonly anchor: 'start' | 'middle' | 'end';
  readonly isBold?: boolean;
  /** Whether the text runs upwards. */
  readonly isUpwards?: boolean;
}

export interface Image {
  readonly part: 'image';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly url: string;
}

/** Characters of a sans-serif font that are much narrower or wider than its digits. */
const NARROW = /[ijlftrI.,:;'|!()[\]\s]/g;
const WIDE = /[mwMW@%—]|[\u2e80-\uffff]/g;
const CAPITALS = /[A-HJ-LN-VX-Z]/g;

/** Width of a text in pixels, estimated identically on every machine. */
export function textWidth(text: string, size: number): number {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return size * (0.58 * text.length - 0.22 * count(NARROW) + 0.32 * count(WIDE) + 0.12 * count(CAPITALS));
}
