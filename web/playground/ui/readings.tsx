import type { Matrix } from 'latentfield/core';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { besideText, type Dataset, rowName } from '../data/dataset.ts';
import type { Coloring, Theme } from '../drawing/colors.ts';
import type { ComparedRows } from '../maps.ts';
import { nearestRows } from '../neighbors.ts';
import type { Fitted } from '../pageWorker.ts';
import { Curve, Figure, Picture, Pictures, type Ranges, type Reading, short, Values, type Words } from './figures.tsx';
import { Icon } from './icon.tsx';

interface Common {
  readonly dataset: Dataset;
  /** Rows in the units of the comparison, once they are known. */
  readonly compared: ComparedRows | undefined;
  readonly ranges: Ranges;
  readonly theme: Theme;
  readonly coloring: Coloring;
  /** Selects a row. */
  readonly choose: (row: number) => void;
}

/** Maximum number of table entries for searching nearest rows while the panel is rendered. */
const MOST_ENTRIES = 2e6;
const NEAR = 8;

/** Rows of the table nearest to a row of values; none for tables that are too large. */
export function useNear(
  dataset: Dataset | undefined,
  compared: ComparedRows | undefined,
  values: ArrayLike<number> | undefined,
  but: number,
): readonly number[] {
  return useMemo(
    () =>
      dataset === undefined ||
      compared === undefined ||
      values === undefined ||
      dataset.observations.data.length > MOST_ENTRIES
        ? []
        : nearestRows(dataset.observations, values, NEAR, but, compared.unit),
    [dataset, compared, values, but],
  );
}

/** Share of the spread of the columns above which little more is known than their means. */
const BEYOND = 0.9;

/** Words for the standard deviation of a new row relative to the spread of the columns. */
const CERTAINTIES = [
  [0.35, 'Well known'],
  [0.65, 'Known'],
  [BEYOND, 'Uncertain'],
  [Number.POSITIVE_INFINITY, 'Beyond the data'],
] as const;

/** Prediction at a position. */
export function PlaceReading({
  note,
  reading,
  share,
  isSame,
  along,
  close,
  ...common
}: Common & {
  readonly note: string;
  readonly reading: Reading;
  /** Standard deviation of a new row relative to the spread of the columns. */
  readonly share: number | undefined;
  /** True if it is the same at all positions. */
  readonly isSame: boolean;
  readonly along: Matrix | undefined;
  readonly close: () => void;
}) {
  const { dataset, compared } = common;
  const near = useNear(dataset, compared, reading.expected, -1);
  return (
    <>
      <div class="head">
        <div>
          <h2>Expected here</h2>
          <p class="note">{note}</p>
        </div>
        <Close close={close} />
      </div>
      <ShownAs {...common} label="Expected here" reading={reading} />
      <Values {...common} label="Values, Expected here" {...reading} />
      {share !== undefined && (
        <section class="part" aria-label="How sure">
          <h3>How sure</h3>
          {isSame ? (
            <p class="note">
              A new row varies by {Math.round(100 * share)} % of the spread of each column, here and everywhere: a
              linear model does not show where the rows end.
            </p>
          ) : (
            <Gauge share={share} />
          )}
        </section>
      )}
      {near.length > 0 && (
        <section class="part" aria-label="Like these rows">
          <h3>Like these rows</h3>
          <Near {...common} rows={near} />
        </section>
      )}
      {along !== undefined && <Along {...common} rows={along} title="Along the path" />}
    </>
  );
}

