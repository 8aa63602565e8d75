/** Number of bars of the histogram. */
const BINS = 20;

/** Trustworthiness of the rows, and the threshold below which their positions are doubtful. */
export function TrustBox({
  byRow,
  least,
  setLeast,
  close,
}: {
  readonly byRow: Float64Array;
  readonly least: number;
  readonly setLeast: (least: number) => void;
  readonly close: () => void;
}) {
  const counts = new Array<number>(BINS).fill(0);
  for (const value of byRow) counts[Math.min(BINS - 1, Math.max(0, Math.floor(BINS * value)))]! += 1;
  const most = Math.max(...counts);
  const doubtful = byRow.reduce((count, value) => count + (value < least ? 1 : 0), 0);
  return (
    <section class="scale trust card" aria-label="Rows in doubt">
      <p class="title">
        Rows in doubt
        <button type="button" class="link" onClick={close}>
          Close
        </button>
      </p>
      <div class="histogram" role="img" aria-label={`Rows by trustworthiness from 0 to 1: ${counts.join(', ')}`}>
        {counts.map((count, value) => (
          <i
            key={value}
            class={(value + 1) / BINS <= least ? 'few' : ''}
            style={`height: ${count === 0 ? 0 : Math.max(4, (100 * count) / most)}%`}
          />
        ))}
      </div>
      <p class="ticks">
        <span>0</span>
        <span>1</span>
      </p>
      <input
        type="range"
        aria-label="Trustworthiness, at least"
        min="0.05"
        max="1"
        step="0.05"
        value={least}
        onInput={({ currentTarget }) => setLeast(Number(currentTarget.value))}
      />
      <p class="said">
        <b class={doubtful > 0 ? 'doubt' : ''}>
          {doubtful} row{doubtful === 1 ? '' : 's'}
        </b>{' '}
        (rings) {doubtful === 1 ? 'has' : 'have'} a trustworthiness below {least}.{' '}
        <span>Point at one to see lines to its nearest rows.</span>
      </p>
    </section>
  );
}
