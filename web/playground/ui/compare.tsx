import type { Matrix } from 'latentfield/core';
import type { CanvasMap, MapEvents, MapMargins, MapScene, MapTool } from 'latentfield/plot';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Coloring, Theme } from '../drawing/colors.ts';
import { namesOf } from '../drawing/names.ts';
import { nearestRows } from '../neighbors.ts';
import type { Scores } from '../page.worker.ts';
import { Icon } from './icon.tsx';
import { MapView } from './mapView.tsx';

/** Map of the rows with its name and scores. */
export interface Side {
  readonly name: string;
  readonly latents: Matrix;
  readonly scores: Scores | undefined;
}

const MARGINS: MapMargins = { left: 0, right: 44, bottom: 24, gap: { left: 24, right: 24, top: 64, bottom: 76 } };

/** Maximum number of rows that are connected across the two maps. */
const MOST_JOINED = 200;

/** The same rows in a second map next to the first, with shared highlighting and selection. */
export function BesideMap({
  side,
  scene,
  coloring,
  hiddenKinds,
  joined,
  first,
  tool,
  theme,
  events,
  onKey,
}: {
  readonly side: Side;
  /** Looks of the rows, as on the first map. */
  readonly scene: MapScene;
  readonly coloring: Coloring;
  readonly hiddenKinds: ReadonlySet<number>;
  /** Rows with a line between their positions on the two maps. */
  readonly joined: readonly number[];
  readonly first: { readonly current: CanvasMap | undefined };
  readonly tool: MapTool;
  readonly theme: Theme;
  readonly events: Pick<MapEvents, 'hover' | 'pick' | 'lasso'>;
  readonly onKey: (event: KeyboardEvent) => void;
}) {
  const second = useRef<CanvasMap | undefined>(undefined);
  const lines = useRef<SVGPathElement>(null);
  const places = useMemo(() => ({ x: side.latents.column(0), y: side.latents.column(1) }), [side.latents]);
  const names = useMemo(() => namesOf(coloring, places, hiddenKinds), [coloring, places, hiddenKinds]);
  const { kinds, kindOf, hidden, faint, radius, hovered, chosen, ringed } = scene;
  const shown = useMemo<MapScene>(
    () => ({
      ...{ ...places, kinds, kindOf, hidden, faint, radius, hovered, chosen, ringed },
      equal: true,
      titles: [`${side.name} 1`, `${side.name} 2`],
      joined: scene.joined,
      names: ringed === undefined ? names : [],
    }),
    [places, side.name, kinds, kindOf, hidden, faint, radius, hovered, chosen, ringed, scene.joined, names],
  );
  useEffect(() => {
    // Either map may be moved or enlarged at any time.
    let frame = 0;
    const follow = () => {
      frame = requestAnimationFrame(follow);
      const [from, to] = [first.current, second.current];
      const line = lines.current;
      if (from === undefined || to === undefined || line === null) return;
      const width = line.ownerSVGElement!.clientWidth / 2;
      const path = joined.slice(0, MOST_JOINED).map((i) => {
        const [ax, ay] = from.pixel(scene.x[i]!, scene.y[i]!);
        const [bx, by] = to.pixel(places.x[i]!, places.y[i]!);
        return `M${ax.toFixed(1)} ${ay.toFixed(1)}L${(bx + width).toFixed(1)} ${by.toFixed(1)}`;
      });
      const next = path.join('');
      if (line.getAttribute('d') !== next) line.setAttribute('d', next);
    };
    follow();
    return () => cancelAnimationFrame(frame);
  }, [joined, places, scene.x, scene.y]);
  return (
    <>
      <div class="beside">
        <MapView
          scene={shown}
          theme={theme}
          tool={tool}
          margins={MARGINS}
          label={`Second map: ${side.latents.rows} rows, ${side.name}`}
          events={events}
          onKey={onKey}
          onMade={(made) => {
            second.current = made;
          }}
        />
      </div>
      <svg class="links" aria-hidden="true">
        <path ref={lines} />
      </svg>
    </>
  );
}

/** Number of each row's nearest rows on one map that are among its nearest on the other. */
export function sharedNeighbors(a: Matrix, b: Matrix, neighbors: number): Uint8Array {
  const ones = (of: Matrix) => new Float64Array(of.columns).fill(1);
  const [unitA, unitB] = [ones(a), ones(b)];
  return Uint8Array.from({ length: a.rows }, (_, i) => {
    const near = new Set(nearestRows(a, a.row(i), neighbors, i, unitA));
    return nearestRows(b, b.row(i), neighbors, i, unitB).reduce((count, j) => count + (near.has(j) ? 1 : 0), 0);
  });
}

/** Maximum number of rows for comparing neighbors on two maps, which uses all pairs. */
const MOST_COMPARED = 3000;

/** Difference of trustworthiness below which two maps are considered equal. */
const ALIKE = 0.01;

/** Summary of the similarity of two maps of the same rows, and their relative reliability. */
export function CompareReading({
  first,
  second,
  neighbors,
  nameOf,
  choose,
  close,
}: {
  readonly first: Side;
  readonly second: Side;
  readonly neighbors: number;
  readonly nameOf: (row: number) => string;
  readonly choose: (row: number) => void;
  readonly close: () => void;
}) {
  const shared = useMemo(
    () => (first.latents.rows > MOST_COMPARED ? undefined : sharedNeighbors(first.latents, second.latents, neighbors)),
    [first.latents, second.latents, neighbors],
  );
  const mean = shared && shared.reduce((sum, count) => sum + count, 0) / shared.length;
  const moved =
    shared &&
    Array.from(shared.keys())
      .sort((a, b) => shared[a]! - shared[b]!)
      .slice(0, 6);
  return (
    <>
      <div class="head">
        <div>
          <h2>
            {first.name} and {second.name}
          </h2>
          <p class="note">Both maps have the same rows: point at one, or draw a lasso, on either map.</p>
        </div>
        <button type="button" class="tool" aria-label="Close the comparison" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <p>{verdict(first, second)}</p>
      {mean !== undefined && (
        <p>
          On average a row keeps <b>{mean.toFixed(1)}</b> of its {neighbors} nearest rows from one map to the other.
        </p>
      )}
      {moved !== undefined && (
        <section class="part" aria-label="Rows that differ most">
          <h3>Rows that differ most</h3>
          <ul class="rows">
            {moved.map((i) => (
              <li key={i}>
                <button type="button" class="link" onClick={() => choose(i)}>
                  {nameOf(i)}
                </button>{' '}
                <span class="note">keeps {shared![i]}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function verdict(first: Side, second: Side): string {
  const [a, b] = [first.scores?.trustworthiness, second.scores?.trustworthiness];
  if (a === undefined || b === undefined) return 'Neighbors in the table are not counted, so the maps are not ranked.';
  const both = `Trustworthiness ${a.toFixed(3)} and ${b.toFixed(3)} of 1: `;
  if (Math.abs(a - b) < ALIKE) return `${both}both keep neighborhoods equally well.`;
  const [better, worse] = a > b ? [first, second] : [second, first];
  return `${both}neighbors on ${better.name} are more often neighbors in the table than neighbors on ${worse.name}.`;
}