/** Row compared with the prediction at its position, and the reliability of the position. */
export function RowReading({
  row,
  reading,
  trust,
  near,
  isFar,
  expectedBy,
  step,
  close,
  ...common
}: Common & {
  readonly row: number;
  readonly reading: Reading;
  readonly trust: RowTrust | undefined;
  readonly near: readonly number[];
  readonly isFar: (row: number) => boolean;
  /** Source of the prediction at the row's position, if there is one. */
  readonly expectedBy: string | undefined;
  readonly step: (by: number) => void;
  readonly close: () => void;
}) {
  const { dataset, coloring } = common;
  const title = rowName(dataset, row);
  const off = distanceOff(reading);
  return (
    <>
      <div class="head">
        <div>
          <h2>
            {dataset.labels !== undefined && coloring.numbers === undefined && (
              <i class="dot" style={`background: ${coloring.kinds[coloring.kindOf[row]!]!.color}`} />
            )}
            {title[0]!.toUpperCase()}
            {title.slice(1)}
          </h2>
          <p class="note">
            {expectedBy === undefined
              ? 'The row.'
              : `The row, compared with the prediction of ${expectedBy} at its position.`}
          </p>
          {dataset.beside !== undefined && dataset.beside.length > 0 && (
            <p class="note">
              {dataset.beside.map((each) => `${each.column}: ${besideText(each, row) || 'missing'}`).join(' · ')}
            </p>
          )}
        </div>
        <span class="steps">
          <button type="button" class="tool" aria-label="Previous row (P)" onClick={() => step(-1)}>
            <Icon name="before" />
          </button>
          <button type="button" class="tool" aria-label="Next row (N)" onClick={() => step(1)}>
            <Icon name="next" />
          </button>
          <Close close={close} />
        </span>
      </div>
      <ShownAs {...common} label={title} reading={reading} />
      <Values {...common} label={`Values, ${title}`} {...reading} />
      {(trust !== undefined || off !== undefined) && (
        <section class="part" aria-label="How sure">
          <h3>How sure</h3>
          <p>
            {trust !== undefined && (
              <>
                <b class={trust.trustworthiness < trust.least ? 'doubt' : ''}>{verdictOf(trust)}</b> {trust.kept} of its{' '}
                {trust.neighbors} nearest rows in the table are among its {trust.neighbors} nearest here;
                trustworthiness {trust.trustworthiness.toFixed(2)} of 1.{' '}
              </>
            )}
            {off !== undefined &&
              (off > 1.5 ? (
                <>
                  <b class="doubt">Poorly explained</b>: its values are {inDeviations(off)} from the prediction.
                </>
              ) : (
                <>Its values are {inDeviations(off)} from the prediction.</>
              ))}
          </p>
        </section>
      )}
      {near.length > 0 && (
        <section class="part" aria-label="Like these rows">
          <div class="head">
            <h3>Like these rows</h3>
            <span class="note">hollow: not among the nearest on this map</span>
          </div>
          <Near {...common} rows={near} isFar={isFar} />
        </section>
      )}
    </>
  );
}

/** New row compared with the prediction at its projected position. */
export function NewRowReading({
  title,
  isUnlikely,
  by,
  reading,
  step,
  close,
  ...common
}: Common & {
  readonly title: string;
  /** Whether it is less similar to the fitted rows than these are to each other, and the measure. */
  readonly isUnlikely: boolean;
  readonly by: 'density' | 'distance';
  readonly reading: Reading;
  readonly step: (by: number) => void;
  readonly close: () => void;
}) {
  const near = useNear(common.dataset, common.compared, reading.observed, -1);
  const off = distanceOff(reading);
  return (
    <>
      <div class="head">
        <div>
          <h2>{title}</h2>
          <p class="note">A new row, compared with the prediction at its position.</p>
        </div>
        <span class="steps">
          <button type="button" class="tool" aria-label="Previous new row" onClick={() => step(-1)}>
            <Icon name="before" />
          </button>
          <button type="button" class="tool" aria-label="Next new row" onClick={() => step(1)}>
            <Icon name="next" />
          </button>
          <Close close={close} />
        </span>
      </div>
      <ShownAs {...common} label={title} reading={reading} />
      <Values {...common} label={`Values, ${title}`} {...reading} />
      <section class="part" aria-label="How sure">
        <h3>How sure</h3>
        <p>
          {isUnlikely ? (
            <>
              <b class="doubt">Not to be trusted where it is.</b>{' '}
              {by === 'density'
                ? 'It is less likely than each row of the fit that was placed in the same way.'
                : 'It is farther from the rows of the fit than these are from each other.'}
            </>
          ) : (
            'It is as likely as the rows of the fit.'
          )}{' '}
          {off !== undefined && <>Its values are {inDeviations(off)} from the prediction.</>}
        </p>
      </section>
      {near.length > 0 && (
        <section class="part" aria-label="Like these rows">
          <h3>Like these rows</h3>
          <Near {...common} rows={near} />
        </section>
      )}
    </>
  );
}

/** Reliability of a row's position. */
export interface RowTrust {
  /** Trustworthiness, 1 if all nearest rows on the map are also nearest in the table. */
  readonly trustworthiness: number;
  /** Number of its nearest rows in the table that are among its nearest on the map, and their total. */
  readonly kept: number;
  readonly neighbors: number;
  /** Trustworthiness below which a row is doubtful: the rule of `assess`. */
  readonly least: number;
}

