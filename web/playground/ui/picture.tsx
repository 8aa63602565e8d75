import { useEffect, useRef } from 'preact/hooks';
import type { Colouring, Theme } from '../drawing/colours.ts';
import { meanOf, Scatter, type Scene } from '../drawing/scatter.ts';

interface Given {
  readonly scene: Scene | undefined;
  readonly theme: Theme;
  readonly label: string;
  readonly canDecode: boolean;
  readonly onHover: (point: number) => void;
  readonly onCursor: (latents: readonly number[]) => void;
  readonly onSettled: (scatter: Scatter) => void;
}

/** The part of a picture's width that an arrow key moves the cursor by. */
const STEP = 1 / 40;

/** The scatter: hover or N and P for rows, click, drag or arrows to ask the model, wheel or + and − to zoom, 0 to see all. */
export function Picture({ scene, theme, label, canDecode, onHover, onCursor, onSettled }: Given) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scatter = useRef<Scatter | undefined>(undefined);
  useEffect(() => {
    const made = new Scatter(canvas.current!);
    scatter.current = made;
    onSettled(made);
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      made.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    };
    canvas.current!.addEventListener('wheel', onWheel, { passive: false });
    return () => made.release();
  }, []);
  useEffect(() => {
    if (scene !== undefined) scatter.current!.show(scene, theme);
  }, [scene, theme]);

  const ask = ({ offsetX, offsetY }: PointerEvent) => {
    const at = scatter.current!.latentAt(offsetX, offsetY);
    if (canDecode && at !== undefined) onCursor(at);
  };
  const onKey = (event: KeyboardEvent) => {
    if (scene === undefined) return;
    const handled = byKey(event.key, scene, scatter.current!, canDecode, onHover, onCursor);
    if (handled) event.preventDefault();
  };
  return (
    <div
      class="scatter"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys, so it must be reached by them.
      tabIndex={0}
      role="application"
      aria-label={label}
      aria-describedby="picture-help"
      onPointerMove={(event) => {
        onHover(scatter.current!.nearest(event.offsetX, event.offsetY));
        if (event.buttons === 1) ask(event);
      }}
      onPointerLeave={() => onHover(-1)}
      onPointerDown={ask}
      onKeyDown={onKey}
    >
      <canvas ref={canvas} />
    </div>
  );
}

function byKey(
  key: string,
  { axes, cursor, hovered, latents }: Scene,
  scatter: Scatter,
  canDecode: boolean,
  onHover: Given['onHover'],
  onCursor: Given['onCursor'],
): boolean {
  const arrows: Readonly<Record<string, readonly [number, number]>> = {
    ...{ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] },
  };
  const arrow = arrows[key];
  if (arrow !== undefined) {
    if (!canDecode) return true;
    const spans = scatter.spans();
    const at = [...(cursor ?? meanOf(latents))];
    at[axes[0]]! += arrow[0] * STEP * (spans[0][1] - spans[0][0]);
    if (axes[1] !== undefined) at[axes[1]]! += arrow[1] * STEP * (spans[1][1] - spans[1][0]);
    onCursor(at);
    return true;
  }
  if (key === 'n') onHover((hovered + 1) % latents.rows);
  else if (key === 'p') onHover((hovered + latents.rows - 1) % latents.rows);
  else if (key === '+' || key === '=') scatter.zoom(1.25);
  else if (key === '-') scatter.zoom(0.8);
  else if (key === '0') scatter.reset();
  else return false;
  return true;
}

/** What colours mean. */
export function Legend({ colouring, title }: { readonly colouring: Colouring; readonly title: string }) {
  const { legend, palette } = colouring;
  if (legend.kind === 'none') return null;
  if (legend.kind === 'numbers') {
    return (
      <p class="legend">
        {title}: {legend.low.toPrecision(3)}
        <Swatches colours={palette.slice(0, -1)} />
        {legend.high.toPrecision(3)}
      </p>
    );
  }
  const shown = legend.names.slice(0, 20);
  return (
    <ul class="legend" aria-label={title}>
      {shown.map((name, k) => (
        <li key={name}>
          <Swatches colours={[palette[k]!]} /> {name}
        </li>
      ))}
      {legend.names.length > shown.length && <li>and {legend.names.length - shown.length} more</li>}
    </ul>
  );
}

const Swatches = ({ colours }: { readonly colours: readonly string[] }) => (
  <svg class="swatches" width={12 * colours.length} height="12" aria-hidden="true">
    {colours.map((colour, k) => (
      <rect key={colour} x={12 * k} width="12" height="12" fill={colour} />
    ))}
  </svg>
);
