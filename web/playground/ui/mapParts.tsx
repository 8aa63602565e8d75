import { type CanvasMap, type MapTool, mixed } from 'latentfield/plot';
import { useMemo } from 'preact/hooks';
import { type Background, isFlat } from '../background.ts';
import { type Dataset, dateText } from '../data/dataset.ts';
import { MOST_COLORED } from '../data/ownTable.ts';
import type { Coloring, Theme } from '../drawing/colors.ts';
import type { Behind } from '../terrain.ts';
import { short, valueText } from './figures.tsx';
import { Icon } from './icon.tsx';

interface ToolsGiven {
  readonly tool: Tool;
  readonly setTool: (tool: Tool) => void;
  readonly hasPaths: boolean;
  readonly isTrust: boolean;
  readonly setTrust: (isTrust: boolean) => void;
  readonly canTrust: boolean;
  readonly map: { readonly current: CanvasMap | undefined };
  readonly onKeys: () => void;
}

/** Action of dragging or clicking: a path is drawn between two clicked positions. */
export type Tool = MapTool | 'path';

const TOOLS: Readonly<Record<Tool, string>> = {
  ask: 'Decode: drag over the map',
  path: 'Shortest path: click two points (G)',
  lasso: 'Lasso: choose rows (L)',
  move: 'Move the map (Space and drag)',
};

export function Tools({ tool, setTool, hasPaths, isTrust, setTrust, canTrust, map, onKeys }: ToolsGiven) {
  return (
    <div class="rail card" role="toolbar" aria-label="Tools" aria-orientation="vertical">
      {(Object.keys(TOOLS) as Tool[]).map((name) => (
        <button
          key={name}
          type="button"
          class={`tool${name === 'move' ? ' wide-only' : ''}`}
          aria-label={TOOLS[name]}
          title={TOOLS[name]}
          aria-pressed={tool === name}
          disabled={name === 'path' && !hasPaths}
          onClick={() => setTool(name)}
        >
          <Icon name={name} />
        </button>
      ))}
      <hr />
      <button
        type="button"
        class="tool wide-only"
        aria-label="Zoom in (+)"
        title="Zoom in (+)"
        onClick={() => map.current!.zoom(1.4)}
      >
        <Icon name="plus" />
      </button>
      <button
        type="button"
        class="tool wide-only"
        aria-label="Zoom out (−)"
        title="Zoom out (−)"
        onClick={() => map.current!.zoom(1 / 1.4)}
      >
        <Icon name="minus" />
      </button>
      <button
        type="button"
        class="tool"
        aria-label="Show all (0)"
        title="Show all (0)"
        onClick={() => map.current!.all()}
      >
        <Icon name="all" />
      </button>
      <hr />
      <button
        type="button"
        class="tool"
        aria-label="Rows in doubt (T)"
        title="Rows in doubt (T)"
        aria-pressed={isTrust}
        disabled={!canTrust}
        onClick={() => setTrust(!isTrust)}
      >
        <Icon name="trust" />
      </button>
      <button type="button" class="tool wide-only" aria-label="Keys (?)" title="Keys (?)" onClick={onKeys}>
        <Icon name="keys" />
      </button>
    </div>
  );
}

interface LegendGiven {
  readonly coloring: Coloring;
  readonly dataset: Dataset;
  readonly color: string;
  readonly setColor: (color: string) => void;
  readonly byRow: string;
  readonly behind: Behind;
  readonly setBehind: (behind: Behind) => void;
  readonly predicts: boolean;
  readonly hiddenKinds: ReadonlySet<number>;
  readonly setHiddenKinds: (hidden: ReadonlySet<number>) => void;
  readonly dimensionsOf: number;
  readonly dimensions: readonly [number, number];
  readonly setDimensions: (dimensions: readonly [number, number]) => void;
}

