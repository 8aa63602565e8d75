import { afterEach, expect, it, vi } from 'vitest';
import { sharedMemory } from '../../src/engine/memory.ts';
import { wasmEngine } from '../../src/engine/wasm/wasmEngine.ts';
import { fitThreads } from '../../src/inference/fit/fitThreads.ts';

afterEach(() => vi.unstubAllGlobals());

const memory = sharedMemory();
const engine = wasmEngine(memory);
/** 500·500·60 multiplications, so many times. */
const products = (times: number) => () => {
  const order = 500;
  memory.withBlock(8 * order * order, (offset) => {
    const matrix = { offset, rowStride: order, columnStride: 1 };
    for (let k = 0; k < times; k++) engine.gemm(order, 60, order, 0, matrix, matrix, 0, matrix);
  });
};

it('a fit starts threads once they pay, and waits for them where they have enough to share', async () => {
  for (const [before, last, count] of [
    [66, 0, 1],
    [66, 13, 1],
    [66, 14, 2],
    [0, 66, 1],
    [0, 67, 2],
  ] as const) {
    const threads = fitThreads(2, 'wasm');
    threads.run(products(before));
    threads.run(products(last));
    await threads.join();
    const { threads: found, threadsReason } = threads.diagnostics();
    expect([found, threadsReason === undefined]).toEqual([count, count === 2]);
    await threads.release();
  }
});

it('a fit that is over before its threads have started does not wait for them, and ends them', async () => {
  // Threads of an earlier fit may still be starting, and end once they have started.
  const ended = (expected: () => void) => vi.waitFor(expected, { timeout: 10_000 });
  await ended(() => expect(memory.isShared).toBe(false));
  const live = memory.liveBytes;
  const threads = fitThreads(2, 'wasm');
  threads.run(products(67));
  await threads.release();
  expect(threads.diagnostics().threads).toBe(1);
  await threads.joinAtOnce();
  expect(threads.diagnostics()).toEqual({ threads: 1, threadsReason: 'The threads have been disposed.' });
  await ended(() => expect([memory.liveBytes, memory.isShared]).toEqual([live, false]));
});

it('a computation waits for a requested number of threads', async () => {
  for (const [asked, count] of [
    [2, 2],
    [1, 1],
    ['auto', undefined],
  ] as const) {
    const threads = fitThreads(asked, 'wasm');
    await threads.joinAtOnce();
    expect(threads.diagnostics().threads).toBe(count);
    await threads.release();
  }
});

// A whole fit of iterations may be over before what starts threads is loaded.
it('a fit that requests threads where there is no shared memory has one, and gives the reason', async () => {
  vi.stubGlobal('SharedArrayBuffer', undefined);
  const threads = fitThreads(2, 'wasm');
  threads.run(products(67));
  await threads.join();
  expect(threads.diagnostics()).toEqual({
    threads: 1,
    threadsReason: expect.stringMatching(/Cross-Origin-Embedder-Policy/) as string,
  });
  await threads.release();
});
