import { useEffect, useRef, useState } from 'preact/hooks';
import { counted } from '../data/dataset.ts';
import type { ColumnUse, Head, OwnTable } from '../data/ownTable.ts';
import { SETS } from '../data/sets.ts';
import type { ExpectedTime } from '../expectedTime.ts';
import { MODELS, type Role, type Settings } from '../settings.ts';
import { SlowAdvice, TableAdvice, TimeAdvice } from './advice.tsx';
import { short } from './figures.tsx';
import { type OnFile, taken } from './fileDrop.tsx';

/** File that is being read; its content is known after its first lines. */
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
      {head !== undefined && <Uses uses={head.uses} title={`From its first ${head.lines} rows`} />}
      <div class="buttons">
        <button type="button" class="lined" onClick={cancel}>
          Cancel
        </button>
      </div>
    </div>
  );
}

/** Progress bar; indeterminate if the progress is unknown. */
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

/** Treatment of each column. */
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

/** Changes the use of columns; resolves when the table has been reread. */
export type OnRole = (columns: readonly string[], role: Role | 'labels') => Promise<void>;

const ROLES: Readonly<Record<Role | 'labels', string>> = {
  fit: 'fit as numbers',
  count: 'fit as counts',
  categories: 'fit as categories',
  season: 'fit as a season',
  labels: 'color: labels',
  names: 'names of rows',
  out: 'leave out',
};

/** Uses of a column: only dates are fitted as days or as a season, and only whole numbers from 0 as counts. */
const rolesFor = ({ isDate, isWhole }: OwnTable['all'][number]) =>
  Object.entries({ ...ROLES, ...(isDate && { fit: 'fit as days' }) }).filter(
    ([role]) => (isDate || role !== 'season') && ((isWhole && !isDate) || role !== 'count'),
  );

/** Maximum number of columns whose uses can be changed. */
const MOST_CHANGED = 200;

/** Whether the list is open, kept because a table is reread after each change. */
const list = { isOpen: false };

/** Returns the focus to the field of a column once the table has been reread. */
const focusOn = (column: string): void => {
  requestAnimationFrame(() => {
    const fields = document.querySelectorAll<HTMLElement>(`.roles [data-column=${CSS.escape(column)}]`);
    Array.from(fields)
      .find((field) => field.closest('[inert]') === null)
      ?.focus();
  });
};

/** Use of each column, which can be changed. */
export function Roles({ all, onRole }: Pick<OwnTable, 'all'> & { readonly onRole: OnRole }) {
  if (all.length === 0) return null;
  return (
    <details
      class="roles"
      open={list.isOpen}
      onToggle={({ currentTarget }) => {
        list.isOpen = currentTarget.open;
      }}
    >
      <summary>Change the use of a column</summary>
      {all.slice(0, MOST_CHANGED).map((each) => {
        const { column, role, sample } = each;
        return (
          <label key={column}>
            <span title={column}>{column}</span>
            <em title={sample}>{sample}</em>
            <select
              data-column={column}
              aria-label={`Use of ${column}`}
              value={role}
              onChange={async ({ currentTarget }) => {
                await onRole([column], currentTarget.value as Role | 'labels');
                focusOn(column);
              }}
            >
              {rolesFor(each).map(([each, words]) => (
                <option key={each} value={each}>
                  {words}
                </option>
              ))}
            </select>
          </label>
        );
      })}
    </details>
  );
}

interface WelcomeGiven {
  readonly reading: ReadingFile | undefined;
  readonly cancel: () => void;
  readonly error: string;
  /** Action that a link expects of the visitor. */
  readonly awaited: string;
  /** Repairs of a table that could not be read. */
  readonly repairWays: readonly WayOn[];
  /** Table that was read and is not fitted yet. */
  readonly table: OwnTable | undefined;
  readonly settings: Settings;
  /** Expected time of its fit, if it is long. */
  readonly expected: ExpectedTime | undefined;
  readonly change: (changed: Partial<Settings>) => void;
  readonly onRole: OnRole;
  readonly onFile: OnFile;
  readonly onExample: (set: string) => void;
  readonly onFit: () => void;
  readonly onControls: () => void;
  /** Returns to the map, if there is one. */
  readonly onBack: (() => void) | undefined;
  readonly isDrawerOpen: boolean;
}

