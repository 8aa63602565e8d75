import { useEffect, useState } from 'preact/hooks';
import type { useSampling } from '../useSampling.ts';

/** Points up to which they are drawn too, unless the visitor chooses. */
const MANY_POINTS = 100;

export type SamplingGiven = ReturnType<typeof useSampling> & { readonly rows: number };

type Told = typeof import('./drawn.tsx').DrawnPart;

/** Draws from the posterior: how far points and parameters could lie elsewhere. */
export function SamplingPart(given: SamplingGiven) {
  const { sampling, start, rows } = given;
  const [holds, setHolds] = useState(rows > MANY_POINTS);
  const [Told, setTold] = useState<Told>();
  const isAsked = sampling !== undefined;
  useEffect(() => {
    if (isAsked) import('./drawn.tsx').then(({ DrawnPart }) => setTold(() => DrawnPart));
  }, [isAsked]);
  return (
    <section class="part drawn" aria-label="Draws from the posterior">
      <h3>How else it could be</h3>
      {Told !== undefined && isAsked ? (
        <Told {...given} />
      ) : (
        <p class="note">Four chains move through what the data leave open, beginning at this fit.</p>
      )}
      {sampling?.status !== 'running' && (
        <>
          <label class="note">
            <input
              type="checkbox"
              checked={!holds}
              onChange={({ currentTarget }) => setHolds(!currentTarget.checked)}
            />
            The {rows} points move too{rows > MANY_POINTS ? ': many, so this takes minutes' : ''}
          </label>
          <div class="buttons">
            <button type="button" class="lined" onClick={() => start(holds)}>
              {isAsked ? 'Draw again' : 'Draw'}
            </button>
          </div>
        </>
      )}
    </section>
  );
}
