import type { Colouring, Theme } from './colours.ts';

/** Numbers at the points of a grid, drawn in grey behind the points: the largest are lightest. */
export interface Shading {
  readonly x: readonly [low: number, high: number];
  readonly y: readonly [low: number, high: number];
  readonly side: number;
  /** side × side, from the lowest y. */
  readonly values: Float64Array;
  /** From 0 to 1, of each: below 1 it is drawn lighter, at 0 as the lightest. */
  readonly strengths?: Float64Array | undefined;
}

/** What is drawn. */
export interface Scene {
  /** N×q. */
  readonly latents: { readonly data: Float64Array; readonly rows: number; readonly columns: number };
  /** The dimensions across and up; the second is undefined for a single one, which is drawn against the row. */
  readonly axes: readonly [number, number | undefined];
  readonly colouring: Colouring;
  readonly background: Shading | undefined;
  /** Latents of new rows. */
  readonly added: readonly (readonly number[])[];
  /** Where the model is asked what a row looks like. */
  readonly cursor: readonly number[] | undefined;
  readonly hovered: number;
}

/** Empty space around the points, in pixels. */
const MARGIN = 26;

/** Points from which pixels are set one by one: a path through all of them takes a canvas long. */
const MANY = 2000;

/** A scatter of many points on a canvas. They are drawn again when they, their colours or the part that is shown change; what moves with the pointer is drawn over them. */
export class Scatter {
  private scene: Scene | undefined;
  private theme: Theme | undefined;
  private isWaiting = false;
  /** Zoomed and moved by the visitor: pixels = scale·unit + shift. */
  private own: { scaleX: number; scaleY: number; shiftX: number; shiftY: number } | undefined;
  private map = { scaleX: 1, scaleY: -1, shiftX: 0, shiftY: 0 };
  /** Background and points as they were last drawn, and of what. */
  private readonly layer = document.createElement('canvas');
  private drawn: readonly unknown[] = [];
  private tile: { of: Shading; theme: Theme; image: HTMLCanvasElement } | undefined;

