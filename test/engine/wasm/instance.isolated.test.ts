import { describe, expect, it, vi } from 'vitest';
import { Float64Memory } from '../../../src/engine/memory.ts';

/** The module anew, with nothing compiled yet. */
async function freshInstance() {
  vi.resetModules();
  return await import('../../../src/engine/wasm/instance.ts');
}

describe('compiled kernels', () => {
  it('are instantiated once a memory', async () => {
    const { kernelsOn, kernelsRefusal } = await freshInstance();
    const memory = new Float64Memory();
    expect(kernelsRefusal()).toBeUndefined();
    expect(kernelsOn(memory)).toBe(kernelsOn(memory));
    expect(kernelsOn(memory)).not.toBe(kernelsOn(new Float64Memory()));
  });

  it('work on offsets above two gigabytes, which are negative as 32-bit integers', async () => {
    const { kernelsOn } = await freshInstance();
    const memory = new Float64Memory();
    // Reserved by the system, but never touched.
    memory.allocate(2 ** 31);
    const offset = memory.allocate(64);
    expect(offset).toBeGreaterThan(2 ** 31);
    memory.float64(offset, 5).set([0, 1, 2, 3, -1]);
    kernelsOn(memory).exponential(5, offset, offset);
    const expected = [1, Math.E, Math.E ** 2, Math.E ** 3, 1 / Math.E];
    memory.float64(offset, 5).forEach((value, i) => {
      expect(value / expected[i]! - 1).toBeCloseTo(0, 14);
    });
  });

  it('name the remedy where WebAssembly is not allowed', async () => {
    const { kernelsOn, kernelsRefusal } = await freshInstance();
    class Module {
      constructor() {
        throw new RangeError('disallowed on the main thread');
      }
    }
    vi.stubGlobal('WebAssembly', { Memory: WebAssembly.Memory, Module });
    try {
      expect(kernelsRefusal()).toContain('does not run here');
      // By name: the module was loaded anew, with classes of its own.
      const attempt = () => kernelsOn(new Float64Memory());
      expect(attempt).toThrow(/disallowed on the main thread.*'typescript'/);
      expect(attempt).toThrow(expect.objectContaining({ name: 'LatentFieldError' }));
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
