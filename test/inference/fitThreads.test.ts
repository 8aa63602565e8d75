import { expect, it } from 'vitest';
import { fitThreads } from '../../src/inference/fit/fitThreads.ts';
import { sharedMemory } from '../../src/numerics/memory.ts';
import { wasmEngine } from '../../src/numerics/wasm/wasmEngine.ts';

it('a fit waits for threads that are starting where they have enough to share, and at its end', async () => {
  const memory = sharedMemory();
  const engine = wasmEngine(memory);
  const order = 500;
  const product = () =>
    memory.withBlock(8 * order * order, (offset) => {
      const matrix = { offset, rowStride: order, columnStride: 1 };
      const columns = 60;
      engine.gemm(order, columns, order, 0, matrix, matrix, 0, matrix);
    });
  const repeated = (times: number) => () => Array.from({ length: times }, product);
  for (const [work, always, count] of [
    [repeated(13), false, undefined],
    [repeated(14), false, 2],
    [repeated(1), true, 2],
  ] as const) {
    const threads = fitThreads(2, 'wasm');
    threads.run(work);
    await threads.join(always);
    expect(threads.diagnostics().threads).toBe(count);
    await threads.release();
  }
});
