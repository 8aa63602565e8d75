import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Dataset, type RowView, rowView } from '../data/dataset.ts';
import type { OwnTable } from '../data/ownTable.ts';
import { SETS } from '../data/sets.ts';
import { isDense, type Settings } from '../settings.ts';
import { SlowAdvice, TableAdvice } from './advice.tsx';
import { ModelFields } from './fields.tsx';
import { FileDrop, type OnFile } from './fileDrop.tsx';
import { Icon } from './icon.tsx';
import { Uses, type WayOn, Ways } from './stages.tsx';

/** Rows from which a fit of the family takes minutes unless it has inducing inputs. */
const MANY = 1200;

interface Given {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly settings: Settings;
  readonly change: (changed: Partial<Settings>) => void;
  readonly own: OwnTable | undefined;
  readonly dataset: Dataset | undefined;
  readonly error: string;
  readonly repairWays: readonly WayOn[];
  /** The file that is being read. */
  readonly reading: string | undefined;
  readonly onSet: (set: string) => void;
  readonly onFile: OnFile;
  readonly onLabels: (column: string) => void;
  readonly onView: (view: RowView) => void;
  readonly onFit: () => void;
  readonly onOpen: OnFile;
  /** To the page on which a table is asked for. */
  readonly onNew: () => void;
  /** undefined where the fit that is shown places no rows. */
  readonly onPlace: OnFile | undefined;
  readonly placed: string;
  readonly ink: string;
}

/** Whether the documents stand beside this page: they do not beside a page of one file. */
const isOnSite = document.getElementById('held') === null;

/** Data, model and what can be done with files. */
export function Drawer(given: Given) {
  const { isOpen, close, settings, change, dataset, reading, onFit, onOpen, onPlace, placed, ink } = given;
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
                Read about <a href={`../reference/index/functions/${settings.model}.html`}>{settings.model}</a>, or{' '}
                <a href="../which-model.html">which model to take</a>.
              </p>
            )}
            <SlowAdvice {...{ rows, settings, change }} />
            {isLarge && (
              <p class="note">
                An iteration takes some cubes of the number of rows: choose inducing inputs, or another model, for more
                than {MANY}.
              </p>
            )}
          </Section>
          <Section title="Files">
            <FileDrop label="Open a saved fit, a fit.json" name="fit" onFile={onOpen} />
            {onPlace !== undefined && (
              <>
                <FileDrop
                  label="Place new rows in the map: a table with the same columns"
                  name="rows"
                  onFile={onPlace}
                />
                <p role="status" class="note">
                  {placed}
                </p>
              </>
            )}
          </Section>
        </div>
        <div class="foot">
          <button type="submit" class="solid wide" disabled={dataset === undefined || reading !== undefined}>
            Fit
          </button>
          <p>Everything is computed on this machine. Nothing leaves it.</p>
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
      {isOwn && dataset !== undefined && <ViewField dataset={dataset} onView={onView} />}
      {error !== '' && (
        <p role="alert" class="error">
          {error}
        </p>
      )}
      <Ways ways={repairWays} />
      {dataset !== undefined && (
        <p class="note">
          {dataset.observations.rows} rows, {dataset.observations.columns} columns.{' '}
          {dataset.notes.slice(0, 4).join(' ')}
        </p>
      )}
      {isOwn && <Uses uses={own.uses} title="What is done with each column" />}
      <button type="button" class="link" onClick={onNew}>
        Begin with another table
      </button>
      {isOwn && <TableAdvice table={own} {...{ settings, change }} />}
    </>
  );
}

/** Heights of images that rows of so many values may be, the squarest first. */
function heightsOf(columns: number): number[] {
  const found: number[] = [];
  for (let height = 2; height * 2 <= columns; height++) if (columns % height === 0) found.push(height);
  const isOff = (height: number) => Math.abs(Math.log(height / (columns / height)));
  return found.sort((a, b) => isOff(a) - isOff(b)).slice(0, 8);
}

/** What rows are: values by name, unless the table says otherwise or it is asked for. */
function ViewField({ dataset, onView }: { readonly dataset: Dataset; readonly onView: (view: RowView) => void }) {
  const { view, columns } = dataset;
  const named = rowView(columns);
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
          if (kind === 'named') onView(rowView(columns));
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
