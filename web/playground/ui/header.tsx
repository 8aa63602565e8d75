import { useEffect, useRef, useState } from 'preact/hooks';
import type { Theme } from '../drawing/colours.ts';
import { EXPORTS } from '../exports.ts';
import type { Fitting, Pictured, Trace } from '../fitting.ts';
import { Icon, Mark } from './icon.tsx';

interface Given {
  readonly fitting: Fitting;
  readonly picture: Pictured | undefined;
  readonly controls: {
    readonly pause: () => void;
    readonly resume: () => void;
    readonly stop: () => void;
    readonly goOn: () => void;
  };
  readonly theme: Theme;
  readonly isDrawerOpen: boolean;
  readonly onDrawer: () => void;
  readonly query: string;
  readonly setQuery: (query: string) => void;
  /** Chooses the rows that were found. */
  readonly onChoose: () => void;
  readonly search: { readonly current: HTMLInputElement | null };
  readonly switchTheme: () => void;
  readonly share: {
    readonly settings: () => string;
    readonly fit: () => Promise<string>;
    readonly page: () => Promise<string>;
  };
  readonly exported: (name: string) => Promise<string>;
}

/** What the map shows, how far a fit is, search, sharing and saving. */
export function Header(given: Given) {
  const { fitting, picture, isDrawerOpen, onDrawer, query, setQuery, onChoose, search, switchTheme, share, exported } =
    given;
  const { shown, run } = fitting;
  return (
    <header>
      <button
        type="button"
        class="tool"
        aria-label="Data and model"
        aria-expanded={isDrawerOpen}
        aria-controls="drawer"
        title="Data and model (M)"
        onClick={onDrawer}
      >
        <Icon name="sliders" />
      </button>
      <h1 class="brand">
        <Mark />
        <span>latentfield</span>
      </h1>
      <p class="subject">
        <b>{picture?.name}</b>{' '}
        {picture?.dataset !== undefined && (
          <span>
            {picture.dataset.observations.rows} rows × {picture.dataset.observations.columns} columns
          </span>
        )}
      </p>
      <Status {...given} />
      <span class="grow" />
      <label class="search">
        <span class="hidden">Search rows</span>
        <Icon name="search" />
        <input
          ref={search}
          type="search"
          value={query}
          placeholder="Row, label or condition"
          title="A row, a label, or a condition such as column > value (/); Enter chooses what is found"
          aria-keyshortcuts="/"
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setQuery('');
            if (event.key === 'Enter') onChoose();
          }}
        />
        <span class="slash" aria-hidden="true">
          /
        </span>
      </label>
      <Menu
        title="Share"
        icon="share"
        isDisabled={shown === undefined}
        items={[
          ['Link to these settings', 'fitted anew where it is opened', async () => share.settings()],
          ['Link with the whole fit', 'for small tables; it holds the rows', share.fit],
          ['One page with the fit', 'an HTML file that decodes without network', share.page],
        ]}
      />
      <Menu
        title="Export"
        icon="save"
        isDisabled={shown?.of === undefined || run !== undefined}
        items={Object.entries(EXPORTS).map(([file, { about }]) => [file, about, () => exported(file)])}
      />
      <button type="button" class="tool" aria-label="Light or dark" title="Light or dark" onClick={switchTheme}>
        <Icon name="dark" />
      </button>
    </header>
  );
}

/** What is said of statuses whose names are no words. */
const ENDINGS: Readonly<Record<string, string>> = { maxIterations: 'at its limit of iterations' };

