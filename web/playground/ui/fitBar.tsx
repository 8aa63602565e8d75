import { useEffect, useState } from 'preact/hooks';
import type { Theme } from '../drawing/colours.ts';
import type { Run, Trace } from '../fitting.ts';

interface Given {
  readonly run: Run;
  readonly theme: Theme;
  readonly controls: {
    readonly pause: () => void;
    readonly resume: () => void;
    readonly stop: () => void;
  };
}

/** How far the fit is that is being made, at the foot of its map. */
export function FitBar({ run, theme, controls }: Given) {
  return (
    <section class="fitbar card" aria-label="The fit that is being made">
      {run.trace[0].length === 0 ? (
        <span class="words">
          <b>Before its first step</b>
          <Elapsed since={run.since} />
        </span>
      ) : (
        <Objective trace={run.trace} most={run.most} theme={theme} />
      )}
      <button type="button" class="lined" onClick={run.isPaused ? controls.resume : controls.pause}>
        {run.isPaused ? 'Resume' : 'Pause'}
      </button>
      <button type="button" class="lined" onClick={controls.stop}>
        Stop
      </button>
    </section>
  );
}

/** The last iteration and its objective, and the objective over all of them. */
export function Objective({
  trace,
  most,
  theme,
}: {
  readonly trace: Trace;
  /** Iterations that there may be when it ends; undefined where it has ended. */
  readonly most?: number;
  readonly theme: Theme;
}) {
  const last = trace[1].at(-1);
  if (last === undefined) return null;
  const steps = `${trace[0].at(-1)}${most === undefined ? '' : ` of at most ${most}`} iterations`;
  const objective = `objective ${Number(last.toPrecision(7))}`.replace('-', '−');
  return (
    <>
      <Spark trace={trace} ink={theme.map.accent} label={`Objective, ${steps}, ${objective}`} />
      <span class="words" data-testid="objective">
        <span>{steps}</span>
        <span class="comma">, </span>
        <span>{objective}</span>
      </span>
    </>
  );
}

/** The seconds since a fit began: they tell that it is busy before its first step. */
function Elapsed({ since }: { readonly since: number }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 1000);
    return () => clearInterval(timer);
  }, [since]);
  return <span aria-hidden="true">{Math.round((now - since) / 1000)} s</span>;
}

/** The objective over the iterations. */
function Spark({ trace: [x, y], ink, label }: { readonly trace: Trace; readonly ink: string; readonly label: string }) {
  const known = y.slice(-400).filter(Number.isFinite);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const last = x.at(-1) || 1;
  const step = Math.max(1, Math.floor(x.length / 120));
  const points = x
    .map((iteration, k) => [iteration, y[k]!] as const)
    .filter(([, value], k) => Number.isFinite(value) && (k % step === 0 || k === x.length - 1))
    .map(
      ([iteration, value]) =>
        `${(62 * iteration) / last + 1},${17 - 15 * Math.max(0, (value - low) / (high - low || 1))}`,
    );
  return (
    <svg class="spark" viewBox="0 0 64 18" role="img" aria-label={label}>
      <polyline points={points.join(' ')} stroke={ink} />
    </svg>
  );
}
