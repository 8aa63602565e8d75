import type { Matrix } from 'latentfield/core';
import { LEAST_TRUSTWORTHINESS } from 'latentfield/inference';
import type { CanvasMap, MapMargins, MapScene } from 'latentfield/plot';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isFlat } from '../background.ts';
import { besideText, counted, type Dataset, rowName, rowsOfDataset } from '../data/dataset.ts';
import { byLabels, byNumbers, type Coloring, ofOneColor, type Theme } from '../drawing/colors.ts';
import { picturesOf } from '../drawing/images.ts';
import { namesOf } from '../drawing/names.ts';
import { csv, type Exported, save } from '../exports.ts';
import type { Pictured, Shown } from '../fitting.ts';
import { type Maps, METHODS } from '../maps.ts';
import { useMoving } from '../motion.ts';
import { nearestRows } from '../neighbors.ts';
import type { Placed, Scores } from '../page.worker.ts';
import type { Fitted } from '../pageWorker.ts';
import { rowsFound } from '../search.ts';
import { type Behind, meanOf, shareAt, terrainOf, useHeldMaps, useTerrain } from '../terrain.ts';
import { tourOf } from '../tour.ts';
import { useSampling } from '../useSampling.ts';
import { BesideMap, CompareReading, type Side } from './compare.tsx';
import { byTelling, Figure, type Reading, rangesOf, short, spreadText, valueText } from './figures.tsx';
import { isTyping } from './keys.ts';
import { BehindScale, Legend, type Tool, Tools } from './mapParts.tsx';
import { MapNames, MapSwitch } from './mapSwitch.tsx';
import { MapView } from './mapView.tsx';
import { ChosenPanel, MOST_REACHES, Overview } from './panel.tsx';
import {
  certaintyOf,
  NewRowReading,
  PathReading,
  PlaceReading,
  RowReading,
  type RowTrust,
  useAlong,
  useNear,
  type Walk,
} from './readings.tsx';
import { TrustBox } from './trust.tsx';

const BY_ROW = 'row number';
const NOTHING = { point: -1, x: 0, y: 0 };
const NO_KINDS: ReadonlySet<number> = new Set();
const NO_ROWS: readonly number[] = [];
/** Number of neighbors for comparing two maps, if the table has no neighborhoods. */
const usualNeighbors = (rows: number): number => Math.max(1, Math.min(10, Math.ceil(rows / 4) - 1));
/** Milliseconds between two positions of the tour. */
const TICK = 60;
/** Step of the cross per arrow key, as a fraction of the map's width. */
const STEP = 1 / 40;

/** New rows that are projected onto the map. */
export type AddedRows = Omit<Placed, 'latents'> & {
  readonly latents: Matrix;
  readonly observations: Matrix;
  readonly ids: readonly string[] | undefined;
  readonly idColumn: string;
};

/** Pixels around a new row within which a click selects it, and within which it takes precedence over fitted rows. */
const NEAR_NEW = 12;
const ON_NEW = 6;

interface Given {
  readonly shown: Shown | undefined;
  readonly picture: Pictured;
  /** Maps of the shown fit's rows by other methods, and the scores of all. */
  readonly others: Maps;
  readonly theme: Theme;
  readonly isPhone: boolean;
  readonly isDrawerOpen: boolean;
  /** True if the map is within another page: moving over it predicts, and a click pins the position. */
  readonly isEmbedded: boolean;
  /** True if the cross tours the map automatically until the visitor moves it. */
  readonly isTour: boolean;
  /** Column that colors the map at first; empty for the labels. */
  readonly firstColor: string;
  readonly query: string;
  /** Counter that increases when the search results are to be selected. */
  readonly chosen: number;
  readonly added: AddedRows | undefined;
  /** Progress of the fit. */
  readonly fitBar: ComponentChildren;
  readonly onFitRows: (dataset: Dataset) => void;
  readonly onKeys: (key: string) => boolean;
  /** Downloadable content, as currently visible. */
  readonly exported: { current: Exported | undefined };
}

