import { doubtSentence } from 'latentfield/inference';
import { useEffect, useRef, useState } from 'preact/hooks';
import { counted, deviationsOf } from '../data/dataset.ts';
import { EXPORTS } from '../exports.ts';
import type { Fitting, Pictured, Shown } from '../fitting.ts';
import type { Scores } from '../page.worker.ts';
import { CARDS, MODELS } from '../settings.ts';
import { Icon, Mark } from './icon.tsx';
import { doubtfulOf } from './panel.tsx';

interface Given {
  readonly fitting: Fitting;
  readonly picture: Pictured | undefined;
  readonly controls: { readonly goOn: () => void };
  /** Scores of the shown fit, once they are known. */
  readonly scores: Scores | undefined;
  /** Fits the same rows with another model. */
  readonly onModel: (model: string) => void;
  /** True while a file is being read. */
  readonly reading: boolean;
  readonly isDrawerOpen: boolean;
  readonly onDrawer: () => void;
  readonly onOpen: () => void;
  readonly query: string;
  readonly setQuery: (query: string) => void;
  /** Selects the search results. */
  readonly onChoose: () => void;
  readonly search: { readonly current: HTMLInputElement | null };
  readonly switchTheme: () => void;
  readonly share: {
    readonly settings: () => Promise<string>;
    readonly fit: () => Promise<string>;
    readonly page: () => Promise<string>;
  };
  readonly exported: (name: string) => Promise<string>;
}

/** Content of the map, progress of the fit, search, sharing and saving. */
export function Header(given: Given) {
  const {
    fitting,
    picture,
    isDrawerOpen,
    onDrawer,
    onOpen,
    query,
    setQuery,
    onChoose,
    search,
    switchTheme,
    share,
    exported,
  } = given;
  const { shown, run } = fitting;
  const isExportable = shown?.of !== undefined && run === undefined;
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
      <h1 class="brand" aria-label="latentfield">
        <Mark />
        <span>latentfield</span>
      </h1>
      <button type="button" class="solid open-table" aria-label="Open a table" onClick={onOpen}>
        Open<span>&nbsp;a table</span>
      </button>
      <div class="what">
        <p class="subject">
          <b>{picture?.name}</b>{' '}
          {picture?.dataset !== undefined && (
            <span>
              {counted(picture.dataset.observations.rows, 'row')} ×{' '}
              {counted(picture.dataset.observations.columns, 'column')}
            </span>
          )}
        </p>
        {run === undefined && picture !== undefined && shown?.of !== undefined && <ModelChoice {...given} />}
      </div>
      {(picture !== undefined || shown === undefined || run !== undefined) && <Status {...given} />}
      <span class="grow" />
      <label class="search">
        <span class="hidden">Search rows</span>
        <Icon name="search" />
        <input
          ref={search}
          type="search"
          value={query}
          placeholder="Search"
          title="A row, a label, or a condition such as column > value (/); Enter chooses the matching rows"
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
          ['Link to these settings', 'the fit runs again where it is opened', share.settings],
          ['Link with the whole fit', 'for small tables; it contains the rows', share.fit],
          ['One page with the fit', 'an HTML file that decodes without a network', share.page],
          ...(isExportable
            ? ([['Picture', 'a PNG file with title, legend and scale', () => exported('card.png')]] as const)
            : []),
        ]}
      />
      <Menu
        title="Export"
        icon="save"
        isDisabled={!isExportable}
        items={Object.entries(EXPORTS)
          .filter(([file]) => file !== 'card.png')
          .map(([file, { about }]) => [file, about, () => exported(file)])}
      />
      <button type="button" class="tool" aria-label="Light or dark" title="Light or dark" onClick={switchTheme}>
        <Icon name="dark" />
      </button>
    </header>
  );
}

/** Value that opens the list of all models. */
const OTHERS = 'others';

/** Model of the map: another one fits the same rows again. */
function ModelChoice({ fitting: { shown }, onModel, onDrawer }: Given) {
  const { model } = shown!.fit;
  return (
    <select
      class="model"
      aria-label="Model of the map"
      title="Fit the same rows with another model"
      value={model}
      onChange={({ currentTarget }) => {
        const { value } = currentTarget;
        currentTarget.value = model;
        if (value === OTHERS) onDrawer();
        else onModel(value);
      }}
    >
      {[...new Set([model, ...Object.keys(CARDS)])].map((name) => (
        <option key={name} value={name}>
          {CARDS[name] ?? name}
        </option>
      ))}
      <option value={OTHERS}>{Object.keys(MODELS).length} models, and their options …</option>
    </select>
  );
}

