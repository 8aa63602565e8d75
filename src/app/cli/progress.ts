import { SingleBar } from 'cli-progress';
import type { FitDiagnostics, TraceEntry } from '../../index.ts';
import type { Streams } from './streams.ts';

/** Progress of a fit: after an iteration, or within a stage of a closed-form solution, of which the fraction `part` is done. */
export interface Standing extends TraceEntry {
  readonly stage?: { readonly name: string; readonly part: number };
}

/** Shows the progress of a fit. */
export interface ProgressBar {
  update(standing: Standing): void;
  stop(): void;
}

/** Shows nothing. */
export const NO_BAR: ProgressBar = { update: () => {}, stop: () => {} };

/**
 * Shows progress as a bar on a terminal; otherwise as occasional lines, so that a log shows that the fit is running.
 *
 * @param title - what is fitted, where there are several
 */
export function progressBar(stderr: Streams['stderr'], total: number, title?: string): ProgressBar {
  if (total === 0) return NO_BAR;
  const head = title === undefined ? '' : `${title}: `;
  return stderr.isTTY ? drawnBar(stderr, total, head) : lines(stderr, total, head);
}

function drawnBar(stderr: Streams['stderr'], total: number, head: string): ProgressBar {
  const left = remaining(total);
  const bar = new SingleBar({
    format: `${head}{bar} {at} | {duration_formatted}{left}`,
    stream: stderr as NodeJS.WritableStream,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    clearOnComplete: true,
    // An interrupt stops the fit, not the program: see main.ts.
    gracefulExit: false,
  });
  bar.start(total, 0, { at: `0/${total} iterations`, left: '' });
  return {
    update: ({ iteration, objective, stage }) => {
      if (stage !== undefined) return bar.update(stage.part * total, { at: stage.name, left: '' });
      const time = left(iteration);
      bar.update(iteration, {
        at: `${iteration}/${total} iterations | objective ${objective.toPrecision(8)}`,
        left: time === undefined ? '' : `, at most ${inWords(time)} left`,
      });
    },
    stop: () => bar.stop(),
  };
}

/** Seconds until the first line; each further interval is half as long again. */
const FIRST_LINE = 5;

function lines(stderr: Streams['stderr'], total: number, head: string): ProgressBar {
  const start = performance.now();
  const left = remaining(total);
  const seconds = () => (performance.now() - start) / 1000;
  let next = FIRST_LINE;
  let last: Standing | undefined;
  const report = () => {
    if (seconds() < next) return;
    next = Math.max(seconds(), next) * 1.5;
    stderr.write(
      `${head}${inWords(seconds())}: ${last === undefined ? 'before the first iteration' : standing(last)}\n`,
    );
  };
  const standing = ({ iteration, objective, stage }: Standing): string => {
    if (stage !== undefined) return stage.part > 0 ? `${stage.name}, ${Math.floor(100 * stage.part)} %` : stage.name;
    const time = left(iteration);
    const rest = time === undefined ? '' : `, at most ${inWords(time)} left`;
    return `iteration ${iteration} of at most ${total}, objective ${objective.toPrecision(8)}${rest}`;
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

/** Estimates the seconds for the remaining iterations at the pace so far; known after a few, or after the first if they are slow. */
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

/** Effort of a fit in words; a closed form has no evaluations. */
export const effort = ({ evaluations, seconds }: FitDiagnostics): string =>
  `${evaluations > 0 ? `${evaluations} evaluations in ` : ''}${seconds.toFixed(1)} s`;

/** Fraction of the time that is reserved for the precision grid, the pictures and the files after the fit. */
const AFTERWARDS = 0.1;

/** Time left of `--max-seconds`, which starts with the command. */
export interface TimeBudget {
  /** Seconds that the fit may take; undefined without a limit. */
  forFit(): number | undefined;
  /** Seconds left; Infinity without a limit. */
  left(): number;
}

/** Starts the clock. */
export function timeBudget(seconds: number | undefined): TimeBudget {
  const began = performance.now();
  const left = () => (seconds === undefined ? Infinity : seconds - (performance.now() - began) / 1000);
  return {
    left,
    // Messages name this limit, for which tenths suffice.
    forFit: () =>
      seconds === undefined ? undefined : Math.max(0, Math.floor(10 * (left() - AFTERWARDS * seconds)) / 10),
  };
}
