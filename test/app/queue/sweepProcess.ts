// A sweep as a process that tests start and kill.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type SweepSpec, sweep } from '../../../src/app/queue/index.ts';

const [spec, out, thread, connection] = process.argv.slice(2) as [string, string, string, string | undefined];
const given = JSON.parse(readFileSync(spec, 'utf8')) as SweepSpec;
await sweep(
  given,
  connection === undefined ? { out, threads: 2, start: () => new Worker(new URL(thread)) } : { out, connection },
);
