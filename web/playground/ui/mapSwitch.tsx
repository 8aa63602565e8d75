import type { Matrix } from 'latentfield/core';
import { type CanvasMap, canvasMap, type MapMargins, type MapScene, type MapTerrain } from 'latentfield/plot';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Background } from '../background.ts';
import type { Coloring, Theme } from '../drawing/colors.ts';
import { METHODS, type OtherMap } from '../maps.ts';
import type { Scores } from '../page.worker.ts';
import type { Fitted } from '../pageWorker.ts';
import { terrainOf } from '../terrain.ts';
import { Icon } from './icon.tsx';

interface Given {
  readonly method: string;
  readonly setMethod: (method: string) => void;
  readonly fit: Fitted;
  readonly scores: Scores | undefined;
  readonly maps: Readonly<Record<string, OtherMap>>;
  readonly make: (method: string) => void;
  readonly cancel: (method: string) => void;
  readonly coloring: Coloring;
  readonly theme: Theme;
  readonly canCompare: boolean;
  /** Map next to the large one, '' for the map of the fit; and how to choose one, if there is enough space. */
  readonly beside: string | undefined;
  readonly setBeside: ((method: string | undefined) => void) | undefined;
  /** Hidden, faint, highlighted and selected points on the large map. */
  readonly marked: Marked;
  /** Background of the fit in its first two dimensions. */
  readonly terrain: MapTerrain | undefined;
  /** Known background of another map. */
  readonly behindOf: (latents: Matrix) => Background | undefined;
}

type Marked = Pick<MapScene, 'hidden' | 'faint' | 'hovered' | 'chosen'>;

/** Other maps of the same rows: each small, with its scores, as a link; missing ones can be computed. */
export function MapSwitch(given: Given) {
  const { method, setMethod, fit, scores, maps, make, cancel, canCompare, terrain, behindOf } = given;
  const others = Object.keys(METHODS).filter((name) => canCompare && name !== fit.model);
  const isThere = (name: string) => maps[name]?.latents !== undefined || maps[name]?.status === 'running';
  const there = others.filter(isThere);
  const absent = others.filter((name) => !isThere(name));
  return (
    <section class="maps" aria-label="Other maps of the same rows">
      <button type="button" class="thumb" aria-pressed={method === ''} onClick={() => setMethod('')}>
        <Thumb {...given} latents={fit.latents} terrain={terrain} />
        <ScoreLine name={fit.model} scores={scores} />
      </button>
      {there.map((name) => {
        const { latents, scores: found, message } = maps[name]!;
        const title = METHODS[name]!;
        return latents === undefined ? (
          <div key={name} class="thumb busy" data-method={name}>
            <span class="progress" role="progressbar" aria-label={`Fitting ${title}`} />
            <small role="status">{message}</small>
            <button type="button" class="link" onClick={() => cancel(name)}>
              Cancel {title}
            </button>
          </div>
        ) : (
          <button key={name} type="button" class="thumb" aria-pressed={method === name} onClick={() => setMethod(name)}>
            <Thumb {...given} latents={latents} terrain={undefined} background={behindOf(latents)} />
            <ScoreLine name={title} scores={found} />
          </button>
        );
      })}
      {absent.length > 0 && (
        <div class={`thumb absent${there.length % 3 === 2 ? ' whole' : ''}`}>
          {absent.map((name) => (
            <button
              key={name}
              type="button"
              class="link"
              aria-label={`${maps[name]?.status === 'failed' ? 'Again' : 'Make'} ${METHODS[name]}`}
              onClick={() => make(name)}
            >
              <Icon name="plus" /> {METHODS[name]}
            </button>
          ))}
        </div>
      )}
      {absent.map(
        (name) =>
          maps[name]?.status === 'failed' && (
            <small key={name} role="status" class="error whole">
              {maps[name]!.message}
            </small>
          ),
      )}
      {given.setBeside !== undefined && <BesideChoice {...given} others={others} />}
    </section>
  );
}

/** Maps that can be shown next to the large one. */
function BesideChoice({
  method,
  maps,
  fit,
  beside,
  setBeside,
  others,
}: Given & { readonly others: readonly string[] }) {
  const there = ['', ...others.filter((name) => maps[name]?.latents !== undefined)].filter((name) => name !== method);
  if (there.length === 0) return null;
  return (
    <fieldset class="segments whole" aria-label="Side by side">
      <legend>Side by side with</legend>
      {there.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={beside === name}
          onClick={() => setBeside!(beside === name ? undefined : name)}
        >
          {name === '' ? fit.model : METHODS[name]}
        </button>
      ))}
    </fieldset>
  );
}

/** Names of the available maps, for when their pictures are below the fold. */
export function MapNames({ method, setMethod, fit, maps }: Pick<Given, 'method' | 'setMethod' | 'fit' | 'maps'>) {
  const there = Object.keys(METHODS).filter((name) => maps[name]?.latents !== undefined);
  if (there.length === 0) return null;
  return (
    <fieldset class="segments mapseg card" aria-label="Map">
      {['', ...there].map((name) => (
        <button key={name} type="button" aria-pressed={method === name} onClick={() => setMethod(name)}>
          {name === '' ? fit.model : METHODS[name]}
        </button>
      ))}
    </fieldset>
  );
}

function ScoreLine({ name, scores }: { readonly name: string; readonly scores: Scores | undefined }) {
  const { trustworthiness, neighborError } = scores ?? {};
  const words = [
    ...(trustworthiness === undefined ? [] : [`trustworthiness ${trustworthiness.toFixed(3)}`]),
    ...(neighborError === undefined ? [] : [`error ${neighborError.toFixed(3)}`]),
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
  coloring,
  theme,
  marked,
  terrain,
  background,
}: Pick<Given, 'coloring' | 'theme' | 'marked' | 'terrain'> & {
  readonly latents: Matrix;
  readonly background?: Background | undefined;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useRef<CanvasMap | undefined>(undefined);
  useEffect(() => {
    const made = canvasMap(canvas.current!, silent);
    made.margins(SMALL);
    map.current = made;
    return () => made.release();
  }, []);
  const isLine = latents.columns === 1;
  // As they are, for as long as the latents are: the map draws all points again when they are others.
  const places = useMemo(
    () => ({
      x: latents.column(0),
      y: isLine ? Float64Array.from({ length: latents.rows }, (_, i) => i) : latents.column(1),
    }),
    [latents],
  );
  const land = useMemo(
    () => terrain ?? (background && terrainOf(background, 'certainty', theme)),
    [terrain, background, theme],
  );
  const { hidden, faint, hovered, chosen } = marked;
  useEffect(() => {
    const { kinds, kindOf } = coloring;
    map.current!.show(
      {
        ...places,
        equal: !isLine,
        titles: ['', ''],
        kinds,
        kindOf,
        hidden,
        faint,
        hovered,
        chosen,
        terrain: land,
        radius: 1.4,
      },
      theme.map,
    );
  }, [places, coloring, theme, hidden, faint, hovered, chosen, land]);
  return <canvas ref={canvas} />;
}
