/** How many neighbors rows keep, and the number below which their places are in doubt. */
export function TrustBox({
  kept,
  of,
  few,
  setFew,
  close,
}: {
  readonly kept: Uint8Array;
  readonly of: number;
  readonly few: number;
  readonly setFew: (few: number) => void;
  readonly close: () => void;
}) {
  const counts = new Array<number>(of + 1).fill(0);
  for (const value of kept) counts[value]! += 1;
  const most = Math.max(...counts);
  const doubtful = counts.slice(0, few).reduce((sum, count) => sum + count, 0);
  return (
    <section class="scale trust card" aria-label="Rows not to trust here">
      <p class="title">
        Rows not to trust here
        <button type="button" class="link" onClick={close}>
          Close
        </button>
      </p>
      <div class="histogram" role="img" aria-label={`Rows by neighbors kept: ${counts.join(', ')}`}>
        {counts.map((count, value) => (
          <i
            key={value}
            class={value < few ? 'few' : ''}
            style={`height: ${count === 0 ? 0 : Math.max(4, (100 * count) / most)}%`}
          />
        ))}
      </div>
      <p class="ticks">
        <span>0</span>
        <span>{of} kept</span>
      </p>
      <input
        type="range"
        aria-label="Neighbors kept, at least"
        min="1"
        max={of}
        value={few}
        onInput={({ currentTarget }) => setFew(Number(currentTarget.value))}
      />
      <p class="said">
        <b class={doubtful > 0 ? 'doubt' : ''}>
          {doubtful} row{doubtful === 1 ? '' : 's'}
        </b>{' '}
        (rings) {doubtful === 1 ? 'keeps' : 'keep'} fewer than {few} of the {of} nearest rows.{' '}
        <span>Point at one: lines lead to its nearest.</span>
      </p>
    </section>
  );
}
