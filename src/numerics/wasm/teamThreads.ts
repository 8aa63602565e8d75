import { type Assignment, startThread, type Thread } from './teamThread.ts';

/** The threads of a team beside the one that leads it. */
export interface TeamThreads {
  /** Waits until all have ended by themselves, as the kernels make them; until then they keep no process alive. */
  end(): Promise<void>;
}

/**
 * Starts threads 1 … `count`, and resolves when all are ready.
 *
 * @throws Error that says why, when one of them could not be started; the others are then ended
 */
export async function startTeamThreads(count: number, assignment: Omit<Assignment, 'number'>): Promise<TeamThreads> {
  const threads: Thread[] = [];
  const starts: Promise<void>[] = [];
  const ends: Promise<void>[] = [];
  const terminate = () => {
    for (const thread of threads) thread.terminate();
  };
  try {
    for (let number = 1; number <= count; number++) {
      const [ready, ended] = [signal(), signal()];
      starts.push(ready.promise);
      ends.push(ended.promise);
      const thread = await startThread({ ...assignment, number }, (message) => {
        if (message.kind === 'ready') {
          ready.resolve();
          return;
        }
        ready.reject(new Error(message.kind === 'failed' ? message.reason : 'one ended before it began'));
        ended.resolve();
      });
      threads.push(thread);
    }
    await Promise.all(starts);
  } catch (error) {
    terminate();
    throw error;
  }
  for (const thread of threads) thread.hold(false);
  return {
    async end() {
      for (const thread of threads) thread.hold(true);
      await Promise.all(ends);
      terminate();
    },
  };
}

function signal() {
  let resolve!: () => void;
  let reject!: (reason: Error) => void;
  const promise = new Promise<void>((onDone, onFailure) => {
    resolve = onDone;
    reject = onFailure;
  });
  // Whoever waits for all of them hears of the first failure; the others are no news.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
