import type { Float64Memory } from '../memory.ts';
import {
  type ElementaryFunctions,
  supportsKernels,
  typescriptElementaryFunctions,
  wasmElementaryFunctions,
} from '../wasm/index.ts';
import { linearAlgebra } from './activeEngine.ts';
import type { LinearAlgebraEngine } from './engine.ts';

const made = new WeakMap<LinearAlgebraEngine, ElementaryFunctions>();

/** exp, log and tanh for the engine at work on this memory: compiled, unless that is the TypeScript one. */
export function elementaryFunctions(memory: Float64Memory): ElementaryFunctions {
  const engine = linearAlgebra(memory);
  let functions = made.get(engine);
  if (functions === undefined) {
    const compiled = engine.name !== 'typescript' && supportsKernels();
    functions = compiled ? wasmElementaryFunctions(memory) : typescriptElementaryFunctions(memory);
    made.set(engine, functions);
  }
  return functions;
}