/** Map of the shown fit, or of the one in progress, with its interactions. */
export function Explorer({
  shown,
  picture,
  others: { scores, compared, maps, make, cancel },
  theme,
  isPhone,
  isDrawerOpen,
  isEmbedded,
  isTour,
  firstColor,
  query,
  chosen,
  added,
  fitBar,
  onFitRows,
  onKeys,
  exported,
}: Given) {
  const { dataset, fit, latents: fitLatents } = picture;
  const isRunning = fit === undefined;
  const [method, look] = useState('');
  /** Map next to the large one, '' for the map of the fit. */
  const [besideBefore, setBeside] = useState<string>();
  const other = isRunning || method === '' ? undefined : maps[method];
  const isOwn = other?.latents === undefined;
  const latents = other?.latents ?? fitLatents;
  const isWhole = dataset?.observations.rows === latents.rows;
  const rows = isWhole ? dataset : undefined;
  const [dimensions, setDimensions] = useState<readonly [number, number]>([0, 1]);
  const across = Math.min(isOwn ? dimensions[0] : 0, latents.columns - 1);
  const up = latents.columns === 1 ? undefined : Math.min(isOwn ? dimensions[1] : 1, latents.columns - 1);
  const axes = useMemo(() => [across, up] as const, [across, up]);

  const [isTouring, setTouring] = useState(isTour);
  const [tool, setTool] = useState<Tool>('ask');
  const [color, setColor] = useState(firstColor);
  const [behind, setBehind] = useState<Behind>('certainty');
  const [hiddenBefore, setHiddenKinds] = useState<ReadonlySet<number>>(NO_KINDS);
  const [isTrust, setTrust] = useState(false);
  const [isDetails, setDetails] = useState(false);
  const [least, setLeast] = useState(LEAST_TRUSTWORTHINESS);
  const [hovered, setHovered] = useState(NOTHING);
  const [chosenBefore, setChosenRow] = useState(-1);
  const [newBefore, setNewRow] = useState<{ readonly of: AddedRows; readonly row: number }>();
  const [cursorBefore, setCursor] = useState<readonly number[]>();
  const [path, setPath] = useState<readonly (readonly [number, number])[]>([]);
  const [subsetBefore, setSubset] = useState<readonly number[]>();
  /** Start of a shortest path, and the computed path. */
  const [startBefore, setStart] = useState<readonly number[]>();
  const [walkBefore, setWalk] = useState<Walk>();
  /** Line around selected rows, on the map on which it was drawn. */
  const [lasso, setLasso] = useState<{ readonly method: string; readonly ring: MapScene['ring'] }>();
  /** Fit whose rows, kinds and positions were selected: nothing is selected on others. */
  const chosenOf = useRef(shown?.fit);
  const isStale = chosenOf.current !== shown?.fit;
  const hiddenKinds = isStale ? NO_KINDS : hiddenBefore;
  const chosenRow = isStale ? -1 : chosenBefore;
  const cursor = isStale ? undefined : cursorBefore;
  const subset = isStale ? undefined : subsetBefore;
  const start = isStale ? undefined : startBefore;
  /** New rows on this map, and the selected one. */
  const placed = isOwn && !isRunning ? added : undefined;
  const newRow = placed !== undefined && newBefore?.of === placed && chosenRow < 0 ? newBefore.row : -1;
  const isStandardized = shown?.of?.settings?.standardize === true;
  const heldOf = useHeldMaps(
    isRunning ? [] : Object.values(maps).flatMap((each) => each.latents ?? []),
    other?.latents,
    rows,
    isStandardized,
    shown?.fit,
  );
  const held = other?.latents && heldOf(other.latents);
  /** Source of predictions at a position of the map. */
  const reader = isOwn ? fit : held?.fit;
  const walk = walkBefore?.of === reader ? walkBefore : undefined;
  const map = useRef<CanvasMap | undefined>(undefined);
  const isPinned = useRef(false);
  const canDecode = reader?.predicts === true && rows !== undefined;

  useEffect(() => {
    chosenOf.current = shown?.fit;
    look('');
    setBeside(undefined);
    setHiddenKinds(NO_KINDS);
    setTrust(false);
    setChosenRow(-1);
    setCursor(undefined);
    setPath([]);
    setSubset(undefined);
    setStart(undefined);
    setWalk(undefined);
    setTool('ask');
    setBehind('certainty');
    setDimensions([0, 1]);
    const isKnown = rows?.columns.includes(color) === true || besideOf(rows, color) !== undefined;
    // Without labels, numbers that are known about the rows color them.
    const known = rows?.labels === undefined ? rows?.beside?.find(({ isNumber }) => isNumber)?.column : undefined;
    if (rows !== undefined && color !== BY_ROW && !isKnown) setColor(known ?? '');
    // As many keys and clicks as before, of another fit.
  }, [shown?.fit]);

  const coloring = useMemo(() => coloringOf(rows, color, latents.rows, theme), [rows, color, latents.rows, theme]);
  const ranges = useMemo(() => rows && rangesOf(rows), [rows]);
  const pictures = useMemo(
    () => rows && ranges && picturesOf(rows, ranges.least, ranges.most, theme),
    [rows, ranges, theme],
  );
  const background = useTerrain(reader, rows, axes, behind) ?? (behind === 'certainty' ? held?.background : undefined);
  const terrain = useMemo(
    () =>
      background && behind !== 'none' && !(behind === 'certainty' && isFlat(background))
        ? terrainOf(background, behind, theme)
        : undefined,
    [background, behind, theme],
  );
  // Stays on the small map of the fit while another is looked at.
  const land = useLast(isOwn ? terrain : undefined, shown?.fit);
  const target = useMemo(
    () => ({
      x: latents.column(across),
      y: up === undefined ? Float64Array.from({ length: latents.rows }, (_, i) => i) : latents.column(up),
    }),
    [latents, across, up],
  );
  const draws = useSampling(isOwn ? fit : undefined, across, up);
  const { places, isMoving } = useMoving(target, isRunning ? '' : method);
  const matching = useMemo(() => (rows === undefined ? undefined : rowsFound(query, rows)), [rows, query]);
  /** Search results; nothing fades if nothing matches. */
  const found = matching?.length === 0 ? undefined : matching;

  const mapScores = isOwn ? scores : other?.scores;
  const besideLatents = besideBefore === '' ? fitLatents : besideBefore && maps[besideBefore]?.latents;
  const beside: Side | undefined =
    isStale || isRunning || isPhone || besideBefore === method || !besideLatents || besideLatents.columns < 2
      ? undefined
      : {
          name: besideBefore === '' ? fit.model : METHODS[besideBefore!]!,
          latents: besideLatents,
          scores: besideBefore === '' ? scores : maps[besideBefore!]!.scores,
        };
  const scene = useMemo<MapScene>(() => {
    const count = latents.rows;
    const hidden =
      hiddenKinds.size === 0
        ? undefined
        : Uint8Array.from({ length: count }, (_, i) => (hiddenKinds.has(coloring.kindOf[i]!) ? 1 : 0));
    const among = subset ?? found;
    const inside = among && new Set(among);
    const trusted = isTrust ? mapScores?.byRow?.trustworthiness : undefined;
    const isDoubtful = (i: number) => trusted !== undefined && trusted[i]! < least;
    const faint =
      inside === undefined && trusted === undefined
        ? undefined
        : Uint8Array.from({ length: count }, (_, i) =>
            inside?.has(i) === false || (trusted !== undefined && !isDoubtful(i)) ? 1 : 0,
          );
    const variances = isOwn ? fit?.latentVariances : undefined;
    const name = isOwn ? 'latent' : METHODS[method]!;
    return {
      ...places,
      equal: up !== undefined,
      titles: [`${name} ${across + 1}`, up === undefined ? 'row' : `${name} ${up + 1}`],
      kinds: coloring.kinds,
      kindOf: coloring.kindOf,
      hidden,
      faint,
      radius: isPhone && count < 4000 ? 2.3 : undefined,
      ringed: trusted && Uint8Array.from({ length: count }, (_, i) => (isDoubtful(i) ? 1 : 0)),
      terrain: isMoving ? undefined : terrain,
      pictures: isMoving || isRunning ? undefined : pictures,
      reach:
        variances && up !== undefined && !isMoving && count <= MOST_REACHES
          ? {
              x: variances.column(across).map((v) => 2 * Math.sqrt(v)),
              y: variances.column(up).map((v) => 2 * Math.sqrt(v)),
            }
          : undefined,
      names: isMoving || isRunning || isTrust ? [] : namesOf(coloring, places, hiddenKinds),
    };
  }, [
    latents,
    places,
    isMoving,
    isRunning,
    coloring,
    hiddenKinds,
    subset,
    found,
    isTrust,
    least,
    mapScores,
    isPhone,
    terrain,
    pictures,
    across,
    up,
    isOwn,
    fit,
  ]);
  const pointed = isTrust && hovered.point >= 0 ? hovered.point : chosenRow;
  const pointedValues = useMemo(
    () => (pointed < 0 || pointed >= (rows?.observations.rows ?? 0) ? undefined : rows!.observations.row(pointed)),
    [rows, pointed],
  );
  const near = useNear(isMoving || isRunning ? undefined : rows, compared, pointedValues, pointed);
  /** Nearest rows to the one under the pointer on the map, as many as are compared. */
  const nearOnMap = useMemo(
    () =>
      new Set(
        near.length === 0
          ? []
          : nearestRows(
              latents,
              latents.row(pointed),
              mapScores?.neighbors ?? near.length,
              pointed,
              ONES(latents.columns),
            ),
      ),
    [near, latents, mapScores],
  );
  const walked = useMemo(
    () =>
      walk?.found?.latents.toArrays() ??
      path.map(([x, y]) => {
        const at = [...(cursor ?? meanOf(latents))];
        at[across] = x;
        if (up !== undefined) at[up] = y;
        return at;
      }),
    [path, walk],
  );
  const overlaid = useMemo<MapScene>(
    () => ({
      ...scene,
      hovered: hovered.point,
      chosen: chosenRow,
      ...(!isMoving && draws.marks),
      joined: hovered.point < 0 || hovered.point === pointed ? near : [],
      ring: lasso?.method === method && subset !== undefined ? lasso.ring : undefined,
      cursor: canDecode && cursor !== undefined && up !== undefined ? [cursor[across]!, cursor[up]!] : undefined,
      path: canDecode && up !== undefined ? walked.map((at) => [at[across]!, at[up]!] as const) : [],
      added:
        placed?.latents.toArrays().map((place, i) => ({
          x: place[across]!,
          y: up === undefined ? latents.rows / 2 : place[up]!,
          isDoubtful: placed.unlikely[i] === 1,
        })) ?? [],
    }),
    [scene, draws.marks, hovered, chosenRow, near, lasso, subset, cursor, walked, placed, canDecode],
  );

  const asked =
    newRow >= 0
      ? Array.from(placed!.latents.row(newRow))
      : chosenRow >= 0
        ? Array.from(latents.row(chosenRow))
        : cursor;
  // A row is shown against what is expected at its own place and no other; a drag may lag behind.
  const decoded = useDecoded(canDecode ? reader : undefined, asked, chosenRow >= 0 || newRow >= 0);
  const reading = useMemo<Reading | undefined>(
    () => decoded && { expected: decoded.mean.row(0), deviations: Array.from(decoded.variance.row(0), Math.sqrt) },
    [decoded],
  );
  /** True if predictions along the path of a drag are shown, which requires pictures. */
  const hasStrip = rows !== undefined && rows.view.kind !== 'values';
  const along = useAlong(canDecode && (walk || hasStrip) ? reader : undefined, walked);

  /** New row nearest to a pixel of the map within a distance, or −1. */
  const newRowAt = ([px, py]: readonly [number, number], within: number): number => {
    if (placed === undefined || map.current === undefined || up === undefined) return -1;
    const distances = placed.latents.toArrays().map((place) => {
      const [ax, ay] = map.current!.pixel(place[across]!, place[up]!);
      return Math.hypot(ax - px, ay - py);
    });
    const least = Math.min(...distances);
    return least <= within ? distances.indexOf(least) : -1;
  };
  const askAt = (x: number, y: number, isNew: boolean) => {
    const row = isNew ? newRowAt(map.current!.pixel(x, y), NEAR_NEW) : -1;
    if (row >= 0) {
      chooseNew(row);
      return;
    }
    setNewRow(undefined);
    const at = [...(cursor ?? meanOf(latents))];
    at[across] = x;
    if (up !== undefined) at[up] = y;
    setChosenRow(-1);
    setSubset(undefined);
    setWalk(undefined);
    setCursor(at);
    setHovered(NOTHING);
    glance.current?.(undefined);
    if (hasStrip) setPath((before) => (isNew ? [[x, y]] : [...before.slice(-200), [x, y]]));
  };
  const pathAt = (x: number, y: number, isNew: boolean) => {
    if (!isNew) return;
    const at = [...meanOf(latents)];
    at[across] = x;
    if (up !== undefined) at[up] = y;
    takeEnd(at);
  };
  /** Sets a position as the start of a shortest path, or as the end of the current one. */
  const takeEnd = (place: readonly number[]) => {
    letGo();
    if (start === undefined) {
      setStart(place);
      setCursor(place);
      return;
    }
    const of = reader!;
    setWalk({ of, found: undefined, problem: '' });
    of.geodesic(start, place).then(
      (found) => setWalk((now) => (now?.of === of ? { of, found, problem: '' } : now)),
      (error: Error) => setWalk((now) => (now?.of === of ? { of, found: undefined, problem: error.message } : now)),
    );
  };
  const choose = (row: number) => {
    letGo();
    isPinned.current = true;
    setChosenRow(row);
  };
  const chooseNew = (row: number) => {
    letGo();
    isPinned.current = true;
    setNewRow({ of: placed!, row });
    setCursor(Array.from(placed!.latents.row(row)));
  };
  /** Position on the map under a pixel. */
  const placeUnder = (px: number, py: number): [number, number] => {
    const { clientWidth, clientHeight } = canvas.current!;
    const [[left, right], [low, high]] = map.current!.spans();
    return [left + ((right - left) * px) / clientWidth, high - ((high - low) * py) / clientHeight];
  };
  /** Shows the prediction under the pointer in a card. */
  const glance = useRef<GlanceAt | undefined>(undefined);
  const letGo = () => {
    isPinned.current = false;
    setNewRow(undefined);
    setStart(undefined);
    setWalk(undefined);
    setCursor(undefined);
    setPath([]);
    setSubset(undefined);
    setChosenRow(-1);
  };
  /** Switches to another map: selected rows stay selected, but positions belong to the previous map. */
  const setMethod = (to: string) => {
    if (to === method) return;
    setStart(undefined);
    setWalk(undefined);
    setCursor(undefined);
    setPath([]);
    look(to);
  };
  useEffect(() => {
    if (!isTouring || !canDecode || up === undefined) return;
    const placeAt = tourOf(latents, across, up);
    const go = (time: number) => {
      const [x, y] = placeAt(time);
      const at = [...meanOf(latents)];
      at[across] = x;
      at[up] = y;
      setCursor(at);
    };
    go(0);
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    let [time, isSeen] = [0, true];
    const observer = new IntersectionObserver(([entry]) => {
      isSeen = entry!.isIntersecting;
    });
    observer.observe(canvas.current!);
    const timer = setInterval(() => {
      if (!isSeen || document.hidden) return;
      time += TICK;
      go(time);
    }, TICK);
    return () => {
      clearInterval(timer);
      observer.disconnect();
    };
  }, [isTouring, canDecode, latents, across, up]);
  const margins = useMemo<MapMargins>(
    () => ({
      left: 0,
      right: isPhone ? 0 : 44,
      bottom: isPhone ? 0 : 24,
      gap: isPhone
        ? { left: 20, right: 24, top: 60, bottom: 250 }
        : { left: isDrawerOpen ? 424 : 76, right: 24, top: 64, bottom: 76 },
    }),
    [isPhone, isDrawerOpen],
  );
  useEffect(() => {
    if (found?.length === 1) choose(found[0]!);
  }, [found]);
  const chosenBySearch = useRef(chosen);
  useEffect(() => {
    if (chosenBySearch.current === chosen) return;
    chosenBySearch.current = chosen;
    if (found === undefined || found.length < 2) return;
    letGo();
    setLasso(undefined);
    setSubset(found);
  }, [chosen]);

  /** Steps through the rows, or through the found or selected ones. */
  const step = (by: number) => {
    const among = subset ?? found;
    const list = among !== undefined && among.length > 0 ? among : undefined;
    const count = list?.length ?? latents.rows;
    const at = list === undefined ? chosenRow : list.indexOf(chosenRow);
    const next = at < 0 && by < 0 ? count - 1 : (at + by + count) % count;
    setCursor(undefined);
    setPath([]);
    setChosenRow(list === undefined ? next : list[next]!);
  };
  const onKey = (event: KeyboardEvent) => {
    setTouring(false);
    const arrow = ARROWS[event.key];
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Escape closes what is open first.
    if (key === 'Escape' && document.querySelector('.drawer.open, .keys, .pop') !== null) return;
    let isHandled = true;
    if (arrow !== undefined) {
      const [spanX, spanY] = map.current!.spans();
      if (event.shiftKey || !canDecode) {
        map.current!.move(-40 * arrow[0], 40 * arrow[1]);
      } else {
        const [x, y] =
          cursor === undefined || up === undefined ? [mean(spanX), mean(spanY)] : [cursor[across]!, cursor[up]!];
        const step = STEP * (spanX[1] - spanX[0]);
        askAt(x + arrow[0] * step, y + arrow[1] * step, false);
      }
    } else if (key === 'n' || key === 'p') {
      step(key === 'n' ? 1 : -1);
    } else if (key === '+' || key === '=') map.current!.zoom(1.25);
    else if (key === '-') map.current!.zoom(0.8);
    else if (key === '0') map.current!.all();
    else if (key === 'l') setTool(tool === 'lasso' ? 'ask' : 'lasso');
    else if (key === 'g' && canDecode && up !== undefined) setTool(tool === 'path' ? 'ask' : 'path');
    else if (key === 'Enter' && tool === 'path' && asked !== undefined && canDecode) takeEnd(asked);
    else if (key === 't') setTrust(!isTrust);
    else if (key === 'Escape') letGo();
    else if (/^[1-5]$/.test(key)) {
      const chosen = ['', ...Object.keys(METHODS)][Number(key) - 1]!;
      if (chosen === '' || maps[chosen]?.status === 'done') setMethod(chosen);
    } else isHandled = onKeys(key);
    if (isHandled) event.preventDefault();
  };

  /** Latest listener, since a key may be pressed before the effects of the last rendering have run. */
  const newestKey = useRef(onKey);
  newestKey.current = onKey;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event) || !['n', 'p', 'Escape'].includes(event.key)) return;
      newestKey.current(event);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  });
  const common = rows && ranges && { dataset: rows, compared, ranges, theme, coloring, choose };
  const canvas = useRef<HTMLElement>(null);
  exported.current =
    shown === undefined || shown.of === undefined || isRunning
      ? undefined
      : {
          shown,
          dataset: shown.of.dataset,
          looks: looksOf(shown.of.dataset, color),
          axes,
          background: isOwn ? background : undefined,
          canvas: canvas.current?.querySelector('.map canvas') as HTMLCanvasElement,
          card: {
            method: isOwn ? shown.fit.model : METHODS[method]!,
            trustworthiness: mapScores?.trustworthiness,
            ...{ coloring, theme },
            certainty: behind === 'certainty' && terrain !== undefined ? background : undefined,
            written: short,
          },
        };
  const title = isOwn ? picture.model : METHODS[method];
  return (
    <>
      <main ref={canvas} class={`stage${isDrawerOpen ? ' aside' : ''}${beside ? ' split' : ''}`}>
        <MapView
          scene={overlaid}
          theme={theme}
          tool={tool === 'path' ? 'ask' : tool}
          margins={margins}
          label={`Map of ${latents.rows} rows, ${isRunning ? `being fitted by ${picture.model}` : title}`}
          events={{
            isEmbedded,
            hover: (point, x, y) => {
              if (x > 0 || y > 0) setTouring(false);
              glance.current?.(point < 0 && (x > 0 || y > 0) ? [x, y] : undefined);
              if (isEmbedded && point < 0 && (x > 0 || y > 0) && canDecode && up !== undefined && !isPinned.current)
                askAt(...placeUnder(x, y), false);
              else setHovered((now) => (now.point === point && point < 0 ? now : { point, x, y }));
            },
            pick: (point) => {
              if (point < 0) letGo();
              else if (tool === 'path') takeEnd(Array.from(latents.row(point)));
              else {
                const row = newRowAt([hovered.x, hovered.y], ON_NEW);
                if (row >= 0) chooseNew(row);
                else choose(point);
              }
            },
            lasso: (points, ring) => {
              letGo();
              if (points.length === 0) return;
              setSubset(points);
              setLasso({ method, ring });
              setTool('ask');
            },
            ...(canDecode &&
              up !== undefined && {
                ask: (x: number, y: number, isNew: boolean) => {
                  isPinned.current = true;
                  (tool === 'path' ? pathAt : askAt)(x, y, isNew);
                },
              }),
          }}
          onKey={onKey}
          onMade={(made) => {
            map.current = made;
          }}
        />
        {beside !== undefined && (
          <BesideMap
            {...{ theme, onKey, coloring, hiddenKinds }}
            side={beside}
            scene={overlaid}
            joined={hovered.point >= 0 ? [hovered.point] : chosenRow >= 0 ? [chosenRow] : (subset ?? found ?? NO_ROWS)}
            first={map}
            tool={tool === 'lasso' ? tool : 'move'}
            events={{
              hover: (point, x, y) =>
                setHovered((now) =>
                  now.point === point && point < 0 ? now : { point, x: x + canvas.current!.clientWidth / 2, y },
                ),
              pick: (point) => (point < 0 ? letGo() : choose(point)),
              lasso: (points) => {
                letGo();
                if (points.length > 0) setSubset(points);
              },
            }}
          />
        )}
        <p id="map-help" class="hidden">
          Keys: N and P go through the rows,{' '}
          {canDecode ? 'arrows move the cross, Shift and arrows the map, ' : 'arrows move the map, '}+ and − zoom, 0
          shows all, L draws a lasso, / searches, M opens data and model, ? lists the keys.
        </p>
        <Tools
          {...{ tool, setTool, isTrust, setTrust }}
          hasPaths={canDecode && up !== undefined}
          map={map}
          canTrust={scores?.byRow !== undefined && !isRunning}
          onKeys={() => onKeys('?')}
        />
        {rows !== undefined && (
          <Legend
            {...{
              coloring,
              color,
              setColor,
              behind,
              setBehind,
              hiddenKinds,
              setHiddenKinds,
              dimensions,
              setDimensions,
            }}
            dataset={rows}
            dimensionsOf={isOwn ? latents.columns : 2}
            byRow={BY_ROW}
            predicts={canDecode && up !== undefined}
          />
        )}
        {isTrust && mapScores?.byRow !== undefined && !isRunning && (
          <TrustBox byRow={mapScores.byRow.trustworthiness} {...{ least, setLeast }} close={() => setTrust(false)} />
        )}
        {background !== undefined && behind !== 'none' && !isMoving && !isTrust && (
          <BehindScale {...{ background, behind, theme }} dataset={rows!} isHeld={!isOwn} />
        )}
        {isPhone && !isRunning && shown !== undefined && !isTrust && (
          <MapNames {...{ method, setMethod, maps }} fit={shown.fit} />
        )}
        {fitBar}
        {matching !== undefined && (
          <p class="matches card" role="status">
            {matching.length === 0
              ? `No row matches '${query}': search for a number, a label, an id, or column > value.`
              : `${matching.length.toLocaleString('en')} of ${counted(latents.rows, 'row')}`}
          </p>
        )}
        {!isRunning &&
          canDecode &&
          (fitBar === false || isEmbedded) &&
          (cursor === undefined || isTouring) &&
          chosenRow < 0 && (
            <p class="hint card">
              {tool === 'path' ? (
                <>
                  <b>Click</b> two points: the shortest path between them is drawn
                </>
              ) : (
                <>
                  <b>{isEmbedded ? 'Move' : 'Drag'}</b> to decode ·{' '}
                  <b>{isEmbedded ? 'click, then scroll' : 'scroll'}</b> to zoom · <b>Shift and drag</b> to choose rows
                </>
              )}
            </p>
          )}
        {canDecode &&
          !isEmbedded &&
          !isTouring &&
          !isPhone &&
          beside === undefined &&
          up !== undefined &&
          tool === 'ask' && (
            <Glance
              at={glance}
              reader={reader!}
              placeOf={(px, py) => {
                const [x, y] = placeUnder(px, py);
                const place = [...(cursor ?? meanOf(latents))];
                place[across] = x;
                place[up] = y;
                return place;
              }}
              shareOf={(place) => background && shareAt(background, place[across]!, place[up]!)}
              rows={rows!}
              ranges={ranges!}
              theme={theme}
            />
          )}
        {hovered.point >= 0 && rows !== undefined && ranges !== undefined && (
          <Hint {...{ rows, ranges, theme, hovered }} />
        )}
      </main>
      <Panel isPhone={isPhone}>
        {!isRunning && shown !== undefined && (
          <MapSwitch
            {...{ method, setMethod, maps, make, cancel, theme, scores, coloring }}
            fit={shown.fit}
            beside={beside && besideBefore}
            setBeside={isPhone || up === undefined ? undefined : setBeside}
            terrain={across === 0 && up === 1 ? land : undefined}
            behindOf={(map) => heldOf(map)?.background}
            marked={{ hidden: scene.hidden, faint: scene.faint, hovered: hovered.point, chosen: chosenRow }}
            canCompare={shown.of !== undefined}
          />
        )}
        <div class="read" aria-live={isTouring ? 'off' : 'polite'}>
          {rows === undefined || common === undefined ? (
            <p class="note">This file contains no rows: it can only be viewed.</p>
          ) : isRunning ? (
            <>
              <h2>Fitting {picture.model}</h2>
              <p class="note">The map shows the fit as it moves. Predictions appear when it has ended.</p>
            </>
          ) : subset !== undefined && chosenRow < 0 ? (
            <ChosenPanel
              {...common}
              rows={subset}
              scores={mapScores}
              least={least}
              fit={
                subset.length < 4
                  ? undefined
                  : () => onFitRows(rowsOfDataset(rows, subset, `${rows.name}, ${subset.length} rows`))
              }
              save={() => {
                const part = rowsOfDataset(rows, subset, rows.name);
                save('chosen.csv', csv(part.observations, part.columns, part));
              }}
              clear={letGo}
              choose={setChosenRow}
            />
          ) : walk !== undefined && chosenRow < 0 ? (
            <PathReading {...common} walk={walk} along={along} isStandardized={isStandardized} close={letGo} />
          ) : chosenRow >= 0 ? (
            <RowReading
              {...common}
              row={chosenRow}
              reading={{ observed: rows.observations.row(chosenRow), ...reading }}
              trust={trustOf(mapScores, chosenRow, least)}
              near={pointed === chosenRow ? near : []}
              isFar={(i) => !nearOnMap.has(i)}
              expectedBy={canDecode ? (isOwn ? 'the model' : HELD) : undefined}
              step={step}
              close={letGo}
            />
          ) : newRow >= 0 ? (
            <NewRowReading
              {...common}
              title={placed!.ids?.[newRow] ?? `new row ${newRow + 1}`}
              isUnlikely={placed!.unlikely[newRow] === 1}
              by={placed!.by}
              reading={{ observed: placed!.observations.row(newRow), ...reading }}
              step={(by) => chooseNew((newRow + by + placed!.latents.rows) % placed!.latents.rows)}
              close={letGo}
            />
          ) : reading !== undefined ? (
            <PlaceReading
              {...common}
              note={`${placeNote(cursor!, axes, isOwn ? 'latent' : METHODS[method]!)}${isOwn ? '' : ` By ${HELD}.`}`}
              reading={reading}
              share={background && up !== undefined ? shareAt(background, cursor![across]!, cursor![up]!) : undefined}
              isSame={background !== undefined && isFlat(background)}
              along={along?.mean}
              close={letGo}
            />
          ) : beside !== undefined ? (
            <CompareReading
              first={{ name: title!, latents, scores: mapScores }}
              second={beside}
              neighbors={mapScores?.neighbors ?? usualNeighbors(latents.rows)}
              nameOf={(row) => rowName(rows, row)}
              choose={choose}
              close={() => setBeside(undefined)}
            />
          ) : (
            fit !== undefined && (
              <Overview
                {...{ ...common, fit, isTrust, setTrust, isDetails, setDetails }}
                placed={placed && { ...placed, choose: chooseNew }}
                other={isOwn ? undefined : METHODS[method]}
                draws={isOwn && fit.canDraw ? { ...draws, rows: latents.rows } : undefined}
                scores={mapScores}
                onlyKind={(kind) =>
                  setHiddenKinds(
                    hiddenKinds.size > 0 && !hiddenKinds.has(kind)
                      ? new Set()
                      : new Set(coloring.kinds.map((_, k) => k).filter((k) => k !== kind)),
                  )
                }
              />
            )
          )}
        </div>
      </Panel>
    </>
  );
}

