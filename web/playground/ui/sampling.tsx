import { useEffect, useState } from 'preact/hooks';
import type { useSampling } from '../useSampling.ts';

/** Default maximum number of points that are sampled too. */
const MANY_POINTS = 100;

export type SamplingGiven = ReturnType<typeof useSampling> & { readonly rows: number };

type Told = typeof import('./drawn.tsx').DrawnPart;

/** Draws from the posterior: the uncertainty of points and parameters. */
export function SamplingPart(given: SamplingGiven) {
  const { sampling, start, rows } = given;
  const [holds, setHolds] = useState(rows > MANY_POINTS);
  const [Told, setTold] = useState<Told>();
  const isAsked = sampling !== undefined;
  useEffect(() => {
    if (isAsked) import('./drawn.tsx').then(({ DrawnPart }) => setTold(() => DrawnPart));
  }, [isAsked]);
  return (
    <section class="part drawn" aria-label="Posterior samples">
      <h3>Posterior samples</h3>
      {Told !== undefined && isAsked ? (
        <Told {...given} />
      ) : (
        <p class="note">Four chains start at this fit and move through all maps that fit the data.</p>
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
