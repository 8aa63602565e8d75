import {
  type CanvasMap,
  canvasMap,
  type MapEvents,
  type MapMargins,
  type MapScene,
  type MapTool,
} from 'latentfield/plot';
import { useEffect, useRef } from 'preact/hooks';
import type { Theme } from '../drawing/colors.ts';

interface Given {
  readonly scene: MapScene | undefined;
  readonly theme: Theme;
  readonly tool: MapTool;
  readonly margins: MapMargins;
  readonly events: MapEvents;
  readonly label: string;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly onMade: (map: CanvasMap) => void;
}

/** Map on its canvas; keys are handled by the page. */
export function MapView({ scene, theme, tool, margins, events, label, onKey, onMade }: Given) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useRef<CanvasMap | undefined>(undefined);
  /** Latest listeners, which the map reads at each event. */
  const newest = useRef(events);
  newest.current = events;
  const canAsk = events.ask !== undefined;
  useEffect(() => {
    const made = canvasMap(canvas.current!, {
      hover: (point, px, py) => newest.current.hover(point, px, py),
      pick: (point) => newest.current.pick(point),
      lasso: (points, ring) => newest.current.lasso(points, ring),
      isEmbedded: newest.current.isEmbedded === true,
      ...(canAsk && { ask: (x: number, y: number, isNew: boolean) => newest.current.ask?.(x, y, isNew) }),
    });
    map.current = made;
    onMade(made);
    return () => made.release();
  }, [canAsk]);
  useEffect(() => map.current!.margins(margins), [canAsk, margins]);
  useEffect(() => map.current!.use(tool), [canAsk, tool]);
  useEffect(() => {
    if (scene !== undefined) map.current!.show(scene, theme.map);
  }, [canAsk, scene, theme]);
  return (
    <div
      class={`map ${tool}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys, so it must be reached by them.
      tabIndex={0}
      role="application"
      aria-label={label}
      aria-describedby="map-help"
      onKeyDown={onKey}
    >
      <canvas ref={canvas} />
    </div>
  );
}
