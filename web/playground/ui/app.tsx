import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { counted, type Dataset, type RowView, rowsOfDataset } from '../data/dataset.ts';
import { newRows, type OwnTable, repairs, TableReader, tableOfDataset } from '../data/ownTable.ts';
import { SETS } from '../data/sets.ts';
import { exampleOf } from '../example.ts';
import { useExpectedTime } from '../expectedTime.ts';
import { EXPORTS, type Exported, placedTable, save } from '../exports.ts';
import { withoutOptions } from '../fitSummary.ts';
import { type Fitting, pictured, type Shown, type Subject, useFitting } from '../fitting.ts';
import { keepTable, keptTable } from '../keptTable.ts';
import { useMaps } from '../maps.ts';
import {
  BY_KIND,
  countsOf,
  DEFAULTS,
  isSlow,
  MODELS,
  type Role,
  type Settings,
  settingsOf,
  withNeeded,
} from '../settings.ts';
import { bytesOf, fitLink, fitOfLink, heldByPage, pageWith, settingsLink, unpacked } from '../share.ts';
import { Drawer } from './drawer.tsx';
import { type AddedRows, Explorer } from './explorer.tsx';
import { taken } from './fileDrop.tsx';
import { FitBar } from './fitBar.tsx';
import { Header } from './header.tsx';
import { isTyping } from './keys.ts';
import { Keys, Problem, Reading, type ReadingFile, type WayOn, Welcome } from './stages.tsx';
import { useTheme } from './theme.ts';

const PHONE = '(max-width: 760px)';
const HELD = heldByPage();
/** Table that was fitted before the page was reloaded. */
const KEPT = keptTable();
/** Milliseconds to wait for the clipboard. */
const PATIENCE = 1500;
const NO_FAILURE = { error: '', repairWays: [] };