/** Trustworthiness of a row's position, and the number of its nearest rows that are among its nearest on the map. */
function trustOf(scores: Scores | undefined, row: number, least: number): RowTrust | undefined {
  if (scores?.byRow === undefined) return undefined;
  const { trustworthiness, kept } = scores.byRow;
  return { trustworthiness: trustworthiness[row]!, kept: kept[row]!, neighbors: scores.neighbors, least };
}

/** A value, or if it is undefined the last one of the same owner. */
function useLast<T>(value: T | undefined, owner: unknown): T | undefined {
  const last = useRef<{ value: T | undefined; owner: unknown }>({ value, owner });
  if (value !== undefined || last.current.owner !== owner) last.current = { value, owner };
  return last.current.value;
}

const ONES = (count: number) => new Float64Array(count).fill(1);
const mean = ([a, b]: readonly [number, number]) => (a + b) / 2;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ...{ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] },
};

/** Source of predictions on the map of another method. */
const HELD = 'a Gaussian process fixed at these positions';

function placeNote(
  place: readonly number[],
  [across, up]: readonly [number, number | undefined],
  name: string,
): string {
  const at = [across, up].flatMap((d) => (d === undefined ? [] : [`${name} ${d + 1} ${short(place[d]!)}`])).join(', ');
  return place.length <= 2
    ? `At ${at}.`
    : `At ${at}: a slice, with the other ${place.length - 2} dimension${place.length === 3 ? '' : 's'} fixed.`;
}

