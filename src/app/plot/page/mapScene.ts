/** What a {@link CanvasMap} draws. Arrays are not copied: give new ones for what has changed. */
export interface MapScene {
  /** N coordinates along each axis. */
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  /** Whether a unit is as long on both axes. */
  readonly equal: boolean;
  readonly titles: readonly [across: string, up: string];
  /** Half axes of an ellipse around each point, in units; turned by radians from the axis across towards the axis up, and around other places than the points where they are given. */
  readonly reach?:
    | {
        readonly x: ArrayLike<number>;
        readonly y: ArrayLike<number>;
        readonly turn?: ArrayLike<number> | undefined;
        readonly at?: { readonly x: ArrayLike<number>; readonly y: ArrayLike<number> } | undefined;
      }
    | undefined;
  /** Further places of the points, drawn as dots: those of the first copy of all N, then of the next. */
  readonly cloud?: { readonly x: ArrayLike<number>; readonly y: ArrayLike<number> } | undefined;
  /** The colour and the shape of each kind, as a CSS colour #rrggbb and as the path of an SVG of the area of a circle of radius 1. */
  readonly kinds: readonly { readonly colour: string; readonly path: string }[];
  /** The number of each point's kind. */
  readonly kindOf: ArrayLike<number>;
  /** Of each point 1 where it is not drawn. */
  readonly hidden?: ArrayLike<number> | undefined;
  /** Of each point 1 where it is drawn faintly. */
  readonly faint?: ArrayLike<number> | undefined;
  /** Of each point 1 where it has a ring, for doubt. */
  readonly ringed?: ArrayLike<number> | undefined;
  readonly terrain?: MapTerrain | undefined;
  /** The radius of a point in pixels when all is shown; by their number unless given. */
  readonly radius?: number | undefined;
  /** Words on the map. */
  readonly names?: readonly { readonly text: string; readonly x: number; readonly y: number }[] | undefined;
  /** Points beside the N. */
  readonly added?: readonly { readonly x: number; readonly y: number; readonly isDoubtful: boolean }[] | undefined;
  readonly hovered?: number | undefined;
  readonly chosen?: number | undefined;
  /** Points that the one under the pointer, or else the chosen one, is joined with. */
  readonly joined?: readonly number[] | undefined;
  /** A closed line through places: what was drawn around points that are chosen together. */
  readonly ring?: readonly (readonly [number, number])[] | undefined;
  readonly cursor?: readonly [number, number] | undefined;
  /** A line through places. */
  readonly path?: readonly (readonly [number, number])[] | undefined;
}

/** What lies behind the points: certainty as land with contours, the unknown hatched. */
export interface MapTerrain {
  readonly x: readonly [low: number, high: number];
  readonly y: readonly [low: number, high: number];
  readonly side: number;
  /** side × side, from the lowest y: 0 where it is certain, 1 where nothing is known. */
  readonly doubt: Float64Array;
  /** side × side from 0 to 1, coloured by `ramp` in the place of the land. */
  readonly tint?: Float64Array | undefined;
  readonly ramp?: readonly string[] | undefined;
}

/** Colours of a {@link CanvasMap}: CSS colours, #rrggbb where they are mixed. */
export interface MapTheme {
  readonly certain: string;
  readonly mid: string;
  readonly vague: string;
  readonly contour: string;
  readonly hatch: string;
  readonly halo: string;
  readonly ink: string;
  readonly faintInk: string;
  readonly panel: string;
  readonly line: string;
  readonly accent: string;
  /** Families of fonts, of numbers and of names on the map. */
  readonly font: string;
  readonly serif: string;
}

/** Pixels that the numbers of the axes take at the edges, and between points and edges when all is shown. */
export interface MapMargins {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly gap: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
}

/** What dragging does: asks about places, draws a lasso, or moves the map. */
export type MapTool = 'ask' | 'lasso' | 'move';

/** What a {@link CanvasMap} tells its page. */
export interface MapEvents {
  /** A point came under the pointer, or −1 when it left; with the pixel of the pointer. */
  hover(point: number, px: number, py: number): void;
  /** A point was clicked, or −1 for a place without one. */
  pick(point: number): void;
  /** A place was clicked or dragged to, with the tool 'ask'. */
  ask?(x: number, y: number, isNew: boolean): void;
  /** Points inside a lasso, and the places that it went through. */
  lasso(points: readonly number[], ring: readonly (readonly [number, number])[]): void;
}

/** A map on a canvas, with zoom, moving, lasso and hover. */
export interface CanvasMap {
  show(scene: MapScene, theme: MapTheme): void;
  use(tool: MapTool): void;
  margins(margins: MapMargins): void;
  zoom(factor: number, px?: number, py?: number): void;
  /** Shows all points. */
  all(): void;
  /** Moves by pixels. */
  move(dx: number, dy: number): void;
  /** The part that is shown. */
  spans(): readonly [x: readonly [number, number], y: readonly [number, number]];
  /** Pixel of a place. */
  pixel(x: number, y: number): readonly [number, number];
  release(): void;
}
