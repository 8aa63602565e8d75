import type { Matrix } from 'latentfield/core';
import { useMemo } from 'preact/hooks';
import { type Dataset, deviationsOf, rowName } from '../data/dataset.ts';
import type { Colouring, Theme } from '../drawing/colours.ts';
import type { Scores } from '../page.worker.ts';
import type { Fitted } from '../pageWorker.ts';
import { MODELS } from '../settings.ts';
import { Curve, Figure, Picture, type Ranges, type Reading, Values } from './figures.tsx';

interface Common {
  readonly dataset: Dataset;
  readonly ranges: Ranges;
  readonly theme: Theme;
}

/** What is expected at a place, or a row against what is expected where it lies. */
export function ReadingPanel({
  title,
  note,
  reading,
  close,
  ...common
}: Common & {
  readonly title: string;
  readonly note: string;
  readonly reading: Reading;
  readonly close: () => void;
}) {
  return (
    <>
      <div class="head">
        <h2>{title}</h2>
        <button type="button" class="link" onClick={close}>
          Close
        </button>
      </div>
      <p class="note">{note}</p>
      <Figure {...common} label={title} {...reading} />
      <Values {...common} label={`Values, ${title}`} {...reading} />
    </>
  );
}

/** The fit as a whole. */
export function Overview({
  fit,
  scores,
  colouring,
  isTrust,
  setTrust,
  onlyKind,
  ...common
}: Common & {
  readonly fit: Fitted;
  readonly scores: Scores | undefined;
  readonly colouring: Colouring;
  readonly isTrust: boolean;
  readonly setTrust: (isTrust: boolean) => void;
  readonly onlyKind: (kind: number) => void;
}) {
  const { dataset } = common;
  const about = MODELS[fit.model]?.about;
  return (
    <>
      <h2>{fit.model}</h2>
      <p class="note">
        {about === undefined ? '' : `${about[0]!.toUpperCase()}${about.slice(1)}. `}
        {dataset.observations.rows} rows in {fit.latents.columns} dimension{fit.latents.columns === 1 ? '' : 's'}.
      </p>
      {dataset.labels !== undefined && colouring.numbers === undefined && colouring.kinds.length <= 12 && (
        <Means {...common} colouring={colouring} onlyKind={onlyKind} />
      )}
      <section class="part" aria-label="How far to trust this map">
        <div class="head">
          <h3>How far to trust this map</h3>
          {scores?.kept !== undefined && (
            <button type="button" class="link" aria-pressed={isTrust} onClick={() => setTrust(!isTrust)}>
              {isTrust ? 'Hide on the map' : 'Show on the map'}
            </button>
          )}
        </div>
        <Trust scores={scores} rows={dataset.observations.rows} />
      </section>
      {fit.relevance !== undefined && <Relevance relevance={fit.relevance} />}
    </>
  );
}

/** Neighbours of ten below which the place of a row is in doubt. */
export const FEW_KEPT = 0.3;

