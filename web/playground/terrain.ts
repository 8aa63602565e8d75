import type { Matrix } from 'latentfield/core';
import type { MapTerrain } from 'latentfield/plot';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Background, doubtOf, isFlat, type Place } from './background.ts';
import type { Dataset } from './data/dataset.ts';
import type { Theme } from './drawing/colors.ts';
import { type Fitted, PageWorker } from './pageWorker.ts';

/** Background of the points: certainty, magnification, or the expected value of a column by name. */
export type Behind = 'certainty' | 'magnification' | 'none' | `column ${string}`;

/** Cells along each axis of the background. */
const SIDE = 52;
/** Margin of the background around the points, relative to their larger extent. */
const BEYOND = 0.35;

/** Background of a fit that predicts, once it is available. */
export function useTerrain(
  fit: Fitted | undefined,
  dataset: Dataset | undefined,
  axes: readonly [number, number | undefined],
  behind: Behind,
): Background | undefined {
  const [made, setMade] = useState<{ background: Background; of: Fitted; column: number | undefined }>();
  const column = behind.startsWith('column ') ? dataset?.columns.indexOf(behind.slice(7)) : undefined;
  const [across, up] = axes;
  useEffect(() => {
    if (fit?.predicts !== true || dataset === undefined || up === undefined || behind === 'none') {
      setMade(undefined);
      return;
    }
    let isWanted = true;
    fit.background({ ...around(fit.latents, [across, up]), column }).then(
      (background) => isWanted && background !== undefined && setMade({ background, of: fit, column }),
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [fit, across, up, column, behind === 'none']);
  return made?.of === fit && made?.column === column && up !== undefined ? made?.background : undefined;
}

/** Grid around the points of a map: a square, since the map has equal units. */
function around(latents: Matrix, axes: readonly [number, number]): Omit<Place, 'spreads'> {
  const ends = axes.map((axis) => {
    const values = latents.column(axis);
    return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))] as const;
  });
  const half = (0.5 + BEYOND) * Math.max(...ends.map(([low, high]) => high - low)) || 1;
  const [x, y] = ends.map(([low, high]) => [(low + high) / 2 - half, (low + high) / 2 + half] as const);
  return { x: x!, y: y!, side: SIDE, middle: meanOf(latents), axes };
}

/** Maximum number of rows for the background of a map by another method. */
const MOST_READ = 3000;

/** Maximum number of rows for computing that background before the map is viewed. */
const MOST_UNASKED = 500;

/** Map of another method, with a Gaussian process fitted at its fixed positions. */
export interface HeldMap {
  readonly fit: Fitted;
  /** Certainty of the Gaussian process. */
  readonly background: Background | undefined;
}

/**
 * Maps without predictions, each with a Gaussian process fitted at its fixed positions, in a worker that lasts as long as the shown fit. They are
 * computed one at a time, starting with the map that is viewed first.
 */
export function useHeldMaps(
  others: readonly Matrix[],
  current: Matrix | undefined,
  dataset: Dataset | undefined,
  isStandardized: boolean,
  shown: Fitted | undefined,
): (latents: Matrix) => HeldMap | undefined {
  const known = useRef(new Map<Matrix, HeldMap | undefined>());
  const workers = useRef(new Set<PageWorker>());
  const [, setCount] = useState(0);
  useEffect(
    () => () => {
      for (const worker of workers.current) worker.end();
      workers.current.clear();
      known.current.clear();
    },
    [shown],
  );
  const isWanted = (map: Matrix | undefined) =>
    map?.columns === 2 && map.rows <= (map === current ? MOST_READ : MOST_UNASKED) && !known.current.has(map);
  const latents = [current, ...others].find(isWanted);
  useEffect(() => {
    if (latents === undefined || dataset === undefined) return;
    const worker = new PageWorker();
    workers.current.add(worker);
    let isEnded = false;
    const hold = async (): Promise<HeldMap> => {
      const fit = await worker.hold(dataset.observations, latents, isStandardized);
      return { fit, background: await fit.background(around(latents, [0, 1])) };
    };
    hold()
      .catch(() => {
        worker.end();
        return undefined;
      })
      .then((held) => {
        if (isEnded) return;
        known.current.set(latents, held);
        setCount((now) => now + 1);
      });
    return () => {
      isEnded = true;
      if (!known.current.has(latents)) worker.end();
    };
  }, [latents]);
  return (map) => known.current.get(map);
}

/** Drawing of a background. */
export function terrainOf(background: Background, behind: Behind, theme: Theme): MapTerrain {
  const { x, y, side } = background;
  const land = { x, y, side, doubt: doubtOf(background) };
  const numbers = behind === 'magnification' ? background.magnification : background.value;
  if (numbers === undefined || behind === 'certainty') return land;
  const low = numbers.reduce((a, b) => Math.min(a, b));
  const high = numbers.reduce((a, b) => Math.max(a, b));
  return { ...land, tint: numbers.map((value) => (value - low) / (high - low || 1)), ramp: theme.numbers };
}

export function meanOf({ data, rows, columns }: { data: Float64Array; rows: number; columns: number }): number[] {
  const sums = new Array<number>(columns).fill(0);
  for (let k = 0; k < data.length; k++) sums[k % columns]! += data[k]! / rows;
  return sums;
}

/** Standard deviation of a new row relative to the spread of each column, in the cell of a position; 1 outside the grid. */
export function shareAt(background: Background, x: number, y: number): number {
  const { side, deviation } = background;
  const cell = (value: number, [low, high]: readonly [number, number]) =>
    Math.floor(((value - low) / (high - low)) * side);
  const [j, i] = [cell(x, background.x), cell(y, background.y)];
  if (i < 0 || j < 0 || i >= side || j >= side) return isFlat(background) ? deviation[0]! : 1;
  return deviation[i * side + j]!;
}
