import type { Matrix } from 'latentfield';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Background, certaintyOf } from '../background.ts';
import { newRows } from '../data/ownTable.ts';
import { byLabels, byNumbers, type Colouring, ofOneColour, type Theme } from '../drawing/colours.ts';
import { extent, meanOf, type Scatter, type Shading } from '../drawing/scatter.ts';
import { EXPORTS, type Exported, save } from '../exports.ts';
import type { Fitting } from '../fitting.ts';
import type { Fitted } from '../fitWorker.ts';
import { FileDrop } from './dataPanel.tsx';
import { Panel } from './fields.tsx';
import { Others } from './others.tsx';
import { Legend, Picture } from './picture.tsx';
import { ShownRow } from './shownRow.tsx';

/** Points along each axis of the background. */
const SIDE = 44;
const BY_ROW = 'row number';

/** What grey means behind the points. */
const BACKGROUNDS = {
  precision: 'where it is uncertain',
  magnification: 'where a step changes the expected row most, fainter where that row is uncertain',
  none: '',
};
type BackgroundName = keyof typeof BACKGROUNDS;

/** The picture of a fit, and what can be asked of it. */
export function Explorer({ fitting, theme }: { readonly fitting: Fitting; readonly theme: Theme }) {
  const { fit, of } = fitting;
  const latents = fitting.latents!;
  const dataset = of?.dataset.observations.rows === latents.rows ? of.dataset : undefined;
  const [axes, setAxes] = useState<readonly [number, number]>([0, 1]);
  const [color, setColor] = useState('');
  const [hovered, setHovered] = useState(-1);
  const [cursor, setCursor] = useState<readonly number[]>();
  const [added, setAdded] = useState<Matrix>();
  const [told, setTold] = useState('');
  const [scatter, setScatter] = useState<Scatter>();
  const across = Math.min(axes[0], latents.columns - 1);
  const up = latents.columns === 1 ? undefined : Math.min(axes[1], latents.columns - 1);
  const colouring = useMemo(() => colouringOf(dataset, color, latents.rows), [dataset, color, latents.rows]);
  const [behind, setBehind] = useState<BackgroundName>('precision');
  const grid = useBackground(fitting, across, up);
  const background = useMemo(() => shadingOf(grid, behind), [grid, behind]);
  useEffect(() => {
    setCursor(undefined);
    setAdded(undefined);
    setTold('');
  }, [fit]);

  const scene = useMemo(
    () => ({
      latents,
      axes: [across, up] as const,
      colouring,
      background,
      added: added?.toArrays() ?? [],
      cursor,
      hovered,
    }),
    [latents, across, up, colouring, background, added, cursor, hovered],
  );
  const canDecode = fit?.predicts === true && dataset !== undefined;
  const decoded = useDecoded(canDecode ? fit : undefined, cursor);

  async function project(name: string, bytes: Uint8Array) {
    try {
      setTold(`Placing the rows of '${name}'.`);
      const rows = await newRows(name, bytes, of!.dataset.columns);
      const found = await fit!.project(rows);
      setAdded(found);
      setTold(`${found.rows} new rows are placed: the squares.`);
    } catch (error) {
      setTold(`'${name}' was not placed: ${(error as Error).message}`);
    }
  }

  return (
    <>
      <Panel title="Latents" id="latents">
        <Choices
          latents={latents}
          axes={[across, up ?? 0]}
          setAxes={setAxes}
          color={color}
          setColor={setColor}
          dataset={dataset}
          behind={fit?.predicts === true ? behind : undefined}
          setBehind={setBehind}
        />
        <Picture
          scene={scene}
          theme={theme}
          label={`Scatter of ${latents.rows} latents`}
          canDecode={canDecode}
          onHover={setHovered}
          onCursor={setCursor}
          onSettled={setScatter}
        />
        <p id="picture-help" class="small">
          Keys: N and P go through the rows, {canDecode ? 'arrows move the cross, ' : ''}+ and − zoom, 0 shows all;
          Shift and the wheel zoom too.
          {canDecode ? ' Click or drag to see what the model expects there. ' : ''}
          {background !== undefined && `Grey: ${BACKGROUNDS[behind]}.`}{' '}
          <button type="button" class="inline" onClick={() => scatter?.reset()}>
            Show all
          </button>
        </p>
        <Legend colouring={colouring} title={color || 'label'} />
        <div class="shown" aria-live="polite">
          {hovered >= 0 && dataset !== undefined && (
            <ShownRow dataset={dataset} row={dataset.observations.row(hovered)} name={rowName(dataset, hovered)} />
          )}
          {decoded !== undefined && (
            <ShownRow
              dataset={dataset!}
              row={decoded.mean.row(0)}
              deviations={decoded.variance.row(0).map(Math.sqrt)}
              name="expected at the cross"
            />
          )}
        </div>
      </Panel>
      {fit !== undefined && of !== undefined && (
        <div class="columns">
          <Panel title="New rows" id="new-rows">
            {!fit.projects ? (
              <p>This model does not place new rows.</p>
            ) : (
              <FileDrop label="A file with the same columns" name="rows" onFile={project} />
            )}
            <p role="status">{told}</p>
          </Panel>
          {dataset !== undefined && (
            <Save of={{ fit, settings: of.settings, dataset, looks: looksOf(dataset, color) }} />
          )}
        </div>
      )}
      {fit !== undefined && dataset !== undefined && (
        <Others
          name={fit.model}
          isStandardised={of?.settings?.standardise ?? false}
          {...{ dataset, latents, colouring, theme }}
        />
      )}
    </>
  );
}

type Shown = NonNullable<Fitting['of']>['dataset'];

const rowName = ({ ids, labels }: Shown, i: number) =>
  `row ${i + 1}${ids === undefined ? '' : ` (${ids[i]})`}${labels === undefined ? '' : `, ${labels[i]}`}`;

