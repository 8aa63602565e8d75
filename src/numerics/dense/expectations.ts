import type { Float64Memory } from '../memory.ts';
import { type ExpectationOperations, expectationsOn, supportsKernels } from '../wasm/index.ts';
import { typescriptExpectations } from '../wasm/typescript/expectations.ts';
import { linearAlgebra } from './activeEngine.ts';
import type { LinearAlgebraEngine } from './engine.ts';
import { expectationsInBlocks } from './expectationBlocks.ts';

const made = new WeakMap<LinearAlgebraEngine, ExpectationOperations>();

/** Expectations of covariances, for the engine at work on this memory: compiled, unless that is the TypeScript one. */
export function expectationOperations(memory: Float64Memory): ExpectationOperations {
  const engine = linearAlgebra(memory);
  let operations = made.get(engine);
  if (operations === undefined) {
    const compiled = engine.name !== 'typescript' && supportsKernels();
    operations = expectationsInBlocks(memory, compiled ? expectationsOn(memory) : typescriptExpectations(memory));
    made.set(engine, operations);
  }
  return operations;
}