  private readonly observer = new ResizeObserver(() => this.later());

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.observer.observe(canvas);
  }

  /** Ends what watches the canvas. */
  release(): void {
    this.observer.disconnect();
  }

  show(scene: Scene, theme: Theme): void {
    this.scene = scene;
    this.theme = theme;
    this.later();
  }

  /** The latents at a pixel of the canvas, those that are not shown as the cursor has them. */
  latentAt(px: number, py: number): number[] | undefined {
    if (this.scene === undefined) return undefined;
    const { axes, cursor, latents } = this.scene;
    const at = cursor === undefined ? meanOf(latents) : [...cursor];
    at[axes[0]] = (px - this.map.shiftX) / this.map.scaleX;
    if (axes[1] !== undefined) at[axes[1]] = (py - this.map.shiftY) / this.map.scaleY;
    return at;
  }

  /** The number of the point nearest to a pixel; −1 where none is near. */
  nearest(px: number, py: number): number {
    if (this.scene === undefined) return -1;
    let found = -1;
    let least = 144;
    for (let i = 0; i < this.scene.latents.rows; i++) {
      const [x, y] = this.pixel(i);
      const distance = (x - px) ** 2 + (y - py) ** 2;
      if (distance < least) [found, least] = [i, distance];
    }
    return found;
  }

  /** Units of the first two axes that the picture spans. */
  spans(): readonly [x: readonly [number, number], y: readonly [number, number]] {
    const { scaleX, scaleY, shiftX, shiftY } = this.map;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    return [
      [-shiftX / scaleX, (width - shiftX) / scaleX],
      [(height - shiftY) / scaleY, -shiftY / scaleY],
    ];
  }

  zoom(factor: number, px = this.canvas.clientWidth / 2, py = this.canvas.clientHeight / 2): void {
    const { scaleX, scaleY, shiftX, shiftY } = this.map;
    this.own = {
      ...{ scaleX: scaleX * factor, scaleY: scaleY * factor },
      ...{ shiftX: px + factor * (shiftX - px), shiftY: py + factor * (shiftY - py) },
    };
    this.later();
  }

  /** Shows all points again. */
  reset(): void {
    this.own = undefined;
    this.later();
  }

  /** Draws in the next frame, whatever else changes until then. */
  later(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.draw();
    });
  }

  private draw(): void {
    const { canvas, scene, theme } = this;
    const context = canvas.getContext('2d');
    const { clientWidth: width, clientHeight: height } = canvas;
    if (context === null || scene === undefined || theme === undefined || width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    this.map = this.own ?? this.fitted(width, height);
    this.drawLayer(ratio, theme);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.layer, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawMarks(context, theme);
  }

  private drawLayer(ratio: number, theme: Theme): void {
    const { canvas, layer } = this;
    const { latents, axes, colouring, background } = this.scene!;
    const map = Object.values(this.map);
    const what = [latents, ...axes, colouring, background, theme, ratio, canvas.width, canvas.height, ...map];
    if (what.length === this.drawn.length && what.every((value, k) => value === this.drawn[k])) return;
    this.drawn = what;
    layer.width = canvas.width;
    layer.height = canvas.height;
    const context = layer.getContext('2d', { willReadFrequently: true })!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.plate;
    context.fillRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    this.drawBackground(context, theme);
    this.drawPoints(context, theme, ratio);
  }

  private fitted(width: number, height: number) {
    const { latents, axes, background } = this.scene!;
    const across = background?.x ?? extent(latents, axes[0]);
    const up = axes[1] === undefined ? ([0, latents.rows - 1] as const) : (background?.y ?? extent(latents, axes[1]));
    const margin = background === undefined ? MARGIN : 0;
    const scaleX = (width - 2 * margin) / (across[1] - across[0] || 1);
    const scaleY = -(height - 2 * margin) / (up[1] - up[0] || 1);
    return { scaleX, scaleY, shiftX: margin - scaleX * across[0], shiftY: height - margin - scaleY * up[0] };
  }

  private pixel(i: number): [number, number] {
    const { latents, axes } = this.scene!;
    return this.pixelOf(
      latents.data[i * latents.columns + axes[0]]!,
      axes[1] === undefined ? i : latents.data[i * latents.columns + axes[1]]!,
    );
  }

  private pixelOf(x: number, y: number): [number, number] {
    const { scaleX, scaleY, shiftX, shiftY } = this.map;
    return [scaleX * x + shiftX, scaleY * y + shiftY];
  }

  private drawBackground(context: CanvasRenderingContext2D, theme: Theme): void {
    const { background } = this.scene!;
    if (background === undefined) return;
    if (this.tile?.of !== background || this.tile.theme !== theme)
      this.tile = { of: background, theme, image: shades(background, theme) };
    const [left, top] = this.pixelOf(background.x[0], background.y[1]);
    const [right, bottom] = this.pixelOf(background.x[1], background.y[0]);
    context.imageSmoothingEnabled = true;
    context.drawImage(this.tile.image, left, top, right - left, bottom - top);
  }

  private drawPoints(context: CanvasRenderingContext2D, theme: Theme, ratio: number): void {
    const { latents, colouring } = this.scene!;
    const radius = Math.max(1.8, Math.min(4.5, 130 / Math.sqrt(latents.rows)));
    if (latents.rows > MANY) {
      this.drawPixels(context, radius * ratio, ratio);
      return;
    }
    context.strokeStyle = theme.edge;
    context.lineWidth = 0.75;
    for (const [number, colour] of colouring.palette.entries()) {
      context.beginPath();
      for (let i = 0; i < latents.rows; i++) {
        if (colouring.colourOf[i] !== number) continue;
        const [x, y] = this.pixel(i);
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 2 * Math.PI);
      }
      context.fillStyle = colour;
      context.fill();
      context.stroke();
    }
  }

  /** Discs of many points, pixel by pixel, their edges blended with what is there. */
  private drawPixels(context: CanvasRenderingContext2D, radius: number, ratio: number): void {
    const { latents, colouring } = this.scene!;
    const { width, height } = this.layer;
    const image = context.getImageData(0, 0, width, height);
    const colours = colouring.palette.map((colour) =>
      [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)),
    );
    for (let i = 0; i < latents.rows; i++) {
      const [x, y] = this.pixel(i);
      const [px, py] = [x * ratio, y * ratio];
      const colour = colours[colouring.colourOf[i]!]!;
      for (let row = Math.max(0, Math.floor(py - radius)); row < Math.min(height, py + radius); row++) {
        for (let column = Math.max(0, Math.floor(px - radius)); column < Math.min(width, px + radius); column++) {
          const beyond = Math.sqrt((column + 0.5 - px) ** 2 + (row + 0.5 - py) ** 2) - radius;
          const part = Math.min(1, 0.5 - beyond);
          if (part <= 0) continue;
          const at = 4 * (row * width + column);
          for (let c = 0; c < 3; c++) image.data[at + c]! += part * (colour[c]! - image.data[at + c]!);
        }
      }
    }
    context.putImageData(image, 0, 0);
  }

  private drawMarks(context: CanvasRenderingContext2D, theme: Theme): void {
    const { added, cursor, hovered, axes, latents } = this.scene!;
    const at = (point: readonly number[]) =>
      this.pixelOf(point[axes[0]]!, axes[1] === undefined ? latents.rows / 2 : point[axes[1]]!);
    context.strokeStyle = theme.ink;
    context.lineWidth = 2;
    for (const point of added) {
      const [x, y] = at(point);
      context.strokeRect(x - 4.5, y - 4.5, 9, 9);
    }
    if (hovered >= 0 && hovered < latents.rows) {
      context.beginPath();
      context.arc(...this.pixel(hovered), 8, 0, 2 * Math.PI);
      context.stroke();
    }
    if (cursor === undefined) return;
    const [x, y] = at(cursor);
    context.beginPath();
    for (const [dx, dy] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ] as const) {
      context.moveTo(x + 4 * dx, y + 4 * dy);
      context.lineTo(x + 13 * dx, y + 13 * dy);
    }
    context.stroke();
  }
}

