import { ReturnedJob, type RunningJob } from '../transport.ts';
import type { WorkerContext } from './serveQueue.ts';
import type { HeldThread } from './threads.ts';

/** Milliseconds between checks whether the job is cancelled. */
const LOOK = 500;

/** Passes the coordinator's messages and the worker's shutdown on to a job; returns a function that ends the watch. */
export function watchOver(
  { signal }: RunningJob,
  blobs: WorkerContext['transport']['blobs'],
  key: string,
  thread: HeldThread,
  reject: (reason: Error) => void,
  onStop: () => void,
): () => void {
  let isStopped = false;
  const look = async () => {
    const bytes = await blobs.get(key).catch(() => undefined);
    if (bytes === undefined || isStopped) return;
    isStopped = true;
    const said = new TextDecoder().decode(bytes);
    if (said !== 'drop') {
      thread.post({ kind: 'stop', by: said });
      onStop();
      return;
    }
    ended();
    reject(new CancelledJob());
  };
  const timer = setInterval(look, LOOK);
  const shutdown = () => {
    ended();
    reject(new ReturnedJob('The worker shuts down.'));
  };
  const ended = () => {
    clearInterval(timer);
    signal.removeEventListener('abort', shutdown);
  };
  signal.addEventListener('abort', shutdown);
  if (signal.aborted) shutdown();
  void look();
  return ended;
}

/** Thrown when nobody waits for the job any longer. */
export class CancelledJob extends Error {}
