import { useEffect, useRef, useState } from 'preact/hooks';
import type { Theme } from '../drawing/colors.ts';
import type { Trace } from '../fitSummary.ts';
import type { Run } from '../fitting.ts';

interface Given {
  readonly run: Run;
  readonly theme: Theme;
  readonly controls: {
    readonly pause: () => void;
    readonly resume: () => void;
    readonly stop: () => void;
  };
}

/** Progress of the fit, at the foot of its map. */
export function FitBar({ run, theme, controls }: Given) {
  const left = useTimeLeft(run);
  return (
    <section class="fitbar card" aria-label="Running fit">
      {run.trace[0].length === 0 ? (
        <span class="words">
          <b>Before its first step</b>
          <Elapsed since={run.since} />
        </span>
      ) : (
        <Objective trace={run.trace} most={run.most} left={left} theme={theme} />
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

/** Last iteration and its objective, and the objective over all iterations. */
export function Objective({
  trace,
  most,
  left,
  theme,
}: {
  readonly trace: Trace;
  /** Maximum number of iterations; undefined if the fit has ended. */
  readonly most?: number;
  /** Estimated remaining time; undefined if unknown. */
  readonly left?: string | undefined;
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
        {left !== undefined && (
          <>
            <span class="comma">, </span>
            <span>{left}</span>
          </>
        )}
      </span>
    </>
  );
}

/** Number of recent steps for estimating the pace, and the minimum. */
const RECENT = 100;
const FEWEST = 5;

/** Upper estimate of the time for the remaining iterations, at the pace of the last ones; undefined before there is a pace. */
function useTimeLeft({ trace, most, isPaused }: Run): string | undefined {
  const recent = useRef<{ readonly iteration: number; readonly at: number }[]>([]);
  const iteration = trace[0].at(-1);
  if (isPaused || iteration === undefined) recent.current = [];
  else if (iteration !== recent.current.at(-1)?.iteration) {
    recent.current = [...recent.current.slice(1 - RECENT), { iteration, at: performance.now() }];
  }
  const [first, last] = [recent.current[0], recent.current.at(-1)];
  if (first === undefined || last === undefined || recent.current.length < FEWEST) return undefined;
  const pace = (last.at - first.at) / (last.iteration - first.iteration) / 1000;
  const seconds = pace * Math.max(0, most - last.iteration);
  return `at most ${duration(seconds)} more`;
}

/** "12 s", "3 min". */
export const duration = (seconds: number): string =>
  seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;

/** Seconds since a fit began, which show that it is busy before its first step. */
function Elapsed({ since }: { readonly since: number }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 1000);
    return () => clearInterval(timer);
  }, [since]);
  return <span aria-hidden="true">{Math.round((now - since) / 1000)} s</span>;
}

/** Objective over the iterations. */
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