function colouringOf(dataset: Shown | undefined, color: string, rows: number): Colouring {
  if (color === BY_ROW) return byNumbers(Array.from({ length: rows }, (_, i) => i));
  const column = dataset?.columns.indexOf(color) ?? -1;
  if (column >= 0) return byNumbers(dataset!.observations.column(column));
  return dataset?.labels === undefined ? ofOneColour(rows) : byLabels(dataset.labels);
}

function looksOf(dataset: Shown, color: string): Exported['looks'] {
  if (color === BY_ROW) return { color: Array.from({ length: dataset.observations.rows }, (_, i) => i) };
  const column = dataset.columns.indexOf(color);
  if (column >= 0) return { color: Array.from(dataset.observations.column(column)) };
  return dataset.labels === undefined ? {} : { labels: dataset.labels };
}

interface ChoicesProps {
  readonly latents: Matrix;
  readonly axes: readonly [number, number];
  readonly setAxes: (axes: readonly [number, number]) => void;
  readonly color: string;
  readonly setColor: (color: string) => void;
  readonly dataset: Shown | undefined;
  /** undefined where the model predicts nothing. */
  readonly behind: BackgroundName | undefined;
  readonly setBehind: (behind: BackgroundName) => void;
}

function Choices({ latents, axes, setAxes, color, setColor, dataset, behind, setBehind }: ChoicesProps) {
  const dimensions = Array.from({ length: latents.columns }, (_, d) => <option value={d}>{d + 1}</option>);
  const axis = (label: string, which: 0 | 1) => (
    <label>
      {label}
      <select
        value={axes[which]}
        onChange={({ currentTarget }) =>
          setAxes(which === 0 ? [Number(currentTarget.value), axes[1]] : [axes[0], Number(currentTarget.value)])
        }
      >
        {dimensions}
      </select>
    </label>
  );
  return (
    <div class="pair">
      {latents.columns > 2 && axis('Across', 0)}
      {latents.columns > 2 && axis('Up', 1)}
      <label>
        Colour
        <select name="color" value={color} onChange={({ currentTarget }) => setColor(currentTarget.value)}>
          <option value="">{dataset?.labels === undefined ? 'none' : 'label'}</option>
          <option value={BY_ROW}>{BY_ROW}</option>
          {dataset?.columns.slice(0, 300).map((column) => (
            <option key={column} value={column}>
              {column}
            </option>
          ))}
        </select>
      </label>
      {behind !== undefined && latents.columns > 1 && (
        <label>
          Background
          <select
            name="background"
            value={behind}
            onChange={({ currentTarget }) => setBehind(currentTarget.value as BackgroundName)}
          >
            {Object.keys(BACKGROUNDS).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

/** The lightest is the largest: a small magnification, a large precision. */
function shadingOf(grid: Background | undefined, behind: BackgroundName): Shading | undefined {
  if (grid === undefined || behind === 'none') return undefined;
  if (behind === 'precision') return { ...grid, values: grid.precision };
  return { ...grid, values: grid.magnification.map((value) => -value), strengths: certaintyOf(grid.precision) };
}

function Save({ of }: { readonly of: Exported }) {
  const [told, setTold] = useState('');
  const write = async (name: string) => {
    try {
      save(name, await EXPORTS[name]!(of));
      setTold(`${name} is saved.`);
    } catch (error) {
      setTold(`${name} cannot be made: ${(error as Error).message}`);
    }
  };
  return (
    <Panel title="Save" id="save">
      <div class="buttons">
        {Object.keys(EXPORTS).map((name) => (
          <button key={name} type="button" class="secondary outline" onClick={() => write(name)}>
            {name}
          </button>
        ))}
      </div>
      <p role="status" class="small">
        {told}
      </p>
    </Panel>
  );
}

/** The predictive precision behind the points of a fit that predicts, once it is there. */
function useBackground({ fit, latents }: Fitting, across: number, up: number | undefined): Background | undefined {
  const [background, setBackground] = useState<Background>();
  useEffect(() => {
    setBackground(undefined);
    if (fit?.predicts !== true || latents === undefined || up === undefined) return;
    let isWanted = true;
    const [x, y] = [wider(extent(latents, across)), wider(extent(latents, up))];
    const place = { x, y, side: SIDE, middle: meanOf(latents), axes: [across, up] as const };
    fit.background(place).then(
      (made) => isWanted && setBackground(made),
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [fit, across, up]);
  return background;
}

/** What the model expects at the cross: the newest place is asked for when the answer to the one before is there. */
function useDecoded(fit: Fitted | undefined, cursor: readonly number[] | undefined) {
  const [decoded, setDecoded] = useState<Awaited<ReturnType<Fitted['predict']>>>();
  const asked = useRef<{ isBusy: boolean; newest: readonly number[] | undefined }>({
    isBusy: false,
    newest: undefined,
  });
  useEffect(() => {
    const state = asked.current;
    state.newest = cursor;
    if (fit === undefined || cursor === undefined) {
      setDecoded(undefined);
      return;
    }
    if (state.isBusy) return;
    state.isBusy = true;
    const next = async (): Promise<void> => {
      const place = state.newest;
      if (place === undefined) return;
      setDecoded(await fit.predict([place]));
      if (state.newest !== place) await next();
    };
    // A fit whose worker has ended answers no more.
    next()
      .catch(() => setDecoded(undefined))
      .finally(() => {
        state.isBusy = false;
      });
  }, [fit, cursor]);
  return cursor === undefined ? undefined : decoded;
}

const wider = ([low, high]: readonly [number, number]): readonly [number, number] => [
  low - 0.08 * (high - low),
  high + 0.08 * (high - low),
];