export function App() {
  const [settings, setSettings] = useState<Settings>(DEFAULTS);
  const [own, setOwn] = useState<OwnTable>();
  /** Table that was read last, until it is fitted. */
  const [unfitted, setUnfitted] = useState<OwnTable>();
  /** Chosen display of the rows of a visitor's table. */
  const [view, setView] = useState<RowView>();
  const [{ error, repairWays }, setFailure] = useState<{ error: string; repairWays: readonly WayOn[] }>(NO_FAILURE);
  const setError = (error: string) => setFailure({ error, repairWays: [] });
  const [reading, setReading] = useState<ReadingFile>();
  /** True if a table is requested, even if there is a map. */
  const [isNew, setNew] = useState(false);
  /** True if the current choice is to be fitted, or opened, automatically. */
  const [isRun, setRun] = useState(HELD === undefined && KEPT === undefined && location.hash.length < 2);
  /** Action that a link expects of the visitor. */
  const [awaited, setAwaited] = useState('');
  const [isCompact, setCompact] = useState(false);
  const [isTour, setTour] = useState(false);
  const [firstColor, setFirstColor] = useState('');
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [isKeys, setKeys] = useState(false);
  const [query, setQuery] = useState('');
  /** Number of times that the results of a search were selected. */
  const [chosen, setChosen] = useState(0);
  const [added, setAdded] = useState<{ rows: AddedRows; of: Shown }>();
  const [placed, setPlaced] = useState('');
  const { fitting, ...controls } = useFitting();
  const { theme, switchTheme } = useTheme();
  const isPhone = useMedia(PHONE);
  const reader = useRef(new TableReader());
  const search = useRef<HTMLInputElement>(null);
  const exported = useRef<Exported | undefined>(undefined);
  const change = (changed: Partial<Settings>) => setSettings((now) => ({ ...now, ...changed }));
  const dataset = useMemo<Dataset | undefined>(() => {
    if (settings.set !== 'own') return SETS[settings.set]?.make();
    return own && { ...own.dataset, view: view ?? own.dataset.view };
  }, [settings.set, own, view]);
  const { shown } = fitting;
  const picture = pictured(fitting);
  const others = useMaps(shown, shown?.of?.dataset);
  const isShown = picture !== undefined;
  const hasMap = useRef(false);
  hasMap.current = isShown && !isNew;

  /** Reads a table, and returns whether it could be read. */
  async function read(
    name: string,
    bytes: Uint8Array<ArrayBuffer>,
    labels?: string,
    roles: Settings['roles'] = {},
  ): Promise<boolean> {
    setError('');
    // The drawer reports it, or the page itself where there is no map.
    if (hasMap.current) setDrawerOpen(true);
    setReading({ name, bytes: bytes.length, head: undefined });
    try {
      const table = await reader.current.read(
        name,
        bytes,
        labels,
        (head) => setReading((now) => (now?.name === name ? { ...now, head } : now)),
        roles,
      );
      setOwn(table);
      setUnfitted(table);
      setView(undefined);
      setAwaited('');
      change({ set: 'own', labels: table.labels, roles });
      if (table.isRepairable) repair(name, bytes, labels, '');
      return true;
    } catch (failure) {
      setError((failure as Error).message);
      repair(name, bytes, labels, (failure as Error).message);
      return false;
    } finally {
      setReading((now) => (now?.name === name ? undefined : now));
    }
  }

  /** Rereads the table with another use of columns; if that fails, nothing changes. */
  async function changeRole(columns: readonly string[], role: Role | 'labels'): Promise<void> {
    const { name, bytes, labels } = own!;
    const others = Object.fromEntries(Object.entries(settings.roles).filter(([column]) => !columns.includes(column)));
    const isLabels = columns.includes(labels);
    const roles =
      role === 'labels' ? others : { ...others, ...Object.fromEntries(columns.map((column) => [column, role])) };
    const isRead = await read(
      name,
      bytes as Uint8Array<ArrayBuffer>,
      role === 'labels' ? columns[0] : isLabels ? '' : labels,
      roles,
    );
    if (!isRead)
      setFailure(({ error, repairWays }) => ({
        error,
        repairWays: [{ title: `Leave '${columns[0]}' as it was`, go: () => setError('') }, ...repairWays],
      }));
  }

  /** Offers repairs of a table that could not be read, while that error is shown. */
  async function repair(name: string, bytes: Uint8Array, labels: string | undefined, error: string): Promise<void> {
    const found = await repairs(name, bytes);
    const named = name.includes(' (repaired)') ? name : name.replace(/(?=\.\w+$)/, ' (repaired)');
    const repairWays = found.map(({ title, bytes: repaired }) => ({
      title,
      go: () => read(named, repaired, labels),
    }));
    setFailure((now) => (now.error === error ? { error, repairWays: [...now.repairWays, ...repairWays] } : now));
  }

  /** Opens a table or a fit. */
  const takeFile = (name: string, bytes: Uint8Array<ArrayBuffer>) =>
    name.endsWith('.json') ? open(name, bytes) : read(name, bytes);
  const open = async (name: string, bytes: Uint8Array<ArrayBuffer>) => {
    if ((await openText(name, new TextDecoder().decode(bytes))) === undefined) return;
    setDrawerOpen(false);
    setNew(false);
  };
  /** Opens a saved fit; its table and settings, if included, become current. */
  const openText = async (name: string, text: string): Promise<Shown | undefined> => {
    const found = await controls.open(name, text);
    if (found?.of === undefined) return found;
    const table = tableOfDataset(found.of.dataset);
    setOwn(table);
    setUnfitted(undefined);
    setView(undefined);
    const { model } = found.fit;
    // The table has the columns of the fit: counts are the only use that it does not already contain.
    const counts = countsOf({ roles: found.of.settings?.roles ?? {} }, table.dataset.columns);
    const roles = Object.fromEntries(counts.map((column) => [column, 'count' as const]));
    change({ ...(model in MODELS && { model }), ...found.of.settings, set: 'own', labels: table.labels, roles });
    return found;
  };
  const start = (given: Settings, rows: Dataset) => {
    setDrawerOpen(false);
    setNew(false);
    setUnfitted(undefined);
    controls.start(given, rows);
    // For a fit of some of its rows, the whole table is kept.
    keepTable(given.set === 'own' && own !== undefined && rows.name.startsWith(own.name) ? own : undefined, given);
    if (/^#(?:new$|table=)/.test(location.hash)) {
      // A reload is to bring this table again.
      address.current = '';
      history.replaceState(null, '', location.pathname + location.search);
    }
  };

  async function place(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const of = shown!;
    try {
      setPlaced(`Placing the rows of '${name}'.`);
      const { notes, ...rows } = await newRows(name, bytes, of.of!.dataset.columns);
      const found = { ...(await of.fit.project(rows.observations)), ...rows };
      setAdded({ rows: found, of });
      setPlaced([placedSentence(found), ...notes.map(withoutOptions)].join(' '));
    } catch (failure) {
      setPlaced(`'${name}' was not placed: ${(failure as Error).message}`);
    }
  }
  useEffect(() => setPlaced(''), [shown]);

  /** Part of the address after # that has been read, or that the page has written itself. */
  const address = useRef<string | undefined>(undefined);
  useEffect(() => {
    const follow = async () => {
      if (address.current === location.hash) return;
      address.current = location.hash;
      if (location.hash === '#new') {
        setNew(true);
        setDrawerOpen(false);
        return;
      }
      const real = /^#table=([\w-]+\.csv)$/.exec(location.hash)?.[1];
      if (real !== undefined) {
        setNew(true);
        const response = await fetch(`./tables/${real}`).catch(() => undefined);
        if (response?.ok !== true) setError(`The table '${real}' could not be loaded.`);
        else setRun(await read(real, new Uint8Array(await response.arrayBuffer())));
        return;
      }
      const shared = await fitOfLink(location.hash).catch(() => undefined);
      if (shared !== undefined) {
        await openText(shared.name, shared.text);
        return;
      }
      const found = settingsOf(location.hash);
      if (found === undefined) {
        if (location.hash.length > 1) setError('The address contains no settings that this page can read.');
        else if (KEPT !== undefined) {
          const { settings, name, csv } = KEPT;
          if (settings !== undefined) change(settings);
          const isRead = await read(name, new TextEncoder().encode(csv), settings?.labels, settings?.roles);
          setRun(isRead && settings !== undefined);
        } else if (HELD === undefined) setRun(true);
        else if ('text' in HELD) await openText(HELD.name, HELD.text);
        else {
          change(HELD.settings ?? {});
          setRun(await read(HELD.name, bytesOf(HELD.table)));
        }
        return;
      }
      setError('');
      setNew(false);
      setSettings(found.settings);
      setRun(found.settings.set !== 'own');
      setCompact(found.compact);
      setTour(found.tour);
      setFirstColor(found.color);
      if (found.settings.set !== 'own') return;
      change({ set: DEFAULTS.set });
      if (found.table === undefined) {
        setNew(true);
        setAwaited(
          `This link contains settings of ${found.settings.model} for a table that is not in it. Open that table.`,
        );
        return;
      }
      const csv = await unpacked(found.table).catch(() => '');
      const { labels, roles } = found.settings;
      if (await read('table.csv', new TextEncoder().encode(csv), labels, roles)) setRun(found.run);
    };
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    if (!isRun || dataset === undefined) return;
    // A table of very many rows is shown first, with the models that take seconds.
    if (settings.set === 'own' && isSlow(settings, dataset.observations.rows)) {
      setRun(false);
      return;
    }
    let isWanted = true;
    exampleOf(settings, dataset).then((example) => {
      if (!isWanted) return;
      setRun(false);
      if (example === undefined) start(settings, dataset);
      else {
        setNew(false);
        controls.begin(example);
      }
    });
    return () => {
      isWanted = false;
    };
  }, [isRun, dataset, settings]);

  const onKeys = (key: string): boolean => {
    if (key === '/') search.current?.focus();
    else if (key === 'm') setDrawerOpen(!isDrawerOpen);
    else if (key === '?') setKeys(!isKeys);
    else return false;
    return true;
  };
  useEffect(() => {
    // The map hears its keys first.
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Escape') {
        setKeys(false);
        setDrawerOpen(false);
      } else if (!isTyping(event) && !isCompact && onKeys(event.key)) event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  });
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const dropped = (event: DragEvent) => {
      event.preventDefault();
      taken(event.dataTransfer?.files[0], takeFile);
    };
    const pasted = ({ clipboardData, target }: ClipboardEvent) => {
      if (target instanceof HTMLInputElement) return;
      const text = clipboardData?.getData('text/plain') ?? '';
      if (clipboardData?.files[0] !== undefined) taken(clipboardData.files[0], takeFile);
      else if (/\n./.test(text)) takeFile('pasted.csv', new TextEncoder().encode(text));
    };
    addEventListener('dragover', over);
    addEventListener('drop', dropped);
    addEventListener('paste', pasted);
    return () => {
      removeEventListener('paste', pasted);
      removeEventListener('dragover', over);
      removeEventListener('drop', dropped);
    };
  });
  const isUnfitted =
    unfitted !== undefined && settings.set === 'own' && fitting.run === undefined && picture?.name !== unfitted.name;
  const isBlank = (picture === undefined || isNew) && settings.set === 'own';
  const isAsked =
    fitting.run === undefined && !isRun && reading === undefined && (isDrawerOpen || isBlank || isUnfitted);
  const expected = useExpectedTime(settings, dataset, isAsked);
  const cancel = () => {
    reader.current.cancel();
    setReading(undefined);
  };
  const fitBar = !isCompact && fitting.run !== undefined && <FitBar run={fitting.run} {...{ theme, controls }} />;
  /** Puts a link into the address and onto the clipboard. */
  const shareLink = async (link: string, contents: string): Promise<string> => {
    address.current = link;
    history.replaceState(null, '', link);
    const copied = navigator.clipboard?.writeText(location.href).then(
      () => true,
      () => false,
    );
    // A browser may ask for a permission that nobody gives.
    const isCopied = await Promise.race([copied, new Promise((resolve) => setTimeout(resolve, PATIENCE, false))]);
    return `The link ${isCopied ? 'is copied' : 'is the address of this page'}. ${contents}`;
  };
  const shareFit = async () => ({ name: shown!.name, text: await shown!.fit.json() });
  return (
    <div class={`app${isCompact ? ' compact' : ''}`}>
      {!isCompact && (
        <Header
          onChoose={() => setChosen(chosen + 1)}
          reading={reading !== undefined}
          picture={isNew ? undefined : picture}
          {...{ fitting, controls, isDrawerOpen, query, setQuery, search, switchTheme }}
          scores={others.scores}
          onModel={(model) => {
            const before = { ...settings, ...shown!.of!.settings, set: settings.set };
            const chosen = { ...before, model, options: withNeeded(before.options, model) };
            change(chosen);
            start(chosen, shown!.of!.dataset);
          }}
          onDrawer={() => setDrawerOpen(!isDrawerOpen)}
          onOpen={() => {
            setDrawerOpen(false);
            setNew(true);
          }}
          share={{
            settings: async () => {
              const isOwn = settings.set === 'own';
              const { link, hasTable } = await settingsLink(settings, isOwn ? own?.csv : undefined);
              return shareLink(
                link,
                isOwn && !hasTable
                  ? 'It contains the settings; the table is too large for it, and is requested where the link is opened.'
                  : `It contains the settings${isOwn ? ' and the table' : ''}.`,
              );
            },
            fit: async () => {
              const exact = await fitLink(await shareFit());
              const size = (link: string) => `${Math.ceil(link.length / 1000)} kB`;
              if (exact !== undefined) return shareLink(exact, `It contains the fit and its table, ${size(exact)}.`);
              const rounded = await shown!.fit.rounded().catch(() => undefined);
              const link = rounded && (await fitLink({ name: shown!.name, text: rounded.text }));
              if (link === undefined) return 'This fit is too large for a link. Save it as one page.';
              return shareLink(
                link,
                `It contains the fit and its table, rounded, ${size(link)}: ${rounded!.of} differ by at most ${atMost(rounded!.difference)} of the ${rounded!.of === 'predictions' ? 'standard deviation of a new row' : 'extent of the map'}.`,
              );
            },
            page: async () => {
              const name = `${shown!.name.replace(/\.\w+$/, '').replace(/[^\w-]+/g, '-')}.html`;
              save(name, await pageWith(await shareFit()));
              return `${name} is saved: it opens without a network, and decodes.`;
            },
          }}
          exported={async (name) => {
            try {
              save(name, await EXPORTS[name]!.make(exported.current!));
              return `${name} is saved.`;
            } catch (failure) {
              return `${name} cannot be made: ${(failure as Error).message}`;
            }
          }}
        />
      )}
      {picture !== undefined && !isNew ? (
        <Explorer
          {...{ shown, picture, others, theme, isPhone, isDrawerOpen, query, chosen, onKeys, exported }}
          isEmbedded={isCompact}
          {...{ isTour, firstColor }}
          added={added?.of === shown ? added?.rows : undefined}
          fitBar={fitBar}
          onFitRows={(rows) => start({ ...settings, ...shown?.of?.settings, set: settings.set }, rows)}
        />
      ) : fitting.run !== undefined || isRun ? (
        <>
          <main class="stage blank">{fitBar}</main>
          <aside class="panel" aria-label="Reading" />
        </>
      ) : (
        <Welcome
          {...{ reading, cancel, error, repairWays, awaited, settings, expected, change, isDrawerOpen }}
          table={settings.set === 'own' ? own : undefined}
          onRole={changeRole}
          onFile={takeFile}
          onExample={(set) => {
            setError('');
            change({ set });
            setRun(true);
          }}
          onFit={() => dataset !== undefined && start(settings, dataset)}
          onControls={() => setDrawerOpen(true)}
          onBack={isShown ? () => setNew(false) : undefined}
        />
      )}
      {!isCompact && (
        <Drawer
          isOpen={isDrawerOpen}
          close={() => setDrawerOpen(false)}
          {...{ settings, expected, change, own, dataset, error, repairWays, placed }}
          onSavePlaced={added?.of === shown && added !== undefined ? () => savePlaced(added.rows) : undefined}
          reading={reading?.name}
          onSet={(set) => {
            setError('');
            change({ set });
          }}
          onFile={takeFile}
          onLabels={(column) =>
            own !== undefined && read(own.name, own.bytes as Uint8Array<ArrayBuffer>, column, settings.roles)
          }
          onRole={changeRole}
          onView={setView}
          onFit={() => dataset !== undefined && start(settings, dataset)}
          onOpen={open}
          onNew={() => {
            setDrawerOpen(false);
            setNew(true);
          }}
          onPlace={shown?.fit.projects === true && shown.of !== undefined ? place : undefined}
          ink={theme.map.ink}
        />
      )}
      {reading === undefined && hasMap.current && isUnfitted && (
        <div class="unfitted card" role="status">
          <span>
            <b>{unfitted.name}</b> is not fitted yet. The map still shows {picture!.name}.
          </span>
          <button type="button" class="solid" onClick={() => start(settings, dataset!)}>
            Fit now
          </button>
        </div>
      )}
      {reading !== undefined && hasMap.current && (
        <div class="notice card">
          <Reading {...reading} cancel={cancel} />
        </div>
      )}
      {fitting.problem !== '' && (
        <Problem
          message={fitting.problem}
          kept={shown?.name}
          ways={[...waysOn(fitting.failed, start), { title: 'Change data or model', go: () => setDrawerOpen(true) }]}
          dismiss={controls.dismiss}
        />
      )}
      {isKeys && <Keys close={() => setKeys(false)} />}
    </div>
  );
}