/** Meaning of colors, and other choices for the map. */
export function Legend(given: LegendGiven) {
  const { coloring, dataset, color, setColor, byRow, behind, setBehind, predicts, hiddenKinds, setHiddenKinds } = given;
  const { kinds, numbers, title } = coloring;
  const columns = dataset.columns.slice(0, 300);
  const beside = (dataset.beside ?? []).filter(
    ({ values }) => values instanceof Float64Array || new Set(values).size <= MOST_COLORED,
  );
  const written = numbers?.areDates ? dateText : short;
  return (
    <div class="legend">
      <select
        name="color"
        aria-label="Color"
        value={color}
        onChange={({ currentTarget }) => setColor(currentTarget.value)}
      >
        <option value="">Color: {dataset.labels === undefined ? 'none' : dataset.labelColumn}</option>
        <option value={byRow}>Color: {byRow}</option>
        {[...new Set([...beside.map(({ column }) => column), ...columns])].map((column) => (
          <option key={column} value={column}>
            Color: {column}
          </option>
        ))}
      </select>
      {predicts && (
        <select
          name="background"
          aria-label="Background"
          value={behind}
          onChange={({ currentTarget }) => setBehind(currentTarget.value as Behind)}
        >
          <option value="certainty">Background: certainty</option>
          <option value="magnification">Background: magnification</option>
          <option value="none">Background: none</option>
          {columns.map((column) => (
            <option key={column} value={`column ${column}`}>
              Background: expected {column}
            </option>
          ))}
        </select>
      )}
      {given.dimensionsOf > 2 && <Dimensions {...given} />}
      {numbers !== undefined ? (
        <span class="chip" role="img" aria-label={`${title} from ${written(numbers.low)} to ${written(numbers.high)}`}>
          {written(numbers.low)}
          <i
            class="ramp"
            style={`background: linear-gradient(90deg, ${kinds
              .slice(0, -1)
              .map(({ color: stop }) => stop)
              .join(', ')})`}
          />
          {written(numbers.high)}
        </span>
      ) : (
        kinds.length > 1 && (
          <ul class="chips" aria-label={title}>
            {kinds.map(({ name, color: fill, path, count }, k) => (
              <li key={name}>
                <button
                  type="button"
                  class="chip"
                  aria-pressed={!hiddenKinds.has(k)}
                  title="Hide or show; with Shift only this one"
                  onClick={(event) => {
                    if (event.shiftKey) {
                      const others = kinds.map((_, each) => each).filter((each) => each !== k);
                      const isOnly = others.every((each) => hiddenKinds.has(each));
                      setHiddenKinds(new Set(isOnly ? [] : others));
                      return;
                    }
                    const next = new Set(hiddenKinds);
                    if (!next.delete(k)) next.add(k);
                    setHiddenKinds(next);
                  }}
                >
                  <svg viewBox="-1.7 -1.7 3.4 3.4" aria-hidden="true">
                    <path d={path} fill={fill} />
                  </svg>
                  <b>{name}</b> <em>{count}</em>
                </button>
              </li>
            ))}
          </ul>
        )
      )}
    </div>
  );
}

function Dimensions({ dimensionsOf, dimensions, setDimensions }: LegendGiven) {
  return (
    <>
      {(['across', 'up'] as const).map((name, which) => (
        <select
          key={name}
          name={name}
          aria-label={`Dimension ${name}`}
          value={dimensions[which]}
          onChange={({ currentTarget }) => {
            const next = [...dimensions] as [number, number];
            next[which] = Number(currentTarget.value);
            setDimensions(next);
          }}
        >
          {Array.from({ length: dimensionsOf }, (_, d) => (
            <option key={d} value={d}>
              {name} {d + 1}
            </option>
          ))}
        </select>
      ))}
    </>
  );
}

/** Fractions of the range of uncertainty at which the map draws contours. */
const CONTOURS = [0.12, 0.28, 0.48, 0.7, 0.9];

