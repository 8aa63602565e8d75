import type { Matrix } from 'latentfield/core';
import { doubtSentence, LEAST_TRUSTWORTHINESS } from 'latentfield/inference';
import { useMemo } from 'preact/hooks';
import { counted, type Dataset, rowName } from '../data/dataset.ts';
import type { Coloring, Theme } from '../drawing/colors.ts';
import type { Scores } from '../page.worker.ts';
import type { Fitted } from '../pageWorker.ts';
import { MODELS } from '../settings.ts';
import { Curve, Picture, Pictures, type Ranges, Values, valueText } from './figures.tsx';
import { Objective } from './fitBar.tsx';
import { Icon } from './icon.tsx';
import { type SamplingGiven, SamplingPart } from './sampling.tsx';

interface Common {
  readonly dataset: Dataset;
  readonly ranges: Ranges;
  readonly theme: Theme;
  readonly coloring: Coloring;
}

/** Maximum number of rows whose uncertainty areas are drawn: more would cover each other, and take seconds. */
export const MOST_REACHES = 2000;

/** Overview of the whole fit. */
export function Overview({
  fit,
  other,
  scores,
  isTrust,
  setTrust,
  onlyKind,
  draws,
  placed,
  isDetails,
  setDetails,
  ...common
}: Common & {
  /** Whether the details are unfolded. */
  readonly isDetails: boolean;
  readonly setDetails: (isDetails: boolean) => void;
  /** New rows that are projected onto the map. */
  readonly placed:
    | {
        readonly ids: readonly string[] | undefined;
        readonly unlikely: Uint8Array;
        readonly choose: (row: number) => void;
      }
    | undefined;
  readonly fit: Fitted;
  /** Method of the map, if it differs from the fit's. */
  readonly other: string | undefined;
  readonly draws: SamplingGiven | undefined;
  readonly scores: Scores | undefined;
  readonly isTrust: boolean;
  readonly setTrust: (isTrust: boolean) => void;
  readonly onlyKind: (kind: number) => void;
}) {
  const { dataset, coloring } = common;
  const about =
    other === undefined ? MODELS[fit.model]?.summary : `the rows of the fit by ${fit.model}, in another map`;
  const dimensions = other === undefined ? fit.latents.columns : 2;
  return (
    <>
      <h2>{other ?? fit.model}</h2>
      <p class="note overview">
        {about === undefined ? '' : `${about[0]!.toUpperCase()}${about.slice(1)}. `}
        {counted(dataset.observations.rows, 'row')} in {counted(dimensions, 'dimension')}.
        {fit.latentVariances !== undefined &&
          dataset.observations.rows > MOST_REACHES &&
          ` The areas around rows are drawn for up to ${MOST_REACHES.toLocaleString('en')} rows.`}
      </p>
      {placed !== undefined && (
        <section class="part" aria-label="New rows">
          <h3>New rows, the squares</h3>
          <ul class="rows">
            {Array.from(placed.unlikely.subarray(0, MOST_LISTED), (unlikely, i) => (
              <li key={i}>
                <button type="button" class={`link${unlikely === 1 ? ' doubt' : ''}`} onClick={() => placed.choose(i)}>
                  {placed.ids?.[i] ?? `new row ${i + 1}`}
                  {unlikely === 1 && ', unlike the fit'}
                </button>
              </li>
            ))}
            {placed.unlikely.length > MOST_LISTED && <li>and {placed.unlikely.length - MOST_LISTED} more</li>}
          </ul>
        </section>
      )}
      <section class="part" aria-label="How sure">
        <div class="head">
          <h3>How sure</h3>
          {scores?.byRow !== undefined && (
            <button type="button" class="link" aria-pressed={isTrust} onClick={() => setTrust(!isTrust)}>
              {isTrust ? 'Hide on the map' : 'Show on the map'}
            </button>
          )}
        </div>
        <Trust {...{ scores, dataset, fit: other === undefined ? fit : undefined }} />
      </section>
      {dataset.labels !== undefined && coloring.numbers === undefined && coloring.kinds.length <= 12 && (
        <Means {...common} onlyKind={onlyKind} />
      )}
      {other === undefined && (
        <details class="part details" open={isDetails} onToggle={({ currentTarget }) => setDetails(currentTarget.open)}>
          <summary>Details</summary>
          <div class="ended">
            <Objective trace={fit.trace} theme={common.theme} />
          </div>
          <p class="note">{fit.message}</p>
          {fit.relevance !== undefined && <Relevance relevance={fit.relevance} />}
          {draws !== undefined && <SamplingPart {...draws} />}
        </details>
      )}
    </>
  );
}

/** Number of rows whose positions are doubtful by the rule of `assess`; undefined if rows are not scored one by one. */
export const doubtfulOf = ({ byRow }: Scores): number | undefined =>
  byRow?.trustworthiness.reduce((count, value) => count + (value < LEAST_TRUSTWORTHINESS ? 1 : 0), 0);

