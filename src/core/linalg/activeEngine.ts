import type { Float64Memory } from '../float64/memory.ts';
import type { LinearAlgebraEngine } from './engine.ts';
import { typescriptEngine } from './typescriptEngine.ts';

const engines = new WeakMap<Float64Memory, LinearAlgebraEngine>();

/** The engine that works on this memory: the plain TypeScript one until another is put in its place. */
export function linearAlgebra(memory: Float64Memory): LinearAlgebraEngine {
  let engine = engines.get(memory);
  if (engine === undefined) {
    engine = typescriptEngine(memory);
    engines.set(memory, engine);
  }
  return engine;
}

/** Puts an engine to work on a memory; it must have been made for that memory. */
export function useLinearAlgebra(memory: Float64Memory, engine: LinearAlgebraEngine): void {
  engines.set(memory, engine);
}
