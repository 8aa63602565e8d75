import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Dataset } from '../data/dataset.ts';
import { type OwnTable, ownTable } from '../data/ownTable.ts';
import { SETS } from '../data/sets.ts';
import { openedDataset } from '../exports.ts';
import { useFitting } from '../fitting.ts';
import { DEFAULTS, DENSE, linkOf, type Settings, settingsOf } from '../settings.ts';
import { DataPanel, FileDrop } from './dataPanel.tsx';
import { Explorer } from './explorer.tsx';
import { ModelFields, Panel } from './fields.tsx';
import { useTheme } from './theme.ts';
import { Trace } from './trace.tsx';

/** Rows from which a fit of the family takes minutes unless it has inducing inputs. */
const MANY = 1200;

export function App() {
  const [settings, setSettings] = useState<Settings>(DEFAULTS);
  const [own, setOwn] = useState<OwnTable>();
  const [error, setError] = useState('');
  const [isRun, setRun] = useState(false);
  const [isCompact, setCompact] = useState(false);
  const { fitting, ...controls } = useFitting();
  const theme = useTheme();
  const change = (changed: Partial<Settings>) => setSettings((now) => ({ ...now, ...changed }));
  const dataset = useMemo<Dataset | undefined>(
    () => (settings.set === 'own' ? own?.dataset : SETS[settings.set]?.make()),
    [settings.set, own],
  );

  async function read(name: string, bytes: Uint8Array, labels?: string) {
    setError('');
    try {
      const table = await ownTable(name, bytes, labels);
      setOwn(table);
      change({ set: 'own', labels: table.labels });
    } catch (failure) {
      setError((failure as Error).message);
    }
  }

  /** The part of the address behind # that has been read, or that the page has written itself. */
  const address = useRef('');
  useEffect(() => {
    const follow = () => {
      if (address.current === location.hash) return;
      address.current = location.hash;
      const found = settingsOf(location.hash);
      if (found === undefined) {
        if (location.hash.length > 1) setError('The address holds no settings that this page can read.');
        return;
      }
      setError('');
      setSettings(found.settings);
      setRun(found.run);
      setCompact(found.compact);
      if (found.settings.set !== 'own') return;
      change({ set: DEFAULTS.set });
      if (found.csv === undefined) setError('The link is of a table that is too large for links. Drop the table here.');
      else read('table.csv', new TextEncoder().encode(found.csv), found.settings.labels);
    };
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    if (!isRun || dataset === undefined) return;
    setRun(false);
    controls.start(settings, dataset);
  }, [isRun, dataset]);

  const open = (name: string, bytes: Uint8Array) =>
    controls.open(name, new TextDecoder().decode(bytes), (rows) => openedDataset(name, rows, dataset));

  return (
    <>
      {!isCompact && (
        <header class="container-fluid">
          <h1>latentfield playground</h1>
          <p>Latent variable models of your own table, fitted in this page. Nothing you give leaves it.</p>
        </header>
      )}
      <main class={`container-fluid${isCompact ? ' alone' : ''}`}>
        {!isCompact && (
          <div class="controls">
            <DataPanel
              set={settings.set}
              own={own}
              dataset={dataset}
              error={error}
              onSet={(set) => {
                setError('');
                change({ set });
              }}
              onFile={read}
              onLabels={(column) => own !== undefined && read(own.name, own.bytes, column)}
            />
            <Panel title="Model" id="model">
              <form
                id="settings"
                onSubmit={(event) => {
                  event.preventDefault();
                  if (dataset !== undefined) controls.start(settings, dataset);
                }}
              >
                <ModelFields settings={settings} change={change} ink={theme.ink} />
                {dataset !== undefined && dataset.observations.rows > MANY && settings.model in DENSE && (
                  <p class="small">
                    An iteration takes some cubes of the number of rows: choose inducing inputs, or a spectral model,
                    for more than {MANY}.
                  </p>
                )}
              </form>
              <Link
                settings={settings}
                csv={settings.set === 'own' ? own?.csv : undefined}
                isOwn={settings.set === 'own'}
                onWritten={(hash) => {
                  address.current = hash;
                }}
              />
              <details>
                <summary>Open a saved fit</summary>
                <FileDrop label="A fit.json" name="fit" onFile={open} />
              </details>
            </Panel>
          </div>
        )}
        <div class="results">
          <Panel title="Fit" id="fit">
            {!isCompact && (
              <button type="submit" form="settings" disabled={dataset === undefined}>
                Fit
              </button>
            )}
            <p role="status" class={fitting.status === 'failed' ? 'error' : ''} data-status={fitting.status}>
              {fitting.message || 'Choose data and a model, then press Fit.'}
            </p>
            {(fitting.status === 'running' || fitting.status === 'paused') && (
              <div class="pair">
                <button
                  type="button"
                  class="secondary"
                  onClick={fitting.status === 'paused' ? controls.resume : controls.pause}
                >
                  {fitting.status === 'paused' ? 'Resume' : 'Pause'}
                </button>
                <button type="button" class="secondary" onClick={controls.stop}>
                  Stop
                </button>
              </div>
            )}
            <Trace trace={fitting.trace} ink={theme.ink} />
          </Panel>
          {fitting.latents !== undefined && <Explorer fitting={fitting} theme={theme} />}
        </div>
      </main>
    </>
  );
}

/** A link that holds the settings, and a small table. */
function Link({
  settings,
  csv,
  isOwn,
  onWritten,
}: {
  readonly settings: Settings;
  readonly csv: string | undefined;
  readonly isOwn: boolean;
  readonly onWritten: (hash: string) => void;
}) {
  const [told, setTold] = useState('');
  const link = useRef<HTMLAnchorElement>(null);
  const href = linkOf(settings, csv);
  return (
    <p class="small">
      <a
        ref={link}
        href={href}
        onClick={() => {
          onWritten(new URL(link.current!.href).hash);
          setTold(
            isOwn && csv === undefined
              ? 'The address now holds the settings; the table is too large for it.'
              : 'The address of this page now holds them.',
          );
        }}
      >
        Link to these settings
      </a>{' '}
      {told}
    </p>
  );
}
