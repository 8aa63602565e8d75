import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { startFreeThreads } from '../../../src/engine/threads.ts';

// How many threads a fit takes by itself, in the main thread and in one beside it.
const threads = await startFreeThreads();
const { count } = threads;
await threads.dispose();
if (isMainThread) {
  const beside = new Worker(fileURLToPath(import.meta.url));
  beside.on('message', (inIt) => process.stdout.write(`${count} ${inIt}\n`));
} else {
  parentPort!.postMessage(count);
}