/** Panel next to the map; on a phone, a sheet below it. */
function Panel({ isPhone, children }: { readonly isPhone: boolean; readonly children: ComponentChildren }) {
  const [isUp, setUp] = useState(false);
  return (
    <aside class={`panel${isUp ? ' up' : ''}`} aria-label="Reading">
      {isPhone && (
        <button
          type="button"
          class="grip"
          aria-label={isUp ? 'Lower the reading' : 'Raise the reading'}
          aria-expanded={isUp}
          onClick={() => setUp(!isUp)}
        />
      )}
      {children}
    </aside>
  );
}

function Hint({
  rows,
  ranges,
  theme,
  hovered: { point, x, y },
}: {
  readonly rows: Dataset;
  readonly ranges: ReturnType<typeof rangesOf>;
  readonly theme: Theme;
  readonly hovered: { readonly point: number; readonly x: number; readonly y: number };
}) {
  const row = rows.observations.row(point);
  const first = rows.columns.slice(0, 5);
  return (
    <Tip at={[x, y]}>
      <Figure {...{ dataset: rows, ranges, theme }} label={`row ${point + 1}`} observed={row} />
      <div>
        <b>{rows.ids?.[point] ?? `row ${point + 1}`}</b>
        {rows.labels !== undefined && <span>{`${rows.labelColumn}: ${rows.labels[point] || 'none'}`}</span>}
        {rows.beside?.slice(0, 2).map((beside) => (
          <span key={beside.column}>{`${beside.column}: ${besideText(beside, point) || 'missing'}`}</span>
        ))}
        {rows.view.kind === 'values' &&
          first.map((column, j) => (
            <span key={column}>
              {column}: {valueText(rows, j, row[j]!)}
            </span>
          ))}
        {rows.view.kind === 'values' && rows.columns.length > first.length && (
          <span>and {rows.columns.length - first.length} more</span>
        )}
      </div>
    </Tip>
  );
}

