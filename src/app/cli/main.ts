#!/usr/bin/env node
import { explanation, run, savesWhenStopped } from './run.ts';
import { CLEAN_TERMINAL, checkOutput, exitCodeOf, standardStreams } from './streams.ts';

/** Signals that stop the program, and what a fit's message calls them. */
const STOPPING = { SIGINT: 'Ctrl-C', SIGTERM: 'SIGTERM', SIGHUP: 'SIGHUP' };

const argv = process.argv.slice(2);
const { stderr } = standardStreams;
const interrupted = new AbortController();
const clean = () => {
  if (stderr.isTTY) stderr.write(CLEAN_TERMINAL);
};
for (const [signal, name] of Object.entries(STOPPING)) {
  // The first signal stops a fit, which then writes its best point; a second one ends the program at once.
  process.on(signal, () => {
    if (interrupted.signal.aborted || !savesWhenStopped(argv)) {
      clean();
      process.exit(exitCodeOf(name));
    }
    stderr.write(`\nStopping after this evaluation; ${name} again to quit at once.\n`);
    interrupted.abort(name);
  });
}
process.on('uncaughtException', (error) => {
  clean();
  stderr.write(`error: ${explanation(error)}\n`);
  process.exit(1);
});
process.exitCode = await run(argv, standardStreams, interrupted.signal, checkOutput);
