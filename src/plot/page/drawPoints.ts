import type { PageData } from './pageData.ts';

/** Where and how points are drawn on a canvas. */
export interface Drawn {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  /** Pixels of each point. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Half the axes of the ellipses, in pixels; empty without them. */
  readonly across: Float64Array;
  readonly up: Float64Array;
  readonly isHidden: (i: number) => boolean;
  readonly isChosen: (i: number) => boolean;
  readonly hovered: number;
  /** The line of a selection, x₁, y₁, …; empty without one. */
  readonly lasso: readonly number[];
}

/** Draws all points. Its text becomes part of a page: it uses nothing of this module. */
export function drawPoints(data: PageData, drawn: Drawn): void {
  const { context, width, height, x, y, across, up, isHidden, isChosen, hovered, lasso } = drawn;
  const count = x.length;
  // The same area for all shapes: that of a circle of this radius.
  const radius = Math.max(2.2, Math.min(4, 120 / Math.sqrt(count)));
  const anyChosen = x.some((_, i) => isChosen(i));
  const colourOf = (i: number) =>
    data.kindOf.length > 0 ? data.kinds[data.kindOf[i]!]!.colour : (data.colours[i] ?? data.primary);
  // Paths have the area of a circle of radius 1.
  const circle = 'M1,0A1,1 0 1 1 -1,0A1,1 0 1 1 1,0Z';
  const paths = (data.kinds.length > 0 ? data.kinds : [{ path: circle }]).map(({ path }) => new Path2D(path));
  const mark = (i: number, scale: number, lineWidth: number, isFilled: boolean) => {
    const size = radius * scale;
    const path = paths[data.kindOf[i] ?? 0]!;
    context.save();
    context.translate(x[i]!, y[i]!);
    context.scale(size, size);
    context.lineWidth = lineWidth / size;
    if (isFilled) context.fill(path);
    context.stroke(path);
    context.restore();
  };
  context.clearRect(0, 0, width, height);
  if (across.length > 0) {
    for (let i = 0; i < count; i++) {
      if (isHidden(i)) continue;
      context.beginPath();
      context.ellipse(x[i]!, y[i]!, across[i]!, up[i]!, 0, 0, 2 * Math.PI);
      context.fillStyle = colourOf(i);
      context.globalAlpha = 0.12;
      context.fill();
    }
  }
  context.strokeStyle = '#ffffff';
  for (let i = 0; i < count; i++) {
    if (isHidden(i)) continue;
    context.globalAlpha = anyChosen && !isChosen(i) ? 0.25 : 1;
    context.fillStyle = colourOf(i);
    mark(i, isChosen(i) ? 1.25 : 1, 0.75, true);
  }
  context.globalAlpha = 1;
  if (hovered >= 0) {
    context.strokeStyle = '#111111';
    mark(hovered, 1.6, 2, false);
  }
  if (lasso.length < 4) return;
  context.beginPath();
  for (let p = 0; p < lasso.length; p += 2) context.lineTo(lasso[p]!, lasso[p + 1]!);
  context.closePath();
  context.fillStyle = 'rgba(76, 120, 168, 0.12)';
  context.fill();
  context.strokeStyle = '#4c78a8';
  context.lineWidth = 1;
  context.stroke();
}