/** Endings of searches that did not converge. */
const UNFINISHED = ['maxIterations', 'stopped'];
const MEANINGLESS: Readonly<Record<string, string>> = { degenerate: 'Degenerate', failed: 'Failed' };

/** Sentence about a fit: how many rows can be trusted, with the reservations of its ending and its noise, as in `assess`. */
function verdictOf({ fit, of }: Shown, scores: Scores | undefined, uncertainty: number | undefined): string {
  const { status, isAtNoiseFloor } = fit;
  const meaningless = MEANINGLESS[status];
  if (meaningless !== undefined) return `${meaningless}: this map means nothing`;
  const isFinished = !UNFINISHED.includes(status);
  const certainty = of === undefined ? '' : certaintyOf(scores);
  const begin =
    isFinished || certainty === ''
      ? certainty
      : `Not finished: so far, ${certainty[0]!.toLowerCase()}${certainty.slice(1)}`;
  const share = uncertainty === undefined ? '' : uncertainty < 0.005 ? 'less than 1' : Math.round(100 * uncertainty);
  const end = isAtNoiseFloor
    ? 'Intervals are too narrow'
    : share === ''
      ? ''
      : `Uncertainty: ${share}\u00a0% of each column's spread`;
  return [begin === '' && !isFinished ? 'Not finished' : begin, end].filter((part) => part !== '').join('. ');
}

/** How many rows can be trusted where they are, in the words of `assess`. */
function certaintyOf(scores: Scores | undefined): string {
  if (scores === undefined) return 'Neighbors are being counted';
  const doubtful = doubtfulOf(scores);
  if (doubtful !== undefined) return doubtSentence(doubtful, scores.scored).split(':')[0]!;
  return scores.trustworthiness === undefined
    ? 'Neighbors are not counted'
    : `Trustworthiness ${scores.trustworthiness.toFixed(3)} of 1`;
}

/** Maximum number of rows at whose positions the uncertainty is computed. */
const MOST_ROWS = 200;

/**
 * Median over rows of the standard deviation of a new row at their positions, relative to the spread of each column; undefined until it is known, and
 * for a fit that does not predict or is shown without its rows.
 */
function useUncertainty(shown: Shown | undefined): number | undefined {
  const [known, setKnown] = useState<{ of: Shown; share: number }>();
  useEffect(() => {
    if (shown?.fit.predicts !== true || shown.of === undefined) return;
    const { fit, of } = shown;
    const step = Math.ceil(fit.latents.rows / MOST_ROWS);
    const spreads = deviationsOf(of.dataset.observations);
    let isWanted = true;
    fit.predict(fit.latents.toArrays().filter((_, i) => i % step === 0)).then(
      ({ variance }) => {
        const shares = variance
          .toArrays()
          .map((row) => Math.sqrt(row.reduce((sum, v, d) => sum + v / (spreads[d]! ** 2 || 1), 0) / row.length))
          .sort((a, b) => a - b);
        if (isWanted) setKnown({ of: shown, share: shares[Math.floor(shares.length / 2)]! });
      },
      // A fit whose worker has ended answers no more.
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [shown]);
  return known?.of === shown ? known?.share : undefined;
}

/** Current activity, or how far the shown map can be trusted. */
function Status({ fitting: { shown, run, problem }, controls, reading, scores }: Given) {
  const uncertainty = useUncertainty(shown);
  const state =
    run !== undefined
      ? run.isPaused
        ? 'paused'
        : 'running'
      : reading
        ? 'reading'
        : problem !== ''
          ? 'failed'
          : shown === undefined
            ? 'idle'
            : 'done';
  const isDone = state === 'done' || (state === 'reading' && shown !== undefined);
  const message =
    run !== undefined
      ? `Fitting ${run.of.settings?.model} to ${run.of.dataset.observations.rows} rows`
      : reading
        ? 'Reading'
        : shown === undefined
          ? problem === ''
            ? 'No map yet'
            : 'Stopped'
          : verdictOf(shown, scores, uncertainty);
  return (
    <div class="status" data-status={state}>
      <i />
      <p role="status" title={isDone ? shown!.fit.message : undefined}>
        {message}
        <span class="hidden">{isDone && problem === '' ? `: ${shown!.fit.message}` : ''}</span>
      </p>
      {isDone && UNFINISHED.includes(shown!.fit.status) && shown!.of?.settings !== undefined && (
        <button type="button" class="link" onClick={controls.goOn}>
          Continue
        </button>
      )}
    </div>
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
      const isInside = event.target instanceof Node && place.current!.contains(event.target);
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !isInside) setOpen(false);
    };
    const events = ['pointerdown', 'keydown', 'drop', 'hashchange'];
    for (const name of events) addEventListener(name, away);
    return () => {
      for (const name of events) removeEventListener(name, away);
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
