import { Float64Memory } from '../../../src/engine/memory.ts';

/** A memory whose every block is full of NaN when it is handed out, and whose every allocation detaches all views. */
export function spoiledMemory(): Float64Memory {
  const memory = new Float64Memory();
  memory.detachViews = true;
  const allocate = memory.allocate.bind(memory);
  memory.allocate = (bytes) => {
    const offset = allocate(bytes);
    memory.uint8(offset, bytes).fill(0xff);
    return offset;
  };
  return memory;
}
