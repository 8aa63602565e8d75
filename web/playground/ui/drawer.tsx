import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Dataset, RowView } from '../data/dataset.ts';
import type { OwnTable } from '../data/ownTable.ts';
import { SETS } from '../data/sets.ts';
import type { ExpectedTime } from '../expectedTime.ts';
import { isDense, type Settings } from '../settings.ts';
import { SlowAdvice, TableAdvice, TimeAdvice } from './advice.tsx';
import { ModelFields } from './fields.tsx';
import { FileDrop, type OnFile } from './fileDrop.tsx';
import { Icon } from './icon.tsx';
import { type OnRole, Roles, Uses, type WayOn, Ways } from './stages.tsx';

/** Number of rows above which a fit of the family takes minutes without inducing inputs. */
const MANY = 1200;

interface Given {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly settings: Settings;
  /** Expected time of the fit, if it is long. */
  readonly expected: ExpectedTime | undefined;
  readonly change: (changed: Partial<Settings>) => void;
  readonly own: OwnTable | undefined;
  readonly dataset: Dataset | undefined;
  readonly error: string;
  readonly repairWays: readonly WayOn[];
  /** File that is being read. */
  readonly reading: string | undefined;
  readonly onSet: (set: string) => void;
  readonly onFile: OnFile;
  readonly onLabels: (column: string) => void;
  readonly onRole: OnRole;
  readonly onView: (view: RowView) => void;
  readonly onFit: () => void;
  readonly onOpen: OnFile;
  /** Opens the page for choosing a table. */
  readonly onNew: () => void;
  /** Projects new rows; undefined if the shown fit cannot. */
  readonly onPlace: OnFile | undefined;
  readonly placed: string;
  /** Saves projected rows; undefined without any. */
  readonly onSavePlaced: (() => void) | undefined;
  readonly ink: string;
}

/** True if the documentation is available next to this page, which is not the case for single-file pages. */
const isOnSite = document.getElementById('held') === null;

/** Drawer for data, model and files. */
export function Drawer(given: Given) {
  const {
    isOpen,
    close,
    settings,
    expected,
    change,
    dataset,
    reading,
    onFit,
    onOpen,
    onPlace,
    placed,
    onSavePlaced,
    ink,
  } = given;
  const rows = dataset?.observations.rows ?? 0;
  const isLarge = rows > MANY && isDense(settings);
  const top = useRef<HTMLButtonElement>(null);
  const before = useRef<Element | null>(null);
  useEffect(() => {
    // Focus moves into the drawer with it, and back.
    if (isOpen) {
      before.current = document.activeElement;
      top.current!.focus();
    } else if (
      document.activeElement === document.body ||
      top.current!.closest('#drawer')!.contains(document.activeElement)
    )
      (before.current as HTMLElement | null)?.focus();
  }, [isOpen]);
  return (
    <section id="drawer" class={`drawer${isOpen ? ' open' : ''}`} aria-label="Data and model" inert={!isOpen}>
      <div class="top">
        <h2>Data and model</h2>
        <button ref={top} type="button" class="tool" aria-label="Close data and model" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <form
        id="settings"
        onSubmit={(event) => {
          event.preventDefault();
          onFit();
        }}
      >
        <div class="body">
          <Section title="Data">
            <DataFields {...given} />
          </Section>
          <Section title="Model">
            <ModelFields {...{ settings, change, ink }} />
            {isOnSite && (
              <p class="note">
                Read about <a href={`../reference/latentfield/functions/${settings.model}.html`}>{settings.model}</a>,
                or <a href="../which-model.html">which model to choose</a>.
              </p>
            )}
            <SlowAdvice {...{ rows, settings, change }} />
            <TimeAdvice {...{ expected, settings }} />
            {isLarge && (
              <p class="note">
                The time per iteration grows with the cube of the number of rows: choose inducing inputs, or another
                model, for more than {MANY}.
              </p>
            )}
          </Section>
          <Section title="Files">
            <FileDrop label="Open a saved fit, a fit.json" name="fit" onFile={onOpen} />
            {onPlace !== undefined && (
              <>
                <FileDrop
                  label="Place new rows on the map: a table with the same columns"
                  name="rows"
                  onFile={onPlace}
                />
                <p role="status" class="note">
                  {placed}
                </p>
                {onSavePlaced !== undefined && (
                  <button type="button" class="lined" onClick={onSavePlaced}>
                    Save placed.csv
                  </button>
                )}
              </>
            )}
          </Section>
        </div>
        <div class="foot">
          <button type="submit" class="solid wide" disabled={dataset === undefined || reading !== undefined}>
            Fit
          </button>
          <p>Everything is computed on this machine. Your data stay here.</p>
        </div>
      </form>
    </section>
  );
}