/** Verdict on the position of a row: doubtful by the rule of `assess`, otherwise by whether most of its nearest rows are kept. */
function verdictOf({ trustworthiness, kept, neighbors, least }: RowTrust): string {
  if (trustworthiness < least) return 'Not to be trusted where it is.';
  return 2 * kept >= neighbors ? 'To be trusted where it is.' : 'Roughly: the region, not the neighbors.';
}

/** √(mean of ((y − E[y])/sd)²) over the observed columns. */
function distanceOff({ observed, expected, deviations }: Reading): number | undefined {
  if (observed === undefined || expected === undefined || deviations === undefined) return undefined;
  let [sum, count] = [0, 0];
  for (let j = 0; j < observed.length; j++) {
    const off = (observed[j]! - expected[j]!) / deviations[j]!;
    if (!Number.isFinite(off)) continue;
    sum += off * off;
    count++;
  }
  return count === 0 ? undefined : Math.sqrt(sum / count);
}

const inDeviations = (off: number) => `${short(off)} standard deviation${short(off) === '1' ? '' : 's'}`;

const Close = ({ close }: { readonly close: () => void }) => (
  <button type="button" class="tool" aria-label="Close" onClick={close}>
    <Icon name="close" />
  </button>
);

/** Reading as pictures, or on request as a curve over the columns. */
function ShownAs({ reading, label, ...common }: Common & { readonly reading: Reading; readonly label: string }) {
  const { view } = common.dataset;
  const [isCurve, setCurve] = useState(false);
  if (view.kind !== 'image') return <Figure {...common} label={label} {...reading} />;
  return (
    <>
      <fieldset class="segments" aria-label="Shown as">
        {[false, true].map((value) => (
          <button key={String(value)} type="button" aria-pressed={isCurve === value} onClick={() => setCurve(value)}>
            {value ? 'Curve' : 'Picture'}
          </button>
        ))}
      </fieldset>
      {isCurve ? (
        <Curve {...common} label={label} {...reading} />
      ) : (
        <Pictures {...common} view={view} label={label} {...reading} />
      )}
    </>
  );
}

/** Word for the standard deviation of a new row relative to the spread of the columns. */
export const certaintyOf = (share: number): string => CERTAINTIES.find(([below]) => share < below)![1];

function Gauge({ share }: { readonly share: number }) {
  const word = certaintyOf(share);
  return (
    <div class="gauge">
      <div
        role="img"
        aria-label={`${word}: a new row varies by ${Math.round(100 * share)} % of the spread of each column`}
      >
        <i style={`left: ${Math.min(99, Math.max(1, 100 * share))}%`} />
      </div>
      <p>
        <span>known</span>
        <b>{word}</b>
        <span>beyond the data</span>
      </p>
      {share >= BEYOND && (
        <p class="note">
          <b class="doubt">No row lies near.</b> The prediction is close to the average of all rows, not a finding.
        </p>
      )}
    </div>
  );
}

