/** One axis of a page: pixels = scale · unit + shift. */
export interface PageAxis {
  readonly scale: number;
  readonly shift: number;
  readonly title: string;
}

/** Pixels that the axes take on the left and at the bottom. */
export interface PageMargins {
  readonly left: number;
  readonly bottom: number;
}

/**
 * Draws ticks with their numbers, 1, 2 or 5 times a power of ten apart, along the left and the bottom of a canvas. Its text becomes part of a page: it
 * uses nothing of this module.
 */
export function drawAxes(
  context: CanvasRenderingContext2D,
  { width, height }: { readonly width: number; readonly height: number },
  { left, bottom }: PageMargins,
  across: PageAxis,
  up: PageAxis,
): void {
  const floor = height - bottom;
  const ticksOf = ({ scale, shift }: PageAxis, from: number, to: number, gap: number) => {
    const ends = [(from - shift) / scale, (to - shift) / scale];
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const rough = ((high - low) * gap) / Math.abs(to - from);
    const unit = Number(`1e${rough.toExponential().split('e')[1]}`);
    const step = [1, 2, 5, 10].map((times) => times * unit).find((each) => each >= rough)!;
    const count = Math.floor(high / step) - Math.ceil(low / step) + 1;
    return Array.from({ length: Math.max(0, count) }, (_, k) => {
      const value = Number(((Math.ceil(low / step) + k) * step).toPrecision(12));
      return { at: scale * value + shift, text: String(value) };
    });
  };
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, left, height);
  context.fillRect(left, floor, width - left, bottom);
  context.fillStyle = '#444444';
  context.strokeStyle = '#888888';
  context.lineWidth = 1;
  context.font = '11px system-ui, sans-serif';
  context.beginPath();
  context.moveTo(left, 0);
  context.lineTo(left, floor);
  context.lineTo(width, floor);
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (const { at, text } of ticksOf(across, left, width, 80)) {
    context.moveTo(at, floor);
    context.lineTo(at, floor + 5);
    if (at < width - 48) context.fillText(text, at, floor + 7);
  }
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const { at, text } of ticksOf(up, floor, 0, 60)) {
    context.moveTo(left, at);
    context.lineTo(left - 5, at);
    if (at > 20) context.fillText(text, left - 7, at);
  }
  context.stroke();
  context.font = 'bold 11px system-ui, sans-serif';
  context.fillText(up.title, left - 7, 9);
  context.textBaseline = 'top';
  context.fillText(across.title, width - 4, floor + 7);
}
