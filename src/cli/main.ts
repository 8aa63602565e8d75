#!/usr/bin/env node
import { run } from './run.ts';

const interrupted = new AbortController();
// The first Ctrl-C stops the fit, which then writes its best point; a second one ends the program as usual.
process.once('SIGINT', () => {
  process.stderr.write('\nStopping after this evaluation; Ctrl-C again to quit at once.\n');
  interrupted.abort();
});
process.exitCode = await run(process.argv.slice(2), process, interrupted.signal);
