import { SingleBar } from 'cli-progress';
import type { FitDiagnostics, TraceEntry } from '../index.ts';
import type { Streams } from './streams.ts';

/** Follows a fit. */
export interface ProgressBar {
  update(progress: TraceEntry): void;
  stop(): void;
}

/** Where nobody watches. */
export const NO_BAR: ProgressBar = { update: () => {}, stop: () => {} };

/** Ends the marks of a bar: wraps lines and shows the cursor again. */
export const CLEAN_TERMINAL = '\x1B[?7h\x1B[?25h\n';

/** Shows where a fit stands: a bar on a terminal; elsewhere a line now and then, so that a log shows that it goes on. */
export function progressBar(stderr: Streams['stderr'], total: number): ProgressBar {
  if (total === 0) return NO_BAR;
  return stderr.isTTY ? drawnBar(stderr, total) : lines(stderr, total);
}

function drawnBar(stderr: Streams['stderr'], total: number): ProgressBar {
  const left = remaining(total);
  const bar = new SingleBar({
    format: '{bar} {value}/{total} iterations | objective {objective} | {duration_formatted}{left}',
    stream: stderr,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    clearOnComplete: true,
    // An interrupt stops the fit, not the program: see main.ts.
    gracefulExit: false,
  });
  bar.start(total, 0, { objective: '…', left: '' });
  return {
    update: ({ iteration, objective }) => {
      const time = left(iteration);
      bar.update(iteration, {
        objective: objective.toPrecision(8),
        left: time === undefined ? '' : `, at most ${inWords(time)} left`,
      });
    },
    stop: () => bar.stop(),
  };
}

/** Seconds from the start to the first line; to each further one half as long again as to the one before. */
const FIRST_LINE = 5;

function lines(stderr: Streams['stderr'], total: number): ProgressBar {
  const start = performance.now();
  const left = remaining(total);
  const seconds = () => (performance.now() - start) / 1000;
  let next = FIRST_LINE;
  let last: TraceEntry | undefined;
  const report = () => {
    if (seconds() < next) return;
    next = Math.max(seconds(), next) * 1.5;
    const time = last === undefined ? undefined : left(last.iteration);
    const at =
      last === undefined
        ? 'before the first iteration'
        : `iteration ${last.iteration} of at most ${total}, objective ${last.objective.toPrecision(8)}`;
    stderr.write(`${inWords(seconds())}: ${at}${time === undefined ? '' : `, at most ${inWords(time)} left`}\n`);
  };
  const timer = setInterval(report, 1000);
  timer.unref();
  return {
    update: (progress) => {
      last = progress;
      report();
    },
    stop: () => clearInterval(timer),
  };
}

/** Seconds that the iterations left would take at the pace so far; known after a few, or after the first where they are slow. */
function remaining(total: number): (iteration: number) => number | undefined {
  const start = performance.now();
  return (iteration) => {
    const seconds = (performance.now() - start) / 1000;
    if (iteration < 1 || seconds < 1 || (iteration < 3 && seconds < FIRST_LINE)) return undefined;
    return (seconds / iteration) * (total - iteration);
  };
}

/** "12 s", "3 min", "2.5 h". */
export function inWords(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** What a fit took; a closed form evaluates nothing. */
export const effort = ({ evaluations, seconds }: FitDiagnostics): string =>
  `${evaluations > 0 ? `${evaluations} evaluations in ` : ''}${seconds.toFixed(1)} s`;