/** How the fit that is shown ended, or how far the one is that is being made. */
function Status({ fitting: { shown, run, problem }, controls, theme }: Given) {
  const state =
    run !== undefined
      ? run.isPaused
        ? 'paused'
        : 'running'
      : problem !== ''
        ? 'failed'
        : shown === undefined
          ? 'idle'
          : 'done';
  const trace = run?.trace ?? shown?.fit.trace ?? [[], []];
  const last = trace[1].at(-1);
  const words =
    last === undefined
      ? ''
      : `${trace[0].at(-1)}${run === undefined ? '' : ` of at most ${run.most}`} iterations, objective ${Number(last.toPrecision(7))}`.replace(
          '-',
          '−',
        );
  const message =
    run !== undefined
      ? `Fitting ${run.of.settings?.model} to ${run.of.dataset.observations.rows} rows`
      : shown === undefined
        ? problem === ''
          ? 'No map yet'
          : 'Stopped'
        : `${shown.fit.model}, ${ENDINGS[shown.fit.status] ?? shown.fit.status}`;
  return (
    <div class="status" data-status={state}>
      <i />
      <p role="status" title={run === undefined ? shown?.fit.message : undefined}>
        {message}
        {run !== undefined && words === '' && <Elapsed since={run.since} />}
        <span class="hidden">
          {run === undefined && shown !== undefined && problem === '' ? `: ${shown.fit.message}` : ''}
        </span>
      </p>
      {words !== '' && (
        <>
          <Spark trace={trace} ink={theme.map.accent} label={`Objective, ${words}`} />
          <span class="words" data-testid="objective">
            {words}
          </span>
        </>
      )}
      {run !== undefined && (
        <>
          <button type="button" class="link" onClick={run.isPaused ? controls.resume : controls.pause}>
            {run.isPaused ? 'Resume' : 'Pause'}
          </button>
          <button type="button" class="link" onClick={controls.stop}>
            Stop
          </button>
        </>
      )}
      {run === undefined &&
        ['maxIterations', 'stopped'].includes(shown?.fit.status ?? '') &&
        shown!.of?.settings !== undefined && (
          <button type="button" class="link" onClick={controls.goOn}>
            Go on
          </button>
        )}
    </div>
  );
}

/** The seconds since a fit began: what tells that it is busy before its first step. */
function Elapsed({ since }: { readonly since: number }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 1000);
    return () => clearInterval(timer);
  }, [since]);
  return <span aria-hidden="true">{now - since < 1000 ? '' : `, ${Math.round((now - since) / 1000)} s`}</span>;
}

/** The objective over the iterations. */
function Spark({ trace: [x, y], ink, label }: { readonly trace: Trace; readonly ink: string; readonly label: string }) {
  const known = y.slice(-400).filter(Number.isFinite);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const last = x.at(-1) || 1;
  const step = Math.max(1, Math.floor(x.length / 120));
  const points = x
    .map((iteration, k) => [iteration, y[k]!] as const)
    .filter(([, value], k) => Number.isFinite(value) && (k % step === 0 || k === x.length - 1))
    .map(
      ([iteration, value]) =>
        `${(62 * iteration) / last + 1},${17 - 15 * Math.max(0, (value - low) / (high - low || 1))}`,
    );
  return (
    <svg class="spark" viewBox="0 0 64 18" role="img" aria-label={label}>
      <polyline points={points.join(' ')} stroke={ink} />
    </svg>
  );
}

type Item = readonly [title: string, about: string, act: () => Promise<string>];

function Menu({
  title,
  icon,
  items,
  isDisabled,
}: {
  readonly title: string;
  readonly icon: 'share' | 'save';
  readonly items: readonly Item[];
  readonly isDisabled: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  const [told, setTold] = useState('');
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const away = (event: Event) => {
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !place.current!.contains(event.target as Node))
        setOpen(false);
    };
    addEventListener('pointerdown', away);
    addEventListener('keydown', away);
    return () => {
      removeEventListener('pointerdown', away);
      removeEventListener('keydown', away);
    };
  }, [isOpen]);
  return (
    <div ref={place} class="menu">
      <button
        type="button"
        class="tool named"
        aria-expanded={isOpen}
        aria-label={title}
        disabled={isDisabled}
        onClick={() => {
          setTold('');
          setOpen(!isOpen);
        }}
      >
        <Icon name={icon} />
        <span>{title}</span>
      </button>
      {isOpen && (
        <div class="pop card">
          <ul>
            {items.map(([name, about, act]) => (
              <li key={name}>
                <button
                  type="button"
                  aria-description={about}
                  onClick={async () => {
                    setTold('…');
                    setTold(await act().catch((failure: Error) => failure.message));
                  }}
                >
                  <b>{name}</b>
                  <span aria-hidden="true">{about}</span>
                </button>
              </li>
            ))}
          </ul>
          <p role="status">{told}</p>
        </div>
      )}
    </div>
  );
}