/** Rows as small pictures or curves, otherwise by name. */
function Near({
  dataset,
  ranges,
  theme,
  coloring,
  choose,
  rows,
  isFar = () => false,
}: Common & { readonly rows: readonly number[]; readonly isFar?: (row: number) => boolean }) {
  const { view, observations } = dataset;
  return (
    <ul class={`near ${view.kind}`}>
      {rows.map((i) => {
        const color = coloring.kinds[coloring.kindOf[i]!]!.color;
        const name = rowName(dataset, i);
        return (
          <li key={i}>
            <button
              type="button"
              aria-label={`${name}${isFar(i) ? ', not among the nearest on this map' : ''}`}
              title={name}
              onClick={() => choose(i)}
            >
              {view.kind === 'image' ? (
                <Picture
                  values={observations.row(i)}
                  view={view}
                  low={ranges.least}
                  high={ranges.most}
                  stops={theme.ink}
                  label={name}
                />
              ) : (
                <span>{name}</span>
              )}
              <i style={isFar(i) ? `box-shadow: inset 0 0 0 1px ${color}` : `background: ${color}`} />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Predictions at positions along a path, from its start to its end. */
export function Along({
  dataset,
  ranges,
  theme,
  rows,
  title,
}: Omit<Common, 'choose' | 'coloring'> & { readonly rows: Matrix; readonly title: string }) {
  const { view } = dataset;
  if (view.kind === 'values') return null;
  return (
    <section class="part" aria-label={title}>
      <div class="head">
        <h3>{title}</h3>
        <span class="note">start to end</span>
      </div>
      <ol class={`film ${view.kind}`}>
        {Array.from({ length: rows.rows }, (_, k) => (
          <li key={k}>
            {view.kind === 'image' ? (
              <Picture
                values={rows.row(k)}
                view={view}
                low={ranges.least}
                high={ranges.most}
                stops={theme.ink}
                label={`${title}, ${k + 1} of ${rows.rows}`}
              />
            ) : (
              <Figure
                {...{ dataset, ranges, theme }}
                label={`${title}, ${k + 1} of ${rows.rows}`}
                expected={rows.row(k)}
              />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Requested shortest path between two positions. */
export interface Walk {
  readonly of: Fitted;
  /** Path; undefined while it is computed, or if it could not be computed. */
  readonly found: { readonly latents: Matrix; readonly length: number; readonly converged: boolean } | undefined;
  readonly problem: string;
}

const PATH_WORDS: Words = { bar: 'at its end', interval: '95 % at its end', circle: 'at its start' };

/** Shortest path between two positions, with the predictions along it. */
export function PathReading({
  walk: { found, problem },
  along,
  isStandardized,
  close,
  ...common
}: Common & {
  readonly walk: Walk;
  readonly along: Frames | undefined;
  readonly isStandardized: boolean;
  readonly close: () => void;
}) {
  const last = along && along.mean.rows - 1;
  return (
    <>
      <div class="head">
        <div>
          <h2>Shortest path</h2>
          <p class="note">
            {problem !== ''
              ? 'No path.'
              : found === undefined
                ? 'The search is running.'
                : `Length ${short(found.length)}, in ${isStandardized ? 'standard deviations' : 'the units'} of the columns.`}
          </p>
        </div>
        <Close close={close} />
      </div>
      {problem !== '' && <p class="error">{problem}</p>}
      <p class="note">
        In the space of the observations, no path between the two points is shorter: it bends around areas without data.
      </p>
      {found?.converged === false && <p class="warn">The search ended at its limit: there may be a shorter path.</p>}
      {along !== undefined && <Along {...common} rows={along.mean} title="Along the path" />}
      {along !== undefined && (
        <Values
          {...common}
          label="Values, from start to end"
          expected={along.mean.row(last!)}
          deviations={Array.from(along.variance.row(last!), Math.sqrt)}
          observed={along.mean.row(0)}
          words={PATH_WORDS}
        />
      )}
    </>
  );
}

/** Predictions at positions along a path. */
export interface Frames {
  readonly mean: Matrix;
  readonly variance: Matrix;
}

const FRAMES = 9;
const REST = 120;

/** Predictions at equally spaced positions along a path, once that path is at rest. */
export function useAlong(fit: Fitted | undefined, path: readonly (readonly number[])[]): Frames | undefined {
  const [found, setFound] = useState<{ readonly frames: Frames; readonly of: typeof path }>();
  useEffect(() => {
    if (fit === undefined || path.length < 4) return;
    let isWanted = true;
    const later = setTimeout(() => {
      fit.predict(spaced(path, FRAMES)).then(
        (frames) => isWanted && setFound({ frames, of: path }),
        () => {},
      );
    }, REST);
    return () => {
      isWanted = false;
      clearTimeout(later);
    };
  }, [fit, path]);
  return found?.of === path ? found.frames : undefined;
}

/** Equally spaced positions along a path, both ends included. */
export function spaced(path: readonly (readonly number[])[], count: number): number[][] {
  const lengths = [0];
  for (let k = 1; k < path.length; k++) {
    const square = path[k]!.reduce((sum, value, d) => sum + (value - path[k - 1]![d]!) ** 2, 0);
    lengths.push(lengths[k - 1]! + Math.sqrt(square));
  }
  const whole = lengths.at(-1)!;
  return Array.from({ length: count }, (_, k) => {
    const at = (k * whole) / (count - 1);
    const to = Math.max(
      1,
      lengths.findIndex((length, each) => each > 0 && length >= at),
    );
    const [before, after] = [lengths[to - 1]!, lengths[to]!];
    const part = after > before ? (at - before) / (after - before) : 0;
    return path[to]!.map((value, d) => path[to - 1]![d]! + part * (value - path[to - 1]![d]!));
  });
}