function Trust({
  scores,
  dataset: { observations, labels },
  fit,
}: {
  readonly scores: Scores | undefined;
  readonly dataset: Dataset;
  /** Fit of the map; undefined for another map of its rows. */
  readonly fit: Fitted | undefined;
}) {
  if (scores === undefined) {
    return <p class="note">Counting neighbors …</p>;
  }
  const { trustworthiness, neighborError, scored } = scores;
  const doubtful = doubtfulOf(scores);
  return (
    <p>
      {['maxIterations', 'stopped'].includes(fit?.status ?? '') && (
        <>
          <span class="doubt">The fit is not finished, and positions may still change.</span>{' '}
        </>
      )}
      {fit?.isAtNoiseFloor && (
        <>
          <span class="doubt">Intervals are too narrow: the noise is at its lower limit.</span>{' '}
        </>
      )}
      {trustworthiness !== undefined && (
        <>
          Trustworthiness <b>{trustworthiness.toFixed(3)}</b> of 1.{' '}
        </>
      )}
      {doubtful !== undefined && <span class={doubtful > 0 ? 'doubt' : ''}>{doubtSentence(doubtful, scored)} </span>}
      {trustworthiness === undefined && observations.data.some(Number.isNaN) && (
        <>This model does not fill in missing cells, so neighbors are not counted. </>
      )}
      {neighborError !== undefined && new Set(labels).size > 1 && (
        <>
          The nearest point has a different label for <b>{(100 * neighborError).toFixed(1)} %</b>.{' '}
        </>
      )}
      {scored < observations.rows && (
        <>
          Scores of {scored.toLocaleString('en')} of {observations.rows.toLocaleString('en')} rows.
        </>
      )}
    </p>
  );
}