/** Card next to a pixel of the map. */
function Tip({
  at: [x, y],
  children,
}: {
  readonly at: readonly [number, number];
  readonly children: ComponentChildren;
}) {
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { offsetWidth: width, offsetHeight: height, parentElement } = card.current!;
    const left = Math.min(x + 18, parentElement!.clientWidth - width - 56);
    const top = Math.max(8, Math.min(y + 16, parentElement!.clientHeight - height - 36));
    card.current!.style.transform = `translate(${left}px, ${top}px)`;
  });
  return (
    <div ref={card} class="tip card" role="tooltip">
      {children}
    </div>
  );
}

type GlanceAt = (pixel: readonly [number, number] | undefined) => void;

/** Number of columns in a card. */
const MOST_IN_CARD = 3;

/** Prediction under the pointer where there is no row. Only this card is rendered while the pointer moves. */
function Glance({
  at,
  reader,
  placeOf,
  shareOf,
  rows,
  ranges,
  theme,
}: {
  readonly at: { current: GlanceAt | undefined };
  readonly reader: Fitted;
  readonly placeOf: (px: number, py: number) => readonly number[];
  readonly shareOf: (place: readonly number[]) => number | undefined;
  readonly rows: Dataset;
  readonly ranges: ReturnType<typeof rangesOf>;
  readonly theme: Theme;
}) {
  const [pixel, setPixel] = useState<readonly [number, number]>();
  useEffect(() => {
    at.current = setPixel;
    return () => {
      at.current = undefined;
    };
  }, [at]);
  const place = pixel && placeOf(...pixel);
  const decoded = useDecoded(reader, place, false);
  if (pixel === undefined || decoded === undefined) return null;
  const reading = { expected: decoded.mean.row(0), deviations: Array.from(decoded.variance.row(0), Math.sqrt) };
  const share = shareOf(place!);
  return (
    <Tip at={pixel}>
      <Figure {...{ dataset: rows, ranges, theme }} label="Expected here" expected={reading.expected} />
      <div>
        <b>{share === undefined ? 'Expected here' : certaintyOf(share)}</b>
        {rows.view.kind === 'values' &&
          byTelling(reading, ranges)
            .slice(0, MOST_IN_CARD)
            .map((j) => (
              <span key={j}>
                {rows.columns[j]}: {valueText(rows, j, reading.expected[j]!)} ±{' '}
                {spreadText(rows, j, 2 * reading.deviations[j]!)}
              </span>
            ))}
        <span class="note">click to keep</span>
      </div>
    </Tip>
  );
}

