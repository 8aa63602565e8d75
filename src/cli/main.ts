#!/usr/bin/env node
import { INTERRUPTED } from './fitCommand.ts';
import { CLEAN_TERMINAL } from './progress.ts';
import { explanation, run } from './run.ts';

const interrupted = new AbortController();
const clean = () => {
  if (process.stderr.isTTY) process.stderr.write(CLEAN_TERMINAL);
};
// The first Ctrl-C stops the fit, which then writes its best point; a second one ends the program at once.
process.on('SIGINT', () => {
  if (interrupted.signal.aborted) {
    clean();
    process.exit(INTERRUPTED);
  }
  process.stderr.write('\nStopping after this evaluation; Ctrl-C again to quit at once.\n');
  interrupted.abort('Ctrl-C');
});
// Whoever read the output has seen enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});
process.on('uncaughtException', (error) => {
  clean();
  process.stderr.write(`error: ${explanation(error)}\n`);
  process.exit(1);
});
process.exitCode = await run(process.argv.slice(2), process, interrupted.signal);
