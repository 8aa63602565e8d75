import { expect } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import type { LinearAlgebraEngine } from '../../../src/engine/operations/linearAlgebra.ts';
import { typescriptEngine } from '../../../src/engine/typescript/typescriptEngine.ts';
import { wasmEngine } from '../../../src/engine/wasm/wasmEngine.ts';
import { spoiledMemory } from './spoiledMemory.ts';

/** Both engines on memories with the same content; what `work` leaves in the blocks is compared. */
export function onBoth(blocks: Float64Array[], work: (engine: LinearAlgebraEngine, offsets: number[]) => unknown) {
  return [wasmEngine, typescriptEngine].map((make) => {
    const memory = spoiledMemory();
    const engine = make(memory);
    const offsets = blocks.map((block) => memory.allocate(8 * Math.max(1, block.length)));
    blocks.forEach((block, i) => {
      memory.float64(offsets[i]!, block.length).set(block);
    });
    const live = memory.liveBytes;
    const value = work(engine, offsets);
    expect(memory.liveBytes).toBe(live);
    return { value, blocks: blocks.map((block, i) => memory.float64(offsets[i]!, block.length).slice()) };
  }) as [{ value: unknown; blocks: Float64Array[] }, { value: unknown; blocks: Float64Array[] }];
}

const drawn = new Map<string, Float64Array>();
/** Standard normal numbers, drawn once. */
export function normals(length: number, seed: number): Float64Array {
  const key = `${length} ${seed}`;
  const numbers = drawn.get(key) ?? Float64Array.from({ length }, seededRandom(seed).normal);
  drawn.set(key, numbers);
  return numbers.slice();
}
