import { short } from './figures.tsx';
import type { SamplingGiven } from './sampling.tsx';

/** What is said while chains draw, and of what they have drawn. Loaded when the first draws are asked for. */
export function DrawnPart({ sampling, stop, show }: SamplingGiven) {
  const { status, steps, drawn, problem, mode } = sampling!;
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
  const { message, chains, draws, modes, rHat, parameters } = drawn;
  return (
    <>
      <p role="status" data-draws={chains * draws}>
        {chains} × {draws} draws.{rHat !== undefined && ` R̂ of distances between points: ${rHat.toFixed(3)}.`} {message}
      </p>
      {modes.length > 0 && (
        <fieldset class="segments" aria-label="Ellipses of draws on the map">
          {modes.map((each, k) => (
            <button key={each.chains.join()} type="button" aria-pressed={mode === k} onClick={() => show(k)}>
              {modes.length === 1 ? 'Ellipses' : `Chains ${each.chains.join(', ')}`}
            </button>
          ))}
          <button type="button" aria-pressed={mode < 0} onClick={() => show(-1)}>
            None
          </button>
        </fieldset>
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