const besideOf = (rows: Dataset | undefined, color: string) => rows?.beside?.find(({ column }) => column === color);

function coloringOf(rows: Dataset | undefined, color: string, count: number, theme: Theme): Coloring {
  if (color === BY_ROW)
    return byNumbers(
      Array.from({ length: count }, (_, i) => i + 1),
      BY_ROW,
      theme,
    );
  const beside = besideOf(rows, color);
  if (beside?.values instanceof Float64Array) {
    const coloring = byNumbers(beside.values, color, theme);
    return beside.isNumber ? coloring : { ...coloring, numbers: { ...coloring.numbers!, areDates: true } };
  }
  if (beside !== undefined) return byLabels(beside.values, color, theme);
  const column = rows?.columns.indexOf(color) ?? -1;
  if (column >= 0) return byNumbers(rows!.observations.column(column), color, theme);
  return rows?.labels === undefined ? ofOneColor(count, theme) : byLabels(rows.labels, rows.labelColumn, theme);
}

function looksOf(rows: Dataset, color: string): Exported['looks'] {
  if (color === BY_ROW)
    return { color: Array.from({ length: rows.observations.rows }, (_, i) => i + 1), legendTitle: BY_ROW };
  const column = rows.columns.indexOf(color);
  if (column >= 0) return { color: Array.from(rows.observations.column(column)), legendTitle: color };
  const beside = besideOf(rows, color)?.values;
  if (beside instanceof Float64Array) return { color: Array.from(beside), legendTitle: color };
  if (beside !== undefined) return { labels: beside, legendTitle: color };
  return rows.labels === undefined ? {} : { labels: rows.labels, legendTitle: rows.labelColumn };
}

