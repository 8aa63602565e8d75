import { useEffect, useRef, useState } from 'preact/hooks';
import { counted } from '../data/dataset.ts';
import type { ColumnUse, Head, OwnTable } from '../data/ownTable.ts';
import { SETS } from '../data/sets.ts';
import { MODELS, type Settings } from '../settings.ts';
import { SlowAdvice, TableAdvice } from './advice.tsx';
import { short } from './figures.tsx';
import { type OnFile, taken } from './fileDrop.tsx';

/** A file that is being read: what is in it is known after its first lines. */
export interface ReadingFile {
  readonly name: string;
  readonly bytes: number;
  readonly head: Head | undefined;
}

export function Reading({ name, bytes, head, cancel }: ReadingFile & { readonly cancel: () => void }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((now) => now + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const size = bytes < 1e5 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  return (
    <div class="reading" role="status">
      <h2>Reading {name}</h2>
      <p class="note">
        {size}
        {head !== undefined && `, about ${head.rows.toLocaleString('en')} rows`}
        {(head?.read ?? 0) > 0 && `, ${head!.read.toLocaleString('en')} read`}, {seconds} s
      </p>
      <Progress
        label={`Reading ${name}`}
        part={head === undefined || head.read === 0 ? undefined : head.read / head.rows}
      />
      {head !== undefined && <Uses uses={head.uses} title={`By its first ${head.lines} rows`} />}
      <div class="buttons">
        <button type="button" class="lined" onClick={cancel}>
          Cancel
        </button>
      </div>
    </div>
  );
}

/** How far something is; undefined where that is not known. */
function Progress({ label, part }: { readonly label: string; readonly part: number | undefined }) {
  if (part === undefined) return <span class="progress" role="progressbar" aria-label={label} />;
  const percent = Math.round(100 * part);
  return (
    <span
      class="progress known"
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      style={{ '--part': `${percent}%` }}
    />
  );
}

/** What is done with each column. */
export function Uses({ uses, title }: { readonly uses: readonly ColumnUse[]; readonly title: string }) {
  return (
    <table class="uses">
      <caption>{title}</caption>
      <thead>
        <tr>
          {['column', 'kind', 'least', 'most', 'use'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {uses.map(({ columns, kind, least, most, use }) => (
          <tr key={columns}>
            <th scope="row">{columns}</th>
            <td>{kind}</td>
            <td class="number">{least === undefined ? '' : short(least)}</td>
            <td class="number">{most === undefined ? '' : short(most)}</td>
            <td>{use}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface WelcomeGiven {
  readonly reading: ReadingFile | undefined;
  readonly cancel: () => void;
  readonly error: string;
  /** What a link expects of the visitor. */
  readonly awaited: string;
  /** What can be done with a table that could not be read. */
  readonly repairWays: readonly WayOn[];
  /** A table that was read and is not fitted yet. */
  readonly table: OwnTable | undefined;
  readonly settings: Settings;
  readonly change: (changed: Partial<Settings>) => void;
  readonly onFile: OnFile;
  readonly onExample: (set: string) => void;
  readonly onFit: () => void;
  readonly onControls: () => void;
  /** Back to the map, where there is one. */
  readonly onBack: (() => void) | undefined;
  readonly isDrawerOpen: boolean;
}

/** Where there is no map: a table is dropped here, read, and looked at before it is fitted. */
export function Welcome(given: WelcomeGiven) {
  const {
    reading,
    cancel,
    error,
    repairWays,
    awaited,
    table,
    settings,
    change,
    onFit,
    onControls,
    onBack,
    isDrawerOpen,
  } = given;
  return (
    <>
      <main class={`stage blank${isDrawerOpen ? ' aside' : ''}`}>
        <Contours />
        <div class="welcome card">
          {reading !== undefined ? (
            <Reading {...reading} cancel={cancel} />
          ) : error !== '' ? (
            <>
              <h2>The table could not be used</h2>
              <p role="alert" class="error">
                {error}
              </p>
              <Ways ways={repairWays} />
              <Begin {...given} first="Another file" />
            </>
          ) : table !== undefined && awaited === '' ? (
            <>
              <h2>{table.name}</h2>
              <p class="note">
                {counted(table.dataset.observations.rows, 'row')} ×{' '}
                {counted(table.dataset.observations.columns, 'column')}
              </p>
              <Uses uses={table.uses} title="What is done with each column" />
              <TableAdvice {...{ table, settings, change }} />
              <p class="note">
                Model: {settings.model}, {MODELS[settings.model]!.summary}
                {typeof settings.options.batchSize === 'number' &&
                  `, in batches of ${counted(settings.options.batchSize, 'row')}`}
                .
              </p>
              <SlowAdvice rows={table.dataset.observations.rows} {...{ settings, change }} />
              <div class="buttons">
                <button type="button" class="solid" onClick={onFit}>
                  Fit now
                </button>
                <button type="button" class="lined" onClick={onControls}>
                  Data and model
                </button>
              </div>
            </>
          ) : (
            <>
              <h2>Drop a table here</h2>
              {awaited !== '' && <p role="status">{awaited}</p>}
              <p>
                Or paste cells. A map of its rows is fitted in this page. Nothing leaves it. Files: .csv, .tsv, .txt,
                .npy, .npz, or a saved fit.json.
              </p>
              <Begin {...given} first="Choose a file" />
            </>
          )}
          {onBack !== undefined && reading === undefined && (
            <button type="button" class="link" onClick={onBack}>
              Back to the map
            </button>
          )}
        </div>
      </main>
      <aside class="panel" aria-label="Reading">
        <div class="read">
          <h2>
            {reading !== undefined
              ? 'Reading'
              : table === undefined || error !== ''
                ? 'No table yet'
                : 'Not fitted yet'}
          </h2>
          <p class="note">What is under the pointer is told here.</p>
          <ul class="part plain note">
            <li>A row, with what the model expects in its place.</li>
            <li>A place between rows, with intervals.</li>
            <li>Rows chosen with a lasso, against the rest.</li>
          </ul>
        </div>
      </aside>
    </>
  );
}

/** A file, a fit or an example to begin with. */
function Begin({ first, repairWays, onFile, onExample }: WelcomeGiven & { readonly first: string }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <div class="buttons">
        <button type="button" class={repairWays.length > 0 ? 'lined' : 'solid'} onClick={() => input.current!.click()}>
          {first}
        </button>
        <input
          ref={input}
          hidden
          type="file"
          name="any"
          aria-label="A table or a saved fit"
          onChange={({ currentTarget }) => taken(currentTarget.files?.[0], onFile)}
        />
      </div>
      <ul class="examples">
        {Object.entries(SETS).map(([name, { title }]) => {
          const [, about, details] = /^(.*?) \((.*)\)$/.exec(title)!;
          return (
            <li key={name}>
              <button type="button" onClick={() => onExample(name)}>
                <b>{about}</b> <span>{details}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}

const LINES = 9;

/** Contours of a land that is not there yet. */
function Contours() {
  const path = (k: number) => {
    const points = Array.from({ length: 91 }, (_, i) => {
      const t = (i / 90) * 2 * Math.PI;
      const r = 46 * (k + 1) * (1 + 0.2 * Math.cos(2 * t + 0.5 + 0.12 * k) + 0.1 * Math.sin(3 * t + 0.3 * k));
      return `${(500 + 1.25 * r * Math.cos(t)).toFixed(1)},${(400 + r * Math.sin(t)).toFixed(1)}`;
    });
    return `M${points.join('L')}Z`;
  };
  return (
    <svg class="contours" viewBox="0 0 1000 800" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      {Array.from({ length: LINES }, (_, k) => (
        <path key={k} d={path(k)} />
      ))}
    </svg>
  );
}

/** A way on from what failed. */
export interface WayOn {
  readonly title: string;
  readonly go: () => void;
}

/** Buttons, the first of which is the likeliest; nothing where there is no way. */
export function Ways({ ways }: { readonly ways: readonly WayOn[] }) {
  if (ways.length === 0) return null;
  return (
    <div class="buttons">
      {ways.map(({ title, go }, k) => (
        <button key={title} type="button" class={k === 0 ? 'solid' : 'lined'} onClick={go}>
          {title}
        </button>
      ))}
    </div>
  );
}

/** Why a fit could not be made, and ways on; the map that is there stays. */
export function Problem({
  message,
  kept,
  ways,
  dismiss,
}: {
  readonly message: string;
  readonly kept: string | undefined;
  readonly ways: readonly WayOn[];
  readonly dismiss: () => void;
}) {
  return (
    <div class="notice problem card" role="alert">
      <h2>The fit could not be made</h2>
      <p>{message}</p>
      {kept !== undefined && <p class="note">The map still shows the fit of {kept}.</p>}
      <Ways ways={[...ways, { title: 'Dismiss', go: dismiss }]} />
    </div>
  );
}

const KEYS: readonly (readonly [string, string])[] = [
  ['N P', 'go through the rows'],
  ['← ↑ → ↓', 'move the cross: what the model expects there'],
  ['Shift ←', 'move the map'],
  ['+ − 0', 'zoom, show all'],
  ['G Enter', 'shortest path: Enter takes the cross, or the row, as its start and its end'],
  ['L', 'lasso'],
  ['T', 'rows not to trust'],
  ['1 … 5', 'the same rows in other maps'],
  ['/', 'search: a row, a label, or column > value; Enter chooses the rows that are found'],
  ['M', 'data and model'],
  ['Esc', 'let go'],
];

export function Keys({ close }: { readonly close: () => void }) {
  return (
    <div class="keys card" role="dialog" aria-label="Keys">
      <div class="head">
        <h2>Keys</h2>
        <button type="button" class="link" onClick={close}>
          Close
        </button>
      </div>
      <dl>
        {KEYS.map(([key, about]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