const Section = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="part" aria-label={title}>
    <h3>{title}</h3>
    {children}
  </section>
);

function DataFields({
  settings,
  change,
  own,
  dataset,
  error,
  repairWays,
  onSet,
  onFile,
  onLabels,
  onRole,
  onView,
  onNew,
}: Given) {
  const isOwn = settings.set === 'own' && own !== undefined;
  return (
    <>
      <FileDrop label="Drop a .csv, .tsv, .txt, .npy or .npz file here, or choose one" name="table" onFile={onFile} />
      <label>
        Or an example
        <select name="set" value={settings.set} onChange={({ currentTarget }) => onSet(currentTarget.value)}>
          {own !== undefined && <option value="own">{own.name}</option>}
          {Object.entries(SETS).map(([name, { title }]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {isOwn && (
        <label>
          Labels
          <select name="labels" value={own.labels} onChange={({ currentTarget }) => onLabels(currentTarget.value)}>
            <option value="">none</option>
            {own.choices.map((column) => (
              <option key={column} value={column}>
                {column}
              </option>
            ))}
          </select>
        </label>
      )}
      {isOwn && dataset !== undefined && <ViewField dataset={dataset} read={own.dataset.view} onView={onView} />}
      {error !== '' && (
        <p role="alert" class="error">
          {error}
        </p>
      )}
      <Ways ways={repairWays} />
      {dataset !== undefined && (
        <p class="note">
          {dataset.observations.rows} rows, {dataset.observations.columns} columns.{' '}
          {dataset.notes
            .slice(0, 4)
            .map((note) => note.replace(/ \([^()]*`[^()]*\)|: if [^`]*`[^`]*`/g, ''))
            .join(' ')}
        </p>
      )}
      {isOwn && <Uses uses={own.uses} title="Use of each column" />}
      {isOwn && <Roles all={own.all} onRole={onRole} />}
      <button type="button" class="link" onClick={onNew}>
        Start with another table
      </button>
      {isOwn && <TableAdvice table={own} {...{ settings, change, onRole }} />}
    </>
  );
}

/** Possible heights of images with this many values, most square first. */
function heightsOf(columns: number): number[] {
  const found: number[] = [];
  for (let height = 2; height * 2 <= columns; height++) if (columns % height === 0) found.push(height);
  const isOff = (height: number) => Math.abs(Math.log(height / (columns / height)));
  return found.sort((a, b) => isOff(a) - isOff(b)).slice(0, 8);
}

/** Field for the display of rows: as the names of the columns suggest, unless the visitor chooses otherwise. */
function ViewField({
  dataset: { view, columns },
  read: named,
  onView,
}: {
  readonly dataset: Dataset;
  readonly read: RowView;
  readonly onView: (view: RowView) => void;
}) {
  const isByName = (each: RowView): each is RowView & { kind: 'image' } =>
    each.kind === 'image' && each.pixels !== undefined;
  const value = isByName(view) ? 'named' : view.kind === 'image' ? `image ${view.height}` : view.kind;
  return (
    <label>
      Rows are
      <select
        name="view"
        value={value}
        onChange={({ currentTarget }) => {
          const [kind, height] = currentTarget.value.split(' ');
          if (kind === 'named') onView(named);
          else if (kind === 'image') onView({ kind, height: Number(height), width: columns.length / Number(height) });
          else onView({ kind: kind as 'values' | 'curve' });
        }}
      >
        <option value="values">values by name</option>
        <option value="curve">curves along the columns</option>
        {isByName(named) && (
          <option value="named">
            images of {named.height} × {named.width} pixels, by their names
          </option>
        )}
        {heightsOf(columns.length).map((height) => (
          <option key={height} value={`image ${height}`}>
            images of {height} × {columns.length / height} pixels
          </option>
        ))}
      </select>
    </label>
  );
}
