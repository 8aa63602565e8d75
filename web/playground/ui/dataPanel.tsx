import { useRef, useState } from 'preact/hooks';
import type { Dataset } from '../data/dataset.ts';
import type { OwnTable } from '../data/ownTable.ts';
import { SETS } from '../data/sets.ts';
import { Panel } from './fields.tsx';

interface Given {
  readonly set: string;
  readonly own: OwnTable | undefined;
  readonly dataset: Dataset | undefined;
  readonly error: string;
  readonly onSet: (set: string) => void;
  readonly onFile: (name: string, bytes: Uint8Array) => void;
  readonly onLabels: (column: string) => void;
}

/** Where the rows come from. */
export function DataPanel({ set, own, dataset, error, onSet, onFile, onLabels }: Given) {
  return (
    <Panel title="Data" id="data">
      <FileDrop label="Drop a .csv, .tsv, .txt, .npy or .npz file here, or choose one" name="table" onFile={onFile} />
      <label>
        Or an example
        <select name="set" value={set} onChange={({ currentTarget }) => onSet(currentTarget.value)}>
          {own !== undefined && <option value="own">{own.name}</option>}
          {Object.entries(SETS).map(([name, { title }]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {set === 'own' && own !== undefined && (
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
      {error !== '' && (
        <p role="alert" class="error">
          {error}
        </p>
      )}
      {dataset !== undefined && (
        <p class="small">
          {dataset.observations.rows} rows, {dataset.observations.columns} columns.{' '}
          {dataset.notes.slice(0, 4).join(' ')}
        </p>
      )}
    </Panel>
  );
}

/** A field for a file, on which one can be dropped too. */
export function FileDrop({
  label,
  name,
  onFile,
}: {
  readonly label: string;
  readonly name: string;
  readonly onFile: Given['onFile'];
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = async (file: File | undefined) => {
    if (file !== undefined) onFile(file.name, new Uint8Array(await file.arrayBuffer()));
    if (input.current !== null) input.current.value = '';
  };
  return (
    <label
      class={`drop${isOver ? ' over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files[0]);
      }}
    >
      {label}
      <input ref={input} type="file" name={name} onChange={({ currentTarget }) => take(currentTarget.files?.[0])} />
    </label>
  );
}