function Relevance({ relevance }: { readonly relevance: readonly number[] }) {
  const most = Math.max(...relevance);
  return (
    <section class="part" aria-label="Relevance of dimensions">
      <h3>Relevance of dimensions</h3>
      <table class="relevance">
        <tbody>
          {relevance.map((value, d) => (
            <tr key={d}>
              <th scope="row">{d + 1}</th>
              <td aria-hidden="true">
                <span style={`width: ${(100 * value) / most}%`} />
              </td>
              <td class="number">{(value / most).toFixed(3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function meansOf(Y: Matrix, kindOf: ArrayLike<number>, kinds: number): Float64Array[] {
  const sums = Array.from({ length: kinds }, () => new Float64Array(Y.columns));
  const counts = Array.from({ length: kinds }, () => new Float64Array(Y.columns));
  for (let i = 0; i < Y.rows; i++) {
    for (let j = 0; j < Y.columns; j++) {
      const value = Y.data[i * Y.columns + j]!;
      if (Number.isNaN(value)) continue;
      sums[kindOf[i]!]![j]! += value;
      counts[kindOf[i]!]![j]! += 1;
    }
  }
  return sums.map((sum, k) => sum.map((value, j) => value / counts[k]![j]!));
}

function Means({ dataset, ranges, theme, coloring, onlyKind }: Common & { readonly onlyKind: (kind: number) => void }) {
  const { view } = dataset;
  const means = useMemo(
    () => meansOf(dataset.observations, coloring.kindOf, coloring.kinds.length),
    [dataset, coloring],
  );
  const isTable = view.kind !== 'image' && view.kind !== 'curve';
  if (coloring.kinds.length < 2 || (isTable && coloring.kinds.length > MOST_COMPARED)) return null;
  return (
    <section class="part" aria-label="Means">
      <div class="head">
        <h3>Mean of each {coloring.title}</h3>
        <span class="note">choose to see only it</span>
      </div>
      {isTable ? (
        <MeansTable {...{ dataset, coloring, means, onlyKind }} />
      ) : (
        <div class={`means ${view.kind}`}>
          {coloring.kinds.map(({ name, color, count }, k) => (
            <button key={name} type="button" onClick={() => onlyKind(k)}>
              {view.kind === 'image' ? (
                <Picture
                  values={means[k]!}
                  view={view}
                  low={ranges.least}
                  high={ranges.most}
                  stops={theme.ink}
                  label={`Mean of ${name}`}
                />
              ) : (
                <Curve {...{ dataset, ranges }} label={`Mean of ${name}`} observed={means[k]!} />
              )}
              <b>
                <i style={`background: ${color}`} />
                {name} <em>{count}</em>
              </b>
            </button>
          ))}
        </div>
      )}
    </section>
  );
}

/** Maximum number of kinds, and of columns, in a table of means. */
const MOST_COMPARED = 4;
const MOST_ROWS = 40;

function MeansTable({
  dataset,
  coloring,
  means,
  onlyKind,
}: Pick<Common, 'dataset' | 'coloring'> & {
  readonly means: readonly Float64Array[];
  readonly onlyKind: (kind: number) => void;
}) {
  const { columns } = dataset;
  return (
    <>
      <table class="class-means">
        <thead>
          <tr>
            <th scope="col">column</th>
            {coloring.kinds.map(({ name, color }, k) => (
              <th key={name} scope="col">
                <button type="button" title={name} onClick={() => onlyKind(k)}>
                  <i style={`background: ${color}`} />
                  {name}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns.slice(0, MOST_ROWS).map((column, j) => (
            <tr key={column}>
              <th scope="row" title={column}>
                {column}
              </th>
              {means.map((mean, k) => (
                <td key={k}>{valueText(dataset, j, mean[j]!)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {columns.length > MOST_ROWS && <p class="note">and {columns.length - MOST_ROWS} more columns</p>}
    </>
  );
}

/** Means of selected rows and of all others, and standard deviations of the selected ones. */
function comparedWithRest(Y: Matrix, rows: readonly number[]) {
  const inside = new Uint8Array(Y.rows);
  for (const i of rows) inside[i] = 1;
  const [rest, these] = meansOf(Y, inside, 2) as [Float64Array, Float64Array];
  const deviations = these.map((mean, j) => {
    let [sum, count] = [0, 0];
    for (const i of rows) {
      const off = Y.at(i, j) - mean;
      if (Number.isNaN(off)) continue;
      sum += off * off;
      count++;
    }
    return Math.sqrt(sum / Math.max(1, count));
  });
  return { these, rest, deviations };
}

const CHOSEN_WORDS = { bar: 'mean of these', interval: '± 2 sd', circle: 'mean of the rest' };
const MOST_LISTED = 40;

/** Selected rows, compared with all others. */
export function ChosenPanel({
  rows,
  scores,
  least,
  fit,
  save,
  clear,
  choose,
  ...common
}: Common & {
  readonly rows: readonly number[];
  readonly scores: Scores | undefined;
  /** Trustworthiness below which the position of a row is doubtful. */
  readonly least: number;
  /** Fits the selected rows; undefined if they are too few. */
  readonly fit: (() => void) | undefined;
  readonly save: () => void;
  readonly clear: () => void;
  readonly choose: (row: number) => void;
}) {
  const { dataset, coloring } = common;
  const { observations, view } = dataset;
  const counts = new Map<number, number>();
  for (const i of rows) counts.set(coloring.kindOf[i]!, (counts.get(coloring.kindOf[i]!) ?? 0) + 1);
  const kinds = [...counts].sort(([, a], [, b]) => b - a);
  const isAll = rows.length === observations.rows;
  const byRow = scores?.byRow;
  const doubtful = rows.filter((i) => byRow !== undefined && byRow.trustworthiness[i]! < least).length;
  const keptHere = rows.reduce((sum, i) => sum + (byRow?.kept[i] ?? 0), 0);
  const { these, rest, deviations } = useMemo(() => comparedWithRest(observations, rows), [rows, dataset]);
  return (
    <>
      <div class="head">
        <div>
          <h2>
            {rows.length} row{rows.length === 1 ? '' : 's'} chosen
          </h2>
          <p class="note">{((100 * rows.length) / observations.rows).toFixed(1)} % of the table</p>
        </div>
        <button type="button" class="tool" aria-label="Clear selection" onClick={clear}>
          <Icon name="close" />
        </button>
      </div>
      {coloring.numbers === undefined && coloring.kinds.length > 1 && (
        <>
          <div class="shares" aria-hidden="true">
            {kinds.map(([kind, count]) => (
              <i key={kind} style={`background: ${coloring.kinds[kind]!.color}; flex: ${count}`} />
            ))}
          </div>
          <ul class="composition">
            {kinds.map(([kind, count]) => (
              <li key={kind}>
                <i style={`background: ${coloring.kinds[kind]!.color}`} />
                {coloring.kinds[kind]!.name} <b>{count}</b>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="buttons">
        {fit !== undefined && (
          <button type="button" class="solid" onClick={fit}>
            Fit these rows
          </button>
        )}
        <button type="button" class="lined" onClick={save}>
          Save these rows
        </button>
      </div>
      {!isAll && (
        <section class="part" aria-label="Compared with the rest">
          <h3>Compared with the rest</h3>
          {view.kind === 'image' ? (
            <Pictures
              {...common}
              view={view}
              label="Compared with the rest"
              observed={these}
              expected={rest}
              names={['mean of these', 'mean of the rest']}
            />
          ) : view.kind === 'curve' ? (
            <Curve
              {...common}
              label="Compared with the rest"
              observed={rest}
              expected={these}
              deviations={deviations}
            />
          ) : null}
          {byRow !== undefined && (
            <p class="note">
              <b class={doubtful > 0 ? 'doubt' : ''}>{doubtful} of these</b> are in doubt (trustworthiness below {least}
              ). On average they keep {(keptHere / rows.length).toFixed(1)} of their {scores!.neighbors} nearest rows.
            </p>
          )}
        </section>
      )}
      {!isAll && (
        <Values
          {...common}
          label="Values, compared with the rest"
          expected={these}
          observed={rest}
          deviations={deviations}
          words={CHOSEN_WORDS}
        />
      )}
      <section class="part" aria-label="Rows">
        <h3>Rows</h3>
        <ul class="rows">
          {rows.slice(0, MOST_LISTED).map((i) => (
            <li key={i}>
              <button type="button" class="link" onClick={() => choose(i)}>
                {rowName(dataset, i)}
              </button>
            </li>
          ))}
          {rows.length > MOST_LISTED && <li>and {rows.length - MOST_LISTED} more</li>}
        </ul>
      </section>
    </>
  );
}
