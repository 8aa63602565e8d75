import { expect, it } from 'vitest';
import { Float64Memory } from '../../../src/engine/memory.ts';
import { wasmEngine } from '../../../src/engine/wasm/wasmEngine.ts';
import { engineConformance } from '../dense/engineConformance.ts';

engineConformance('WebAssembly', wasmEngine);

it('packs a product of any depth into at most 1.1 MB', () => {
  const memory = new Float64Memory();
  const depth = 20_000;
  const offset = memory.allocate(8 * 4 * depth);
  memory.float64(offset, 4 * depth).fill(0.5);
  const product = memory.allocate(8 * 16);
  const live = memory.liveBytes;
  wasmEngine(memory).syrk(4, depth, 1, { offset, rowStride: depth, columnStride: 1 }, 0, product);
  expect(memory.number(product)).toBe(depth / 4);
  expect(memory.peakBytes - live).toBeLessThan(1.1e6);
});
