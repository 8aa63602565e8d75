import { isNode, nodeModule } from '../../core/host.ts';

/** Size of a team's block in bytes, and byte offsets of its words: see assembly/team.ts. */
export const BLOCK_BYTES = 640;
export const ROUND = 0;
export const JOINED = 192;
export const ENDED = 320;
export const FAILED = 324;

/** The worker threads of a team, without the leader. */
export interface TeamThreads {
  /** Waits until all threads have ended, as the kernels make them do; until then they do not keep a process alive. */
  end(): Promise<void>;
}

/**
 * Starts threads 1 … `count`, and resolves when all are ready.
 *
 * @throws Error with the reason if a thread could not be started; the others are then ended
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
  // The caller waits for all of them and receives the first failure; the others add no information.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** Start message of a thread: the threaded kernels, the memory, the offset of the team's block in it, and the thread's number from 1. */
export interface Assignment {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly block: number;
  readonly number: number;
}

/** A message of a thread: it is ready, it has ended, or the description of a failure. */
export type ThreadMessage = { readonly kind: 'ready' | 'ended' } | { readonly kind: 'failed'; readonly reason: string };

export interface Thread {
  /** Whether the process is kept alive as long as this thread. */
  hold(process: boolean): void;
  terminate(): void;
}

const UNREADABLE =
  'what was sent could not be read at the other end (shared memory reaches only threads that are cross-origin isolated)';

// The file of a thread, as text: no bundler has to find it, and it needs nothing of the library. A thread that fails in the middle of
// a task leaves the task as one that is done with it does, for the leader waits for that.
const SERVE = `
const serve = ({ module, memory, block, number }, say) => {
  let serving = false;
  try {
    const { exports } = new WebAssembly.Instance(module, { env: { memory }, team: { threadFailed() {} } });
    say({ kind: 'ready' });
    serving = true;
    exports.serveTeam(block, number);
    say({ kind: 'ended' });
  } catch (error) {
    if (serving) {
      const words = new Int32Array(memory.buffer, block, ${BLOCK_BYTES / 4});
      Atomics.store(words, ${FAILED / 4}, 1);
      Atomics.sub(words, ${JOINED / 4}, 1);
      Atomics.notify(words, ${JOINED / 4});
    }
    say({ kind: 'failed', reason: String(error) });
  }
};`;
const IN_NODE = `${SERVE}
const { parentPort, workerData } = require('node:worker_threads');
serve(workerData, (message) => parentPort.postMessage(message));`;
const IN_BROWSER = `${SERVE}
onmessage = ({ data }) => serve(data, (message) => postMessage(message));
onmessageerror = () => postMessage({ kind: 'failed', reason: '${UNREADABLE}' });`;

/**
 * Starts a thread of Node, or a Web Worker.
 *
 * @param onMessage - receives every message of the thread; if the thread could not be loaded or was lost, a final message about it
 */
export async function startThread(
  assignment: Assignment,
  onMessage: (message: ThreadMessage) => void,
): Promise<Thread> {
  return isNode() ? startNodeThread(assignment, onMessage) : startWebWorker(assignment, onMessage);
}

async function startNodeThread(assignment: Assignment, onMessage: (message: ThreadMessage) => void): Promise<Thread> {
  const { Worker } = await nodeModule<typeof import('node:worker_threads')>('node:worker_threads', 'Not in Node.');
  const worker = new Worker(IN_NODE, { eval: true, execArgv: [], workerData: assignment });
  worker.on('message', onMessage);
  worker.on('error', ({ message }) => onMessage({ kind: 'failed', reason: message }));
  worker.on('messageerror', () => onMessage({ kind: 'failed', reason: UNREADABLE }));
  worker.on('exit', () => onMessage({ kind: 'ended' }));
  return {
    hold: (process) => (process ? worker.ref() : worker.unref()),
    terminate: () => void worker.terminate(),
  };
}

function startWebWorker(assignment: Assignment, onMessage: (message: ThreadMessage) => void): Thread {
  const url = URL.createObjectURL(new Blob([IN_BROWSER], { type: 'text/javascript' }));
  let terminate = () => URL.revokeObjectURL(url);
  const received = (message: ThreadMessage) => {
    URL.revokeObjectURL(url);
    onMessage(message);
  };
  try {
    const worker = new Worker(url);
    terminate = () => {
      URL.revokeObjectURL(url);
      worker.terminate();
    };
    worker.addEventListener('message', ({ data }) => received(data as ThreadMessage));
    worker.addEventListener('messageerror', () => received({ kind: 'failed', reason: UNREADABLE }));
    worker.addEventListener('error', ({ message }) =>
      received({
        kind: 'failed',
        reason: message || 'their file was refused (a content security policy must allow worker-src blob:)',
      }),
    );
    worker.postMessage(assignment);
    return { hold: () => undefined, terminate };
  } catch (error) {
    terminate();
    throw error;
  }
}