/** Upper bound of a share in percent, with two digits. */
function atMost(share: number): string {
  const unit = 10 ** (Math.floor(Math.log10(100 * share || 1e-9)) - 1);
  return `${Number((unit * Math.ceil((100 * share) / unit)).toPrecision(2))} %`;
}

/** Alternatives if a fit failed because its model does not support the data. */
function waysOn(failed: Fitting['failed'], start: (settings: Settings, dataset: Dataset) => void): WayOn[] {
  if (failed?.settings === undefined) return [];
  const { settings, dataset } = failed as Required<Subject> & { settings: Settings };
  const { observations } = dataset;
  const counts = countsOf(settings, dataset.columns);
  if (counts.length > 0 && !BY_KIND.includes(settings.model)) {
    const roles = Object.fromEntries(Object.entries(settings.roles).filter(([column]) => !counts.includes(column)));
    return [
      { title: 'Fit with gplvm, which has counts', go: () => start({ ...settings, model: 'gplvm' }, dataset) },
      { title: 'Fit the counts as numbers', go: () => start({ ...settings, roles }, dataset) },
    ];
  }
  const all = Array.from({ length: observations.rows }, (_, i) => i);
  const seen = all.filter((i) => !observations.row(i).every(Number.isNaN));
  if (seen.length < all.length && seen.length >= 4) {
    const title = `Leave out ${counted(all.length - seen.length, 'row')} without numbers`;
    return [{ title, go: () => start(settings, rowsOfDataset(dataset, seen, dataset.name)) }];
  }
  const whole = all.filter((i) => !observations.row(i).some(Number.isNaN));
  const leftOut = observations.rows - whole.length;
  if (leftOut === 0 || 'missing' in MODELS[settings.model]!.options) return [];
  return [
    {
      title: 'Fit with gplvm, which fills in missing cells',
      go: () => start({ ...settings, model: 'gplvm' }, dataset),
    },
    ...(whole.length < 4
      ? []
      : [
          {
            title: `Leave out ${leftOut} row${leftOut === 1 ? '' : 's'}`,
            go: () => start(settings, rowsOfDataset(dataset, whole, `${dataset.name}, ${whole.length} whole rows`)),
          },
        ]),
  ];
}

const savePlaced = ({ latents, unlikely, ids, idColumn }: AddedRows): void =>
  save('placed.csv', placedTable(latents, unlikely, ids, idColumn));

/** Sentence about the projection of new rows and its reliability. */
function placedSentence({ latents, unlikely, by, compared, moved }: AddedRows): string {
  const far = unlikely.reduce((sum, value) => sum + value, 0);
  const like =
    by === 'density'
      ? `less likely than each of ${compared} rows of the fit`
      : `farther from every row of the fit than ${compared} rows of the fit are from their nearest`;
  const warning =
    2 * far > latents.rows ? ' The model has not seen rows like most of these: do not trust their positions.' : '';
  const placedAgain =
    moved === 0
      ? ''
      : ` ${compared} rows of the fit were placed in the same way, and ${moved} of them did not land at their position.`;
  return `${latents.rows} new rows are placed, shown as squares. ${far} of them, dashed, ${far === 1 ? 'is' : 'are'} ${like}.${warning}${placedAgain}`;
}

function useMedia(condition: string): boolean {
  const query = useMemo(() => matchMedia(condition), [condition]);
  const [matches, setMatches] = useState(query.matches);
  useEffect(() => {
    const changed = () => setMatches(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, [query]);
  return matches;
}
