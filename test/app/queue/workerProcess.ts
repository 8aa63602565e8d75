// A worker as a process that tests start and kill: the command line's own, from a bundle of its sources.
import { Worker } from 'node:worker_threads';
import { redisTransport, type ServeQueueOptions, serveQueue } from '../../../src/app/queue/index.ts';

const [connection, thread, given, parts] = process.argv.slice(2) as [string, string, string, string | undefined];
const options = JSON.parse(given) as ServeQueueOptions;
const transport = await redisTransport({ connection, lockSeconds: 1 });
const worker = await serveQueue(transport, {
  ...options,
  start: () => new Worker(new URL(thread), { workerData: { parts } }),
  onMessage: (message) => process.stdout.write(`${message}\n`),
});
process.stdout.write('serving\n');
process.on('SIGTERM', () => worker.close());
try {
  await worker.ended;
  process.stdout.write('stopped\n');
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
} finally {
  await worker.close();
  await transport.close();
}