/** Scale of the background behind the points. */
export function BehindScale({
  background,
  behind,
  theme,
  dataset,
  isHeld,
}: {
  readonly background: Background;
  readonly dataset: Dataset;
  readonly behind: Behind;
  readonly theme: Theme;
  /** True if it belongs to a Gaussian process that was fitted to the positions of another map. */
  readonly isHeld: boolean;
}) {
  const numbers =
    behind === 'certainty'
      ? background.deviation
      : behind === 'magnification'
        ? background.magnification
        : background.value;
  const range = useMemo(() => {
    const list = numbers ?? background.deviation;
    return [list.reduce((a, b) => Math.min(a, b)), list.reduce((a, b) => Math.max(a, b))] as const;
  }, [numbers]);
  const isSame = behind === 'certainty' && isFlat(background);
  const column = dataset.columns.indexOf(behind.replace(/^column /, ''));
  const written = (value: number) =>
    behind === 'certainty'
      ? `${Math.round(100 * value)} %`
      : behind === 'magnification'
        ? short(value)
        : valueText(dataset, column, value);
  const [title, unit] =
    behind === 'certainty'
      ? ['Uncertainty', 'relative to the spread of each column']
      : behind === 'magnification'
        ? ['Magnification', 'log, of the expected row']
        : [behind.slice(7), 'expected, faded where unknown'];
  const { certain, mid, vague } = theme.map;
  const stops = behind === 'certainty' ? [certain, mid, vague] : theme.numbers;
  const colors = Array.from({ length: 12 }, (_, k) => mixed(stops, k / 11));
  return (
    <section
      class="scale card"
      aria-label={`${title}, ${unit}: ${isSame ? `${written(range[0])} everywhere` : `${written(range[0])} to ${written(range[1])}`}`}
    >
      <p class="title">
        {title} <em>{unit}</em>
      </p>
      {isSame ? (
        <ByColumn shares={background.columns} columns={dataset.columns} />
      ) : (
        <>
          <span class="ramp" style={`background: linear-gradient(90deg, ${colors.join(', ')})`}>
            {behind === 'certainty' &&
              CONTOURS.map((level) => (
                <i key={level} style={`left: ${100 * level}%; background: ${theme.map.contour}`} />
              ))}
          </span>
          <p class="ticks">
            <span>{written(range[0])}</span>
            <span>{written((range[0] + range[1]) / 2)}</span>
            <span>{written(range[1])}</span>
          </p>
        </>
      )}
      {!isSame && (
        <p class="beyond">
          <i /> beyond the data
        </p>
      )}
      {isHeld && <p class="note">by a Gaussian process fixed at these positions</p>}
    </section>
  );
}

/** Number of columns whose uncertainty is listed: the least and the most uncertain ones. */
const LISTED = 6;

/** Uncertainty of each column, if it is the same at all positions. */
function ByColumn({ shares, columns }: { readonly shares: Float64Array; readonly columns: readonly string[] }) {
  const sorted = columns.map((_, d) => d).sort((a, b) => shares[a]! - shares[b]!);
  const isCut = sorted.length > LISTED;
  const listed = isCut ? [...sorted.slice(0, LISTED / 2), ...sorted.slice(-LISTED / 2)] : sorted;
  const [least, most] = [shares[sorted[0]!]!, shares[sorted.at(-1)!]!];
  const isOne = most - least <= 1e-9 * most;
  return (
    <>
      <p class="note">
        {isOne && <b>{Math.round(100 * most)} % of every column. </b>}
        The same everywhere, because the model is linear: it does not show where the rows end.
      </p>
      {!isOne && <Shares {...{ shares, columns, listed, isCut }} />}
    </>
  );
}

function Shares({
  shares,
  columns,
  listed,
  isCut,
}: {
  readonly shares: Float64Array;
  readonly columns: readonly string[];
  readonly listed: readonly number[];
  readonly isCut: boolean;
}) {
  return (
    <table class="relevance" aria-label="Uncertainty of each column">
      <tbody>
        {listed.map((d, k) => (
          <tr key={columns[d]} class={isCut && k === LISTED / 2 ? 'after' : ''}>
            <th scope="row" title={columns[d]}>
              {columns[d]}
            </th>
            <td aria-hidden="true">
              <span style={`width: ${Math.min(100, 100 * shares[d]!)}%`} />
            </td>
            <td class="number">{Math.round(100 * shares[d]!)} %</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
