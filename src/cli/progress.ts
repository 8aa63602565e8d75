import { SingleBar } from 'cli-progress';
import type { TraceEntry } from '../index.ts';
import type { Streams } from './streams.ts';

/** Follows a fit. */
export interface ProgressBar {
  update(progress: TraceEntry): void;
  stop(): void;
}

/** Where nobody watches. */
export const NO_BAR: ProgressBar = { update: () => {}, stop: () => {} };

/** Draws a bar when stderr is a terminal; elsewhere it would only fill a log. */
export function progressBar(stderr: Streams['stderr'], total: number): ProgressBar {
  if (!stderr.isTTY || total === 0) return NO_BAR;
  const bar = new SingleBar({
    format: '{bar} {value}/{total} iterations | objective {objective} | {duration_formatted}',
    stream: stderr,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    clearOnComplete: true,
    // An interrupt stops the fit, not the program: see main.ts.
    gracefulExit: false,
  });
  bar.start(total, 0, { objective: '…' });
  return {
    update: ({ iteration, objective }) => bar.update(iteration, { objective: objective.toPrecision(8) }),
    stop: () => bar.stop(),
  };
}
