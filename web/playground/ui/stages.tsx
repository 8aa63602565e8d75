import { useEffect, useState } from 'preact/hooks';

/** A file that is being read: how long it takes is not known before. */
export function Reading({
  name,
  bytes,
  cancel,
}: {
  readonly name: string;
  readonly bytes: number;
  readonly cancel: () => void;
}) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((now) => now + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const size = bytes < 1e5 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  return (
    <div class="notice card" role="status">
      <b>Reading {name}</b>
      <span>
        {size}, {seconds} s
      </span>
      <span class="progress" role="progressbar" aria-label={`Reading ${name}`} />
      <button type="button" class="lined" onClick={cancel}>
        Cancel
      </button>
    </div>
  );
}

/** Why a fit could not be made; the map that is there stays. */
export function Problem({
  message,
  kept,
  onControls,
  dismiss,
}: {
  readonly message: string;
  readonly kept: string | undefined;
  readonly onControls: () => void;
  readonly dismiss: () => void;
}) {
  return (
    <div class="notice problem card" role="alert">
      <p>{message}</p>
      {kept !== undefined && <p class="note">The map still shows the fit of {kept}.</p>}
      <div class="buttons">
        <button type="button" class="lined" onClick={onControls}>
          Change data or model
        </button>
        <button type="button" class="lined" onClick={dismiss}>
          Dismiss
        </button>
      </div>
    </div>
  );
}

const KEYS: readonly (readonly [string, string])[] = [
  ['N P', 'go through the rows'],
  ['← ↑ → ↓', 'move the cross: what the model expects there'],
  ['Shift ←', 'move the map'],
  ['+ − 0', 'zoom, show all'],
  ['L', 'lasso'],
  ['T', 'rows not to trust'],
  ['1 … 5', 'the same rows in other maps'],
  ['/', 'search: a row, a label, or column > value'],
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
