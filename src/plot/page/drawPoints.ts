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
  const outline = (i: number, scale: number) => {
    const shape = data.kindOf.length > 0 ? data.kinds[data.kindOf[i]!]!.shape : 'circle';
    const area = Math.PI * (radius * scale) ** 2;
    const [px, py] = [x[i]!, y[i]!];
    const corners = (points: readonly (readonly [number, number])[]) => {
      points.forEach(([a, b], k) => {
        if (k === 0) context.moveTo(px + a, py + b);
        else context.lineTo(px + a, py + b);
      });
      context.closePath();
    };
    context.beginPath();
    if (shape === 'square') {
      const side = Math.sqrt(area);
      context.rect(px - side / 2, py - side / 2, side, side);
    } else if (shape === 'diamond') {
      const r = Math.sqrt(area / 2);
      corners([
        [-r, 0],
        [0, -r],
        [r, 0],
        [0, r],
      ]);
    } else if (shape === 'cross') {
      const s = Math.sqrt(area / 5);
      corners([
        [-1.5 * s, -0.5 * s],
        [-0.5 * s, -0.5 * s],
        [-0.5 * s, -1.5 * s],
        [0.5 * s, -1.5 * s],
        [0.5 * s, -0.5 * s],
        [1.5 * s, -0.5 * s],
        [1.5 * s, 0.5 * s],
        [0.5 * s, 0.5 * s],
        [0.5 * s, 1.5 * s],
        [-0.5 * s, 1.5 * s],
        [-0.5 * s, 0.5 * s],
        [-1.5 * s, 0.5 * s],
      ]);
    } else if (shape.startsWith('triangle')) {
      const r = Math.sqrt(area / Math.sqrt(3));
      const h = (r * Math.sqrt(3)) / 2;
      if (shape === 'triangle-up')
        corners([
          [0, -h],
          [r, h],
          [-r, h],
        ]);
      else if (shape === 'triangle-down')
        corners([
          [0, h],
          [r, -h],
          [-r, -h],
        ]);
      else
        corners([
          [h, 0],
          [-h, r],
          [-h, -r],
        ]);
    } else {
      context.arc(px, py, radius * scale, 0, 2 * Math.PI);
    }
  };
  context.clearRect(0, 0, width, height);
  context.lineWidth = 0.75;
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
    outline(i, isChosen(i) ? 1.25 : 1);
    context.fillStyle = colourOf(i);
    context.fill();
    context.stroke();
  }
  context.globalAlpha = 1;
  if (hovered >= 0) {
    outline(hovered, 1.6);
    context.strokeStyle = '#111111';
    context.lineWidth = 2;
    context.stroke();
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
