import { afterEach, expect, it, vi } from 'vitest';
import { engineReport, withEngine } from '../../../src/engine/dense/index.ts';
import { Float64Memory } from '../../../src/engine/memory.ts';

afterEach(() => void vi.restoreAllMocks());

it('an engine exists where WebAssembly has no vectors, and the native one names what it lacks', () => {
  // As runtimes without 128-bit vectors answer to a module that has them.
  vi.spyOn(WebAssembly, 'Module').mockImplementation(function refuse() {
    throw new WebAssembly.CompileError('invalid opcode 0xfd');
  });
  const memory = new Float64Memory();
  expect(withEngine(memory, 'auto', () => engineReport(memory))).toEqual({
    engine: 'typescript',
    engineReason: expect.stringMatching(/^WebAssembly with 128-bit vectors, .* does not run here/) as string,
  });
  expect(() => withEngine(memory, 'native', () => undefined)).toThrow(
    /^The native engine is not available\. WebAssembly with 128-bit vectors, /,
  );
});