type Latents = Scene['latents'];

export function meanOf({ data, rows, columns }: Latents): number[] {
  const sums = new Array<number>(columns).fill(0);
  for (let k = 0; k < data.length; k++) sums[k % columns]! += data[k]! / rows;
  return sums;
}

/** Least and largest entry of a column. */
export function extent({ data, rows, columns }: Latents, column: number): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < rows; i++) {
    low = Math.min(low, data[i * columns + column]!);
    high = Math.max(high, data[i * columns + column]!);
  }
  return low < high ? [low, high] : [low - 1, high + 1];
}

/** A pixel for each number of the background. */
function shades({ side, values, strengths }: Shading, theme: Theme): HTMLCanvasElement {
  const image = document.createElement('canvas');
  image.width = image.height = side;
  const context = image.getContext('2d')!;
  const pixels = context.createImageData(side, side);
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  for (let i = 0; i < side; i++) {
    for (let j = 0; j < side; j++) {
      const shade = high > low ? (high - values[i * side + j]!) / (high - low) : 0;
      const part = 1 - shade * (strengths?.[i * side + j] ?? 1);
      // The lowest y is at the bottom.
      const at = 4 * ((side - 1 - i) * side + j);
      for (let c = 0; c < 3; c++)
        pixels.data[at + c] = theme.uncertain[c]! + part * (theme.certain[c]! - theme.uncertain[c]!);
      pixels.data[at + 3] = 255;
    }
  }
  context.putImageData(pixels, 0, 0);
  return image;
}
