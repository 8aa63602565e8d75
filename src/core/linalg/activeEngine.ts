import { InvalidInputError } from '../errors.ts';
import type { Float64Memory } from '../float64/memory.ts';
import { findNative, nativeEngine } from '../native/index.ts';
import {
  type FusedOperations,
  supportsKernels,
  typescriptFusedOperations,
  wasmEngine,
  wasmFusedOperations,
} from '../wasm/index.ts';
import type { EngineName, LinearAlgebraEngine } from './engine.ts';
import { typescriptEngine } from './typescriptEngine.ts';

/** Which engine to use; 'auto' is the fastest that this machine has. */
export type EngineChoice = 'auto' | EngineName;

export const ENGINE_CHOICES: readonly EngineChoice[] = ['auto', 'wasm', 'native', 'typescript'];

/** The engines made for a memory so far, and the one at work. */
interface Engines {
  readonly made: Map<EngineChoice, LinearAlgebraEngine>;
  active: LinearAlgebraEngine | undefined;
}

const enginesOf = new WeakMap<Float64Memory, Engines>();

function engines(memory: Float64Memory): Engines {
  let entry = enginesOf.get(memory);
  if (entry === undefined) {
    entry = { made: new Map(), active: undefined };
    enginesOf.set(memory, entry);
  }
  return entry;
}

/** The engine at work on this memory: the one that `withEngine` or `useLinearAlgebra` chose, otherwise the environment's choice. */
export function linearAlgebra(memory: Float64Memory): LinearAlgebraEngine {
  const entry = engines(memory);
  entry.active ??= engineFor(memory, environmentChoice());
  return entry.active;
}

/** Puts an engine to work on a memory; it must have been made for that memory. */
export function useLinearAlgebra(memory: Float64Memory, engine: LinearAlgebraEngine): void {
  engines(memory).active = engine;
}

/** Runs `work`, which is synchronous, with a chosen engine, and puts back the one that was at work. */
export function withEngine<T>(memory: Float64Memory, choice: EngineChoice | undefined, work: () => T): T {
  if (choice === undefined) return work();
  const entry = engines(memory);
  const before = entry.active;
  entry.active = engineFor(memory, choice);
  try {
    return work();
  } finally {
    entry.active = before;
  }
}

/** The engine of this choice for this memory, made once. */
function engineFor(memory: Float64Memory, choice: EngineChoice): LinearAlgebraEngine {
  const { made } = engines(memory);
  let engine = made.get(choice);
  if (engine === undefined) {
    engine = makeEngine(memory, choice);
    made.set(choice, engine);
  }
  return engine;
}

function makeEngine(memory: Float64Memory, choice: EngineChoice): LinearAlgebraEngine {
  if (choice === 'typescript') return typescriptEngine(memory);
  if (choice === 'wasm') return wasmEngine(memory);
  if (choice === 'native') return nativeEngine(memory);
  const native = findNative();
  // The reference LAPACK is slower than WebAssembly: it is used when it is asked for.
  if (!('reason' in native) && native.vendor !== 'LAPACK') return native.engine(memory);
  // On a machine without WebAssembly SIMD; the result says which engine ran.
  return supportsKernels() ? wasmEngine(memory) : typescriptEngine(memory);
}

const fused = new WeakMap<LinearAlgebraEngine, FusedOperations>();

/** Operations on whole covariances, for the engine at work on this memory. The native library has none: it is given WebAssembly's. */
export function fusedOperations(memory: Float64Memory): FusedOperations {
  const engine = linearAlgebra(memory);
  let operations = fused.get(engine);
  if (operations === undefined) {
    const compiled = engine.name !== 'typescript' && supportsKernels();
    operations = compiled ? wasmFusedOperations(memory) : typescriptFusedOperations(memory, engine);
    fused.set(engine, operations);
  }
  return operations;
}

/** LATENTFIELD_ENGINE where there is an environment. */
function environmentChoice(): EngineChoice {
  const named = typeof process === 'undefined' ? undefined : process.env?.LATENTFIELD_ENGINE;
  if (named === undefined || named === '') return 'auto';
  if ((ENGINE_CHOICES as readonly string[]).includes(named)) return named as EngineChoice;
  throw new InvalidInputError(
    `The environment variable LATENTFIELD_ENGINE must be one of ${ENGINE_CHOICES.join(', ')}, but it is '${named}'.`,
  );
}
