import { resolveObjectURL } from 'node:buffer';
import { Worker as NodeWorker } from 'node:worker_threads';
import { afterEach, expect, it, vi } from 'vitest';
import { normals } from './bothEngines.ts';
import { spoiledMemory } from './spoiledMemory.ts';

// The modules anew, for those that were loaded before know that they are in Node.
vi.resetModules();
vi.doMock('../../../src/core/host.ts', async (original) => ({
  ...(await original<typeof import('../../../src/core/host.ts')>()),
  isNode: () => false,
}));
const { startTeam } = await import('../../../src/engine/wasm/team.ts');
const { wasmEngine } = await import('../../../src/engine/wasm/wasmEngine.ts');

/** A Web Worker as a thread of Node: its file, given by the URL of a blob, finds what a worker's scope has. */
class StandIn {
  static count = 0;
  readonly #listeners: ((event: { data: unknown }) => void)[] = [];
  readonly #thread: Promise<NodeWorker>;

  constructor(url: string) {
    StandIn.count++;
    const scope = `
      const { parentPort } = require('node:worker_threads');
      globalThis.postMessage = (message) => parentPort.postMessage(message);
      parentPort.once('message', (data) => onmessage({ data }));`;
    const text = resolveObjectURL(url)!.text();
    this.#thread = text.then((file) => {
      const thread = new NodeWorker(`${scope}\nvar onmessage;${file}`, { eval: true });
      thread.on('message', (data) => {
        for (const listener of this.#listeners) listener({ data });
      });
      return thread;
    });
  }

  addEventListener(type: string, listener: (event: { data: unknown }) => void): void {
    if (type === 'message') this.#listeners.push(listener);
  }

  postMessage(message: unknown): void {
    void this.#thread.then((thread) => thread.postMessage(message));
  }

  terminate(): void {
    void this.#thread.then((thread) => thread.terminate());
  }
}

/** A worker that cannot read what it is sent, or whose words cannot be read. */
class Unreadable {
  addEventListener(type: string, listener: () => void): void {
    if (type === 'messageerror') setTimeout(listener);
  }
  postMessage(): void {}
  terminate(): void {}
}

/** A worker that cannot be sent anything. */
class Unreachable {
  static terminated = 0;
  addEventListener(): void {}
  postMessage(): void {
    throw new DOMException('The memory could not be cloned.', 'DataCloneError');
  }
  terminate(): void {
    Unreachable.terminated++;
  }
}

/** A worker whose file the page refuses. */
class Refused {
  addEventListener(type: string, listener: (event: { message: string }) => void): void {
    if (type === 'error') setTimeout(() => listener({ message: '' }));
  }
  postMessage(): void {}
  terminate(): void {}
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('Web Workers share products bit for bit, from a main thread that may not sleep', async () => {
  vi.stubGlobal('Worker', StandIn);
  vi.spyOn(Atomics, 'wait').mockImplementation(() => {
    throw new TypeError('Atomics.wait cannot be called in this context');
  });
  const memory = spoiledMemory();
  const engine = wasmEngine(memory);
  const n = 300;
  const [a, c] = [memory.allocate(8 * n * n), memory.allocate(8 * n * n)];
  memory.float64(a, n * n).set(normals(n * n, 1));
  const rows = (offset: number) => ({ offset, rowStride: n, columnStride: 1 });
  const multiply = () => {
    for (let times = 0; times < 20; times++) engine.gemm(n, n, n, 1, rows(a), rows(a), 0, rows(c));
    return memory.float64(c, n * n).slice();
  };
  const alone = multiply();
  const live = memory.liveBytes;
  const team = await startTeam(memory, 3);
  expect([team.count, team.reason, StandIn.count]).toEqual([3, undefined, 2]);
  expect(team.run(multiply)).toEqual(alone);
  await team.dispose();
  expect(memory.liveBytes).toBe(live);
});

it('a page that refuses workers has one thread, and separate memory', async () => {
  vi.stubGlobal('Worker', Refused);
  const memory = spoiledMemory();
  const team = await startTeam(memory, 2);
  expect([team.count, team.reason]).toEqual([1, expect.stringMatching(/could not be started: .*worker-src blob:/)]);
  expect([memory.isShared, memory.liveBytes]).toEqual([false, 0]);
});

it('so has one without workers', async () => {
  vi.stubGlobal('Worker', undefined);
  const memory = spoiledMemory();
  const team = await startTeam(memory, 2);
  expect([team.count, team.reason]).toEqual([1, expect.stringMatching(/^Threads could not be started: .+\.$/)]);
  expect([memory.isShared, memory.liveBytes]).toEqual([false, 0]);
});

it('so has one whose workers cannot be sent the memory, and nothing of them is left', async () => {
  vi.stubGlobal('Worker', Unreachable);
  const [made, revoked] = [vi.spyOn(URL, 'createObjectURL'), vi.spyOn(URL, 'revokeObjectURL')];
  const memory = spoiledMemory();
  const team = await startTeam(memory, 3);
  expect([team.count, team.reason]).toEqual([1, 'Threads could not be started: The memory could not be cloned.']);
  expect(Unreachable.terminated).toBe(1);
  expect(new Set(revoked.mock.calls.flat())).toEqual(new Set(made.mock.results.map(({ value }) => value)));
  expect([memory.isShared, memory.liveBytes]).toEqual([false, 0]);
});

it('so has one whose workers cannot read what they are sent', async () => {
  vi.stubGlobal('Worker', Unreadable);
  const memory = spoiledMemory();
  const team = await startTeam(memory, 2);
  expect([team.count, team.reason]).toEqual([
    1,
    expect.stringMatching(/^Threads could not be started: what was sent could not be read .*isolated\)\.$/),
  ]);
  expect([memory.isShared, memory.liveBytes]).toEqual([false, 0]);
});

it('a worker that cannot read its message reports it', async () => {
  const files: string[] = [];
  const text = vi.fn(async (url: string) => files.push(await resolveObjectURL(url)!.text()));
  const reading: Promise<number>[] = [];
  vi.stubGlobal(
    'Worker',
    class extends Refused {
      constructor(url: string) {
        super();
        reading.push(text(url));
      }
    },
  );
  await startTeam(spoiledMemory(), 2);
  await Promise.all(reading);
  const words: unknown[] = [];
  // The file as it runs in a worker's scope, which is then told of a message that could not be read.
  const scope = new Function('postMessage', `var onmessage, onmessageerror; ${files[0]}; return onmessageerror;`);
  scope((word: unknown) => words.push(word))();
  expect(words).toEqual([{ kind: 'failed', reason: expect.stringMatching(/could not be read/) }]);
});
