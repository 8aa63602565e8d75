import type { Matrix } from 'latentfield/core';
import { type CanvasMap, canvasMap, type MapMargins } from 'latentfield/plot';
import { useEffect, useRef } from 'preact/hooks';
import type { Colouring, Theme } from '../drawing/colours.ts';
import { METHODS, type OtherMap } from '../maps.ts';
import type { Scores } from '../page.worker.ts';
import type { Fitted } from '../pageWorker.ts';

interface Given {
  readonly method: string;
  readonly setMethod: (method: string) => void;
  readonly fit: Fitted;
  readonly scores: Scores | undefined;
  readonly maps: Readonly<Record<string, OtherMap>>;
  readonly make: (method: string) => void;
  readonly cancel: (method: string) => void;
  readonly colouring: Colouring;
  readonly theme: Theme;
  readonly canCompare: boolean;
}

/** The same rows in other maps: each small, with its scores, to go to; those that are not there yet can be made. */
export function MapSwitch({ method, setMethod, fit, scores, maps, make, cancel, colouring, theme, canCompare }: Given) {
  const others = Object.entries(METHODS).filter(([name]) => name !== fit.model);
  return (
    <section class="maps" aria-label="The same rows in other maps">
      <button type="button" class="thumb" aria-pressed={method === ''} onClick={() => setMethod('')}>
        <Thumb latents={fit.latents} {...{ colouring, theme }} />
        <ScoreLine name={fit.model} scores={scores} />
      </button>
      {canCompare &&
        others.map(([name, title]) => {
          const map = maps[name];
          if (map?.latents !== undefined) {
            return (
              <button
                key={name}
                type="button"
                class="thumb"
                aria-pressed={method === name}
                onClick={() => setMethod(name)}
              >
                <Thumb latents={map.latents} {...{ colouring, theme }} />
                <ScoreLine name={title} scores={map.scores} />
              </button>
            );
          }
          if (map?.status === 'running') {
            return (
              <div key={name} class="thumb busy" data-method={name}>
                <span class="progress" role="progressbar" aria-label={`Making ${title}`} />
                <small role="status">{map.message}</small>
                <button type="button" class="link" onClick={() => cancel(name)}>
                  Cancel {title}
                </button>
              </div>
            );
          }
          return (
            <div key={name} class="thumb absent">
              {map?.status === 'failed' && (
                <small role="status" class="error">
                  {map.message}
                </small>
              )}
              <button type="button" class="lined" onClick={() => make(name)}>
                {map?.status === 'failed' ? `Again ${title}` : `Make ${title}`}
              </button>
            </div>
          );
        })}
    </section>
  );
}

function ScoreLine({ name, scores }: { readonly name: string; readonly scores: Scores | undefined }) {
  const { trustworthiness, neighbourError } = scores ?? {};
  const words = [
    ...(trustworthiness === undefined ? [] : [`trustworthiness ${trustworthiness.toFixed(3)}`]),
    ...(neighbourError === undefined ? [] : [`error ${neighbourError.toFixed(3)}`]),
  ].join(', ');
  return (
    <span class="score" title={words}>
      <b>{name}</b>
      <span aria-hidden="true">{trustworthiness?.toFixed(2)}</span>
      <span class="hidden">{words}</span>
    </span>
  );
}

const SMALL: MapMargins = { left: 0, right: 0, bottom: 0, gap: { left: 6, right: 6, top: 6, bottom: 6 } };
const silent = { hover: () => {}, pick: () => {}, lasso: () => {} };

function Thumb({
  latents,
  colouring,
  theme,
}: {
  readonly latents: Matrix;
  readonly colouring: Colouring;
  readonly theme: Theme;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useRef<CanvasMap | undefined>(undefined);
  useEffect(() => {
    const made = canvasMap(canvas.current!, silent);
    made.margins(SMALL);
    map.current = made;
    return () => made.release();
  }, []);
  useEffect(() => {
    const isLine = latents.columns === 1;
    map.current!.show(
      {
        x: latents.column(0),
        y: isLine ? Float64Array.from({ length: latents.rows }, (_, i) => i) : latents.column(1),
        equal: !isLine,
        titles: ['', ''],
        kinds: colouring.kinds,
        kindOf: colouring.kindOf,
        radius: 1.4,
      },
      theme.map,
    );
  }, [latents, colouring, theme]);
  return <canvas ref={canvas} />;
}
