import { LatentFieldError } from '../../core/errors.ts';
import { isNode, nodeModule } from '../../core/host.ts';
import type { Float64Memory } from '../memory.ts';
import { bytesOf, kernelsOn, kernelsRefusal, shareKernels, type ThreadedKernels, unshareKernels } from './instance.ts';

/** Threads that share the work of the WebAssembly engine. */
export interface Threads {
  /** Number of threads, including the calling one: 1 if there can be no others, and after `dispose`. */
  readonly count: number;
  /** A sentence that explains why there are fewer threads than requested, if there are. */
  readonly reason: string | undefined;
  /** Runs `work`, which is synchronous, with large matrix operations shared among these threads, and returns what it returns. */
  run<T>(work: () => T): T;
  /** Ends the threads; resolves when they have ended. */
  dispose(): Promise<void>;
}

/** Bytes of a cache line. */
const LINE = 64;

let compiled: Promise<WebAssembly.Module> | undefined;
/** The kernels of the threaded build on shared memories, and the number of teams that use each. */
const sharings = new WeakMap<Float64Memory, { readonly kernels: ThreadedKernels; teams: number }>();
/** The team that the kernels of a memory currently work with. */
const leading = new WeakMap<Float64Memory, { readonly block: number; readonly count: number }>();

/**
 * Starts a team of `count` − 1 threads and the calling one, on a memory that is moved to shared memory. If this is not possible, the team is the
 * calling thread alone, with a reason.
 *
 * @param count - from 1
 */
export async function startTeam(memory: Float64Memory, count: number): Promise<Threads> {
  if (count === 1) return alone(undefined);
  const missing = whatIsMissing();
  if (missing !== undefined) return alone(missing);
  let module: WebAssembly.Module;
  let kernels: ThreadedKernels;
  let start: number;
  try {
    module = await threadedModule();
  } catch (cause) {
    return alone(`The kernels that threads run could not be loaded: ${messageOf(cause)}.`);
  }
  try {
    kernels = share(memory, module);
  } catch (cause) {
    return alone(`The memory cannot be shared among threads: ${messageOf(cause)}.`);
  }
  try {
    start = memory.allocate(BLOCK_BYTES + LINE);
  } catch (cause) {
    unshare(memory);
    return alone(`There is no memory for the block that threads share: ${messageOf(cause)}.`);
  }
  const release = () => {
    memory.release(start, BLOCK_BYTES + LINE);
    unshare(memory);
  };
  const block = Math.ceil(start / LINE) * LINE;
  memory.uint8(block, BLOCK_BYTES).fill(0);
  try {
    const threads = await startTeamThreads(count - 1, { module, memory: memory.memory, block });
    return teamOf(memory, kernels, block, count, threads, release);
  } catch (cause) {
    release();
    return alone(`Threads could not be started: ${messageOf(cause)}.`);
  }
}

/** The threaded build, loaded and compiled once. */
async function threadedModule(): Promise<WebAssembly.Module> {
  const { threadedEngineModule } = await import('./threadedEngineModule.ts');
  compiled ??= WebAssembly.compile(bytesOf(threadedEngineModule));
  return compiled;
}

/** Registers one more team on a memory; returns the kernels of the threaded build. */
function share(memory: Float64Memory, module: WebAssembly.Module): ThreadedKernels {
  let sharing = sharings.get(memory);
  if (sharing === undefined) {
    const kernels = shareKernels(memory, module, () => {
      throw new LatentFieldError('A thread of the WebAssembly engine failed: what it shared in is lost. Start others.');
    });
    sharing = { kernels, teams: 0 };
    sharings.set(memory, sharing);
  }
  sharing.teams++;
  return sharing.kernels;
}

/** Removes a team; after the last one, the memory becomes unshared again. */
function unshare(memory: Float64Memory): void {
  const sharing = sharings.get(memory)!;
  if (--sharing.teams > 0) return;
  try {
    unshareKernels(memory);
    sharings.delete(memory);
  } catch {
    // There is no memory for a copy, or for kernels on it: all works on where it is, and a later team finds it shared.
  }
}

function teamOf(
  memory: Float64Memory,
  kernels: ThreadedKernels,
  block: number,
  count: number,
  threads: TeamThreads,
  release: () => void,
): Threads {
  const maySleep = mayBlock();
  let disposal: Promise<void> | undefined;

  async function end(): Promise<void> {
    const words = memory.int32(block, BLOCK_BYTES / 4);
    Atomics.store(words, ENDED / 4, 1);
    Atomics.add(words, ROUND / 4, 1);
    Atomics.notify(words, ROUND / 4);
    await threads.end();
    release();
  }

  return Object.freeze<Threads>({
    get count() {
      return disposal === undefined ? count : 1;
    },
    get reason() {
      return disposal === undefined ? undefined : 'The threads have been disposed.';
    },
    run(work) {
      if (disposal !== undefined) return work();
      const before = leading.get(memory);
      turnTo(memory, kernels, { block, count }, maySleep);
      try {
        return work();
      } finally {
        turnTo(memory, kernels, before, maySleep);
      }
    },
    dispose() {
      disposal ??= end();
      return disposal;
    },
  });
}

/** Makes the kernels work with a team, or alone. */
function turnTo(
  memory: Float64Memory,
  kernels: ThreadedKernels,
  team: { readonly block: number; readonly count: number } | undefined,
  maySleep: boolean,
): void {
  const { block, count } = team ?? { block: 0, count: 1 };
  kernels.useTeam(block, count, maySleep);
  kernelsOn(memory).threads = count;
  if (team === undefined) leading.delete(memory);
  else leading.set(memory, team);
}

/** The calling thread alone. */
export function alone(reason: string | undefined): Threads {
  return Object.freeze<Threads>({ count: 1, reason, run: (work) => work(), dispose: () => Promise.resolve() });
}

function whatIsMissing(): string | undefined {
  const refusal = kernelsRefusal();
  if (refusal !== undefined) return refusal;
  if (typeof SharedArrayBuffer === 'undefined') {
    return (
      'Threads need memory that they can share, which pages have when they are cross-origin isolated: when they come with the ' +
      'headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.'
    );
  }
  return undefined;
}

/** Whether the calling thread may block while waiting for others: the main thread of a page may not. */
function mayBlock(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1);
    return true;
  } catch {
    return false;
  }
}

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');

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
