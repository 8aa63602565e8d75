/** Scene of a {@link CanvasMap}. Arrays are not copied: pass new arrays for changed data. */
export interface MapScene {
  /** N coordinates along each axis. */
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  /** Whether both axes have the same scale. */
  readonly equal: boolean;
  readonly titles: readonly [across: string, up: string];
  /** Half axes of an ellipse around each point, in units, rotated by radians from the first axis toward the second; around the positions `at`, if set. */
  readonly reach?:
    | {
        readonly x: ArrayLike<number>;
        readonly y: ArrayLike<number>;
        readonly turn?: ArrayLike<number> | undefined;
        readonly at?: { readonly x: ArrayLike<number>; readonly y: ArrayLike<number> } | undefined;
      }
    | undefined;
  /** Further positions of the points, drawn as dots: all N of the first copy, then all of the next. */
  readonly cloud?: { readonly x: ArrayLike<number>; readonly y: ArrayLike<number> } | undefined;
  /** Look of each kind: a CSS color #rrggbb, and an SVG path with the area of a circle of radius 1. */
  readonly kinds: readonly { readonly color: string; readonly path: string }[];
  /** Index of each point's kind. */
  readonly kindOf: ArrayLike<number>;
  /** 1 for points that are not drawn. */
  readonly hidden?: ArrayLike<number> | undefined;
  /** 1 for points that are drawn faintly. */
  readonly faint?: ArrayLike<number> | undefined;
  /** 1 for points with a ring, for doubt. */
  readonly ringed?: ArrayLike<number> | undefined;
  readonly terrain?: MapTerrain | undefined;
  /** Pictures of the points, drawn at their positions when the map is enlarged, where they fit. */
  readonly pictures?: MapPictures | undefined;
  /** Radius of a point in pixels when all is visible; by default it depends on the number of points. */
  readonly radius?: number | undefined;
  /** Text on the map. */
  readonly names?: readonly { readonly text: string; readonly x: number; readonly y: number }[] | undefined;
  /** Points in addition to the N. */
  readonly added?: readonly { readonly x: number; readonly y: number; readonly isDoubtful: boolean }[] | undefined;
  readonly hovered?: number | undefined;
  readonly chosen?: number | undefined;
  /** Points connected to the one under the pointer, or else to the chosen one. */
  readonly joined?: readonly number[] | undefined;
  /** Closed line: the lasso around selected points. */
  readonly ring?: readonly (readonly [number, number])[] | undefined;
  readonly cursor?: readonly [number, number] | undefined;
  /** Line through positions. */
  readonly path?: readonly (readonly [number, number])[] | undefined;
}

/** Pictures of all N points, of the same size, on one sheet. */
export interface MapPictures {
  /** Pixels of a picture. */
  readonly width: number;
  readonly height: number;
  /** Pictures in a line of the sheet. */
  readonly across: number;
  /** Returns the sheet: the pictures line by line. It is called when pictures are first drawn. */
  sheet(): CanvasImageSource;
}

/** Terrain behind the points: the background with contours where the model is certain, hatched where it is not. */
export interface MapTerrain {
  readonly x: readonly [low: number, high: number];
  readonly y: readonly [low: number, high: number];
  readonly side: number;
  /** Doubt, side × side, from the lowest y: 0 for certain, 1 for unknown. */
  readonly doubt: Float64Array;
  /** Tint, side × side, from 0 to 1, colored by `ramp` instead of the default colors. */
  readonly tint?: Float64Array | undefined;
  readonly ramp?: readonly string[] | undefined;
}

/** Colors of a {@link CanvasMap}: CSS colors, in the form #rrggbb if they are mixed. */
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
  /** Font families of numbers, and of names on the map. */
  readonly font: string;
  readonly serif: string;
}

/** Pixels for the numbers of the axes at the edges, and between points and edges when all is visible. */
export interface MapMargins {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly gap: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
}

/** Action of dragging: query positions, draw a lasso, or move the map. */
export type MapTool = 'ask' | 'lasso' | 'move';

/** Listeners of a {@link CanvasMap}. */
export interface MapEvents {
  /** Leaves the wheel and swipes to the page around the map until the map is clicked, and again after Escape. */
  readonly isEmbedded?: boolean;
  /** The pointer entered a point, or left it (−1); with the pixel of the pointer. */
  hover(point: number, px: number, py: number): void;
  /** A point was clicked, or a position without one (−1). */
  pick(point: number): void;
  /** A position was clicked or dragged to with the tool 'ask'. */
  ask?(x: number, y: number, isNew: boolean): void;
  /** A lasso was drawn: points inside, and the positions along it. */
  lasso(points: readonly number[], ring: readonly (readonly [number, number])[]): void;
}

/** Map on a canvas, with zoom, moving, lasso and hover. */
export interface CanvasMap {
  show(scene: MapScene, theme: MapTheme): void;
  use(tool: MapTool): void;
  margins(margins: MapMargins): void;
  zoom(factor: number, px?: number, py?: number): void;
  /** Shows all points. */
  all(): void;
  /** Moves by pixels. */
  move(dx: number, dy: number): void;
  /** The visible ranges. */
  spans(): readonly [x: readonly [number, number], y: readonly [number, number]];
  /** Pixel of a position. */
  pixel(x: number, y: number): readonly [number, number];
  release(): void;
}