function Trust({ scores, rows }: { readonly scores: Scores | undefined; readonly rows: number }) {
  if (scores === undefined) {
    return <p class="note">{rows > 3000 ? 'Compare with another map to see scores.' : 'Counting neighbours …'}</p>;
  }
  const { trustworthiness, kept, neighbours, neighbourError } = scores;
  const few = kept?.reduce((count, value) => count + (value < FEW_KEPT * neighbours ? 1 : 0), 0);
  return (
    <p>
      {trustworthiness !== undefined && (
        <>
          Trustworthiness <b>{trustworthiness.toFixed(3)}</b> of 1.{' '}
        </>
      )}
      {few !== undefined && (
        <>
          <b class={few > 0 ? 'doubt' : ''}>
            {few} row{few === 1 ? '' : 's'}
          </b>{' '}
          {few === 1 ? 'keeps' : 'keep'} fewer than {Math.ceil(FEW_KEPT * neighbours)} of the {neighbours} nearest rows.{' '}
        </>
      )}
      {neighbourError !== undefined && (
        <>
          The nearest point has another label for <b>{(100 * neighbourError).toFixed(1)} %</b>.
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

function Means({
  dataset,
  ranges,
  theme,
  colouring,
  onlyKind,
}: Common & { readonly colouring: Colouring; readonly onlyKind: (kind: number) => void }) {
  const { view } = dataset;
  const means = useMemo(
    () => meansOf(dataset.observations, colouring.kindOf, colouring.kinds.length),
    [dataset, colouring],
  );
  if (view.kind !== 'image' && view.kind !== 'curve') return null;
  return (
    <section class="part" aria-label="Means">
      <div class="head">
        <h3>Mean of each {colouring.title}</h3>
        <span class="note">choose to see only it</span>
      </div>
      <div class={`means ${view.kind}`}>
        {colouring.kinds.map(({ name, colour, count }, k) => (
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
              <i style={`background: ${colour}`} />
              {name} <em>{count}</em>
            </b>
          </button>
        ))}
      </div>
    </section>
  );
}

/** Rows that were chosen together, beside all others. */
export function ChosenPanel({
  rows,
  dataset,
  colouring,
  fit,
  save,
  clear,
  choose,
}: {
  readonly rows: readonly number[];
  readonly dataset: Dataset;
  readonly colouring: Colouring;
  /** undefined where they are too few. */
  readonly fit: (() => void) | undefined;
  readonly save: () => void;
  readonly clear: () => void;
  readonly choose: (row: number) => void;
}) {
  const { observations, columns } = dataset;
  const counts = new Map<number, number>();
  for (const i of rows) counts.set(colouring.kindOf[i]!, (counts.get(colouring.kindOf[i]!) ?? 0) + 1);
  const differences = useMemo(() => {
    const inside = new Uint8Array(observations.rows);
    for (const i of rows) inside[i] = 1;
    const [others = new Float64Array(), chosen = new Float64Array()] = meansOf(observations, inside, 2);
    const spread = deviationsOf(observations);
    return columns
      .map((column, j) => ({ column, by: (chosen[j]! - others[j]!) / (spread[j]! || 1) }))
      .filter(({ by }) => Number.isFinite(by))
      .sort((a, b) => Math.abs(b.by) - Math.abs(a.by))
      .slice(0, 10);
  }, [rows, dataset]);
  return (
    <>
      <div class="head">
        <h2>
          {rows.length} row{rows.length === 1 ? '' : 's'} chosen
        </h2>
        <button type="button" class="link" onClick={clear}>
          Let go
        </button>
      </div>
      {colouring.numbers === undefined && colouring.kinds.length > 1 && (
        <ul class="composition">
          {[...counts].map(([kind, count]) => (
            <li key={kind}>
              <i style={`background: ${colouring.kinds[kind]!.colour}`} />
              {colouring.kinds[kind]!.name} <em>{count}</em>
            </li>
          ))}
        </ul>
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
      {differences.length > 0 && rows.length < observations.rows && (
        <section class="part" aria-label="How they differ">
          <h3>How they differ from the rest</h3>
          <table class="relevance signed">
            <tbody>
              {differences.map(({ column, by }) => (
                <tr key={column}>
                  <th scope="row">{column}</th>
                  <td aria-hidden="true">
                    <span
                      style={`width: ${Math.min(50, 16 * Math.abs(by))}%; margin-left: ${by < 0 ? 50 - Math.min(50, 16 * -by) : 50}%`}
                    />
                  </td>
                  <td class="number">
                    {by > 0 ? '+' : '−'}
                    {Math.abs(by).toFixed(2)} sd
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <section class="part" aria-label="Rows">
        <h3>Rows</h3>
        <ul class="rows">
          {rows.slice(0, 40).map((i) => (
            <li key={i}>
              <button type="button" class="link" onClick={() => choose(i)}>
                {rowName(dataset, i)}
              </button>
            </li>
          ))}
          {rows.length > 40 && <li>and {rows.length - 40} more</li>}
        </ul>
      </section>
    </>
  );
}