/** Predictions of the model at a position: the latest is requested when the previous answer has arrived. */
function useDecoded(fit: Fitted | undefined, place: readonly number[] | undefined, isExact: boolean) {
  const [decoded, setDecoded] = useState<Awaited<ReturnType<Fitted['predict']>> & { of: Fitted; at: string }>();
  const state = useRef<{ busyWith?: Fitted | undefined; newest?: readonly number[] | undefined }>({});
  const key = place?.join();
  useEffect(() => {
    state.current.newest = place;
    if (fit === undefined || place === undefined) {
      setDecoded(undefined);
      return;
    }
    // The last request to a fit that is gone may never be answered.
    if (state.current.busyWith === fit) return;
    state.current.busyWith = fit;
    // No pause may separate the check for a newer request from the end of the loop.
    const ask = async (): Promise<void> => {
      try {
        for (let newest = state.current.newest; newest !== undefined; ) {
          const found = await fit.predict([newest]);
          if (state.current.busyWith !== fit) return;
          setDecoded({ ...found, of: fit, at: newest.join() });
          if (state.current.newest === newest) return;
          newest = state.current.newest;
        }
      } catch {
        // A fit whose worker has ended answers no more.
        setDecoded((known) => (known?.of === fit ? undefined : known));
      } finally {
        if (state.current.busyWith === fit) state.current.busyWith = undefined;
      }
    };
    ask();
  }, [fit, key]);
  return place === undefined || decoded?.of !== fit || (isExact && decoded?.at !== key) ? undefined : decoded;
}
