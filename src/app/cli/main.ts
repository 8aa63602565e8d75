#!/usr/bin/env node
import { explanation, run } from './run.ts';
import { CLEAN_TERMINAL, checkOutput, exitCodeOf, standardStreams } from './streams.ts';

/** Signals that stop the program, and their names in the message of a fit. */
const STOPPING = { SIGINT: 'Ctrl-C', SIGTERM: 'SIGTERM', SIGHUP: 'SIGHUP' };

const { stderr } = standardStreams;
const interrupted = new AbortController();
const clean = () => {
  if (stderr.isTTY) stderr.write(CLEAN_TERMINAL);
};

/**
 * Signal listeners. Most of the time there are none: the operating system then ends the process at once, even while JavaScript computes or a file
 * without a writer is opened. As the first process of a container, which ignores signals by default, the program ends itself.
 */
function listen(listener: ((signal: string) => void) | undefined): void {
  for (const signal of Object.keys(STOPPING)) {
    process.removeAllListeners(signal);
    if (listener !== undefined) process.on(signal, listener);
  }
}
const nameOf = (signal: string) => STOPPING[signal as keyof typeof STOPPING];
const end = (signal: string) => {
  clean();
  process.exit(exitCodeOf(nameOf(signal)));
};
const unheeded = process.pid === 1 ? end : undefined;

async function heeding<T>(work: () => Promise<T>): Promise<T> {
  listen((signal) => {
    // Another signal ends the program at once.
    listen(unheeded);
    clean();
    stderr.write(`\nStopping after this evaluation; ${nameOf(signal)} again to quit at once.\n`);
    interrupted.abort(nameOf(signal));
  });
  try {
    return await work();
  } finally {
    listen(unheeded);
  }
}

listen(unheeded);
process.on('uncaughtException', (error) => {
  clean();
  stderr.write(`error: ${explanation(error)}\n`);
  process.exit(1);
});
process.exitCode = await run(process.argv.slice(2), standardStreams, {
  signal: interrupted.signal,
  heeding,
  finish: checkOutput,
});
