import { LatentFieldError } from '../../core/errors.ts';
import type { Float64Memory } from '../memory.ts';
import { bytesOf, kernelsOn, kernelsRefusal, shareKernels, type ThreadedKernels, unshareKernels } from './instance.ts';
import { BLOCK_BYTES, ENDED, ROUND, startTeamThreads, type TeamThreads } from './teamThreads.ts';

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