/** Start without a map: a table is dropped here, read, and shown before it is fitted. */
export function Welcome(given: WelcomeGiven) {
  const {
    reading,
    cancel,
    error,
    repairWays,
    awaited,
    table,
    settings,
    expected,
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
              <Uses uses={table.uses} title="Use of each column" />
              <Roles all={table.all} onRole={given.onRole} />
              <Ways ways={repairWays} />
              <TableAdvice {...{ table, settings, change }} onRole={given.onRole} />
              <p class="note">
                Model: {settings.model}, {MODELS[settings.model]!.summary}
                {typeof settings.options.batchSize === 'number' &&
                  `, in batches of ${counted(settings.options.batchSize, 'row')}`}
                .
              </p>
              <SlowAdvice rows={table.dataset.observations.rows} {...{ settings, change }} />
              <TimeAdvice {...{ expected, settings }} />
              <div class="buttons">
                <button type="button" class="solid" onClick={onFit}>
                  Fit now
                </button>
                <button type="button" class="lined" onClick={onControls}>
                  Data and model
                </button>
                <FileButton words="Another file" look="lined" onFile={given.onFile} />
              </div>
            </>
          ) : (
            <>
              <h2>Drop a table here</h2>
              {awaited !== '' && <p role="status">{awaited}</p>}
              <p>
                Or paste cells. A map of the rows is fitted in this page. Your data stay on this machine. Files: .csv,
                .tsv, .txt, .npy, .npz, or a saved fit.json.
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
          <p class="note">This panel describes the point under the pointer:</p>
          <ul class="part plain note">
            <li>A row, with the prediction at its position.</li>
            <li>A point between rows, with intervals.</li>
            <li>Rows chosen with a lasso, compared with the rest.</li>
          </ul>
        </div>
      </aside>
    </>
  );
}

/** True if tables can be loaded from the page's site, which is not the case for single-file pages. */
const isOnSite = document.getElementById('held') === null;

/** Tables of measurements, with their licenses. */
const REAL = [
  { file: 'wine.csv', title: 'Wine', about: '178 wines, 13 chemical measurements (UCI, CC BY 4.0)' },
  { file: 'penguins.csv', title: 'Penguins', about: '342 birds, 4 measurements (Gorman, Palmer Station, CC0)' },
  { file: 'digits.csv', title: 'Handwritten digits', about: '300 of 1,797 images, 8 × 8 (UCI, CC BY 4.0)' },
] as const;

/** Button for choosing a table or a saved fit. */
function FileButton({
  words,
  look,
  onFile,
}: {
  readonly words: string;
  readonly look: 'solid' | 'lined';
  readonly onFile: OnFile;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class={look} onClick={() => input.current!.click()}>
        {words}
      </button>
      <input
        ref={input}
        hidden
        type="file"
        name="any"
        aria-label="A table or a saved fit"
        onChange={({ currentTarget }) => taken(currentTarget.files?.[0], onFile)}
      />
    </>
  );
}

/** File, fit or example to start with. */
function Begin({ first, repairWays, onFile, onExample }: WelcomeGiven & { readonly first: string }) {
  return (
    <>
      <div class="buttons">
        <FileButton words={first} look={repairWays.length > 0 ? 'lined' : 'solid'} onFile={onFile} />
      </div>
      <ul class="examples">
        {isOnSite &&
          REAL.map(({ file, title, about }) => (
            <li key={file}>
              <a href={`#table=${file}`}>
                <b>{title}</b> <span>{about}</span>
              </a>
            </li>
          ))}
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

/** Contours of a map that does not exist yet. */
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

/** Alternative after a failure. */
export interface WayOn {
  readonly title: string;
  readonly go: () => void;
}

/** Buttons for alternatives, most likely first; nothing without alternatives. */
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

/** Reason why a fit failed, and alternatives; the current map stays. */
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
      <h2>The fit failed</h2>
      <p>{message}</p>
      {kept !== undefined && <p class="note">The map still shows the fit of {kept}.</p>}
      <Ways ways={[...ways, { title: 'Dismiss', go: dismiss }]} />
    </div>
  );
}

const KEYS: readonly (readonly [string, string])[] = [
  ['N P', 'go through the rows'],
  ['← ↑ → ↓', 'move the cross, which decodes its position'],
  ['Shift ←', 'move the map'],
  ['+ − 0', 'zoom, show all'],
  ['G Enter', 'shortest path: Enter sets its start, then its end, at the cross or the row'],
  ['L', 'lasso'],
  ['T', 'rows in doubt'],
  ['1 … 5', 'other maps of the same rows'],
  ['/', 'search: a row, a label, or column > value; Enter chooses the matching rows'],
  ['M', 'data and model'],
  ['Esc', 'clear the selection'],
];

export function Keys({ close }: { readonly close: () => void }) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    first.current!.focus();
    return () => before?.focus();
  }, []);
  return (
    <div class="keys card" role="dialog" aria-label="Keys">
      <div class="head">
        <h2>Keys</h2>
        <button ref={first} type="button" class="link" onClick={close}>
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
