import { short } from './figures.tsx';
import type { SamplingGiven } from './sampling.tsx';

/** Weak priors that were added, as code. */
const WEAK_PRIORS = /Weak priors were added: .*?\)\.(?= [A-Z]|$)/s;

/** Panel for running chains and their results. Loaded on first use. */
export function DrawnPart({ sampling, stop, show, play, rows }: SamplingGiven) {
  const { status, steps, drawn, problem, mode, holdsPoints } = sampling!;
  const held = holdsPoints && (
    <p class="note">The {rows} points are fixed, so the map stays as it is: only the parameters move.</p>
  );
  if (status === 'running') {
    const done = steps.reduce((sum, step) => sum + (step?.done ?? 0), 0);
    const { chains, of } = steps.find((step) => step !== undefined) ?? { chains: 1, of: 1 };
    const isWarmup = steps.some((step) => step?.isWarmup !== false);
    return (
      <>
        <progress aria-label="Draws" max={chains * of} value={done} />
        <p class="note">
          {isWarmup ? 'Warming up' : 'Drawing'}: {done} of {chains * of} transitions
        </p>
        {held}
        <div class="buttons">
          <button type="button" class="lined" onClick={stop}>
            Stop the chains
          </button>
        </div>
      </>
    );
  }
  if (drawn === undefined) {
    return (
      <p role="status" class="error">
        {problem}
      </p>
    );
  }
  const { message, chains, draws, modes, maps, rHat, parameters } = drawn;
  const { frame } = sampling!;
  return (
    <>
      <p role="status" data-draws={chains * draws}>
        {chains} × {draws} draws.{rHat !== undefined && ` R̂ of distances between points: ${rHat.toFixed(3)}.`}{' '}
        {message.replace(WEAK_PRIORS, 'Parameters without a prior have a weak one.')}
      </p>
      {held}
      {modes.length > 0 && (
        <fieldset class="segments" aria-label="Ellipses of draws on the map">
          {modes.map((each, k) => (
            <button key={each.chains.join()} type="button" aria-pressed={mode === k} onClick={() => show(k)}>
              {modes.length === 1 ? 'Ellipses' : `Chains ${each.chains.join(', ')}`}
            </button>
          ))}
          <button type="button" aria-pressed={mode < 0 && frame === undefined} onClick={() => show(-1)}>
            None
          </button>
          {maps.length > 1 && (
            <button type="button" aria-pressed={frame !== undefined} onClick={() => play(frame === undefined)}>
              {maps.length} maps in turn
            </button>
          )}
        </fieldset>
      )}
      {frame !== undefined && (
        <p class="note">
          Map {frame + 1} of {maps.length}, as dots: a draw from the posterior, aligned with the fit. Points that stay
          are well determined; points that jump are not.
        </p>
      )}
      <table class="relevance">
        <thead>
          <tr>
            {['parameter', 'mean', '90 % from', 'to', 'R̂'].map((name, k) => (
              <th key={name} scope="col" class={k === 0 ? '' : 'number'}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {parameters.map(({ name, mean, q5, q95, rHat: own }) => (
            <tr key={name}>
              <th scope="row" title={name}>
                {name.replace('mapping.', '')}
              </th>
              <td class="number">{short(mean)}</td>
              <td class="number">{short(q5)}</td>
              <td class="number">{short(q95)}</td>
              <td class="number">{own.toFixed(2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
