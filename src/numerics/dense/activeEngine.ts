import * as v from 'valibot';
import { environmentVariable } from '../../core/environment.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Float64Memory } from '../memory.ts';
import { findNative } from '../native/index.ts';
import {
  type FusedOperations,
  kernelsOn,
  kernelsRefusal,
  type LinkedKernels,
  supportsKernels,
  typescriptFusedOperations,
  wasmEngine,
  wasmFusedOperations,
} from '../wasm/index.ts';
import type { EngineName, EngineReport, LinearAlgebraEngine } from './engine.ts';
import { typescriptEngine } from './typescriptEngine.ts';

/** Which engine to use; 'auto' is WebAssembly, the same bits on every machine, and TypeScript where that does not run. */
export type EngineChoice = 'auto' | EngineName;

const ENGINE_CHOICES: readonly EngineChoice[] = ['auto', 'wasm', 'native', 'typescript'];

/** A choice among options. */
export const engineChoice = v.picklist(
  ENGINE_CHOICES,
  `one of ${ENGINE_CHOICES.map((name) => `'${name}'`).join(', ')}`,
);

/** An engine and how it came to be chosen. */
interface Chosen {
  readonly engine: LinearAlgebraEngine;
  /** The library that a native engine calls. */
  readonly library?: string;
  /** Why 'auto' is not WebAssembly. */
  readonly reason?: string;
}

/** The engines made for a memory so far, and the one at work. */
interface Engines {
  readonly made: Map<EngineChoice, Chosen>;
  active: Chosen | undefined;
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

/** The engine at work on this memory: the one that `withEngine` chose, otherwise the environment's choice. */
export function linearAlgebra(memory: Float64Memory): LinearAlgebraEngine {
  return atWork(memory).engine;
}

/** What diagnostics say about the engine at work on this memory. */
export function engineReport(memory: Float64Memory): EngineReport {
  const { engine, library, reason } = atWork(memory);
  return {
    engine: engine.name,
    ...(library === undefined ? {} : { engineLibrary: library }),
    ...(reason === undefined ? {} : { engineReason: reason }),
  };
}

function atWork(memory: Float64Memory): Chosen {
  const entry = engines(memory);
  entry.active ??= engineFor(memory, environmentChoice());
  return entry.active;
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
function engineFor(memory: Float64Memory, choice: EngineChoice): Chosen {
  const { made } = engines(memory);
  let chosen = made.get(choice);
  if (chosen === undefined) {
    chosen = choose(memory, choice);
    made.set(choice, chosen);
  }
  return chosen;
}

function choose(memory: Float64Memory, choice: EngineChoice): Chosen {
  if (choice === 'typescript') return { engine: typescriptEngine(memory) };
  if (choice === 'wasm') return { engine: wasmEngine(memory) };
  const refusal = kernelsRefusal();
  if (choice === 'auto') {
    return refusal === undefined
      ? { engine: wasmEngine(memory) }
      : { engine: typescriptEngine(memory), reason: refusal };
  }
  // The native engine leaves to WebAssembly what Fortran cannot address.
  const found = refusal === undefined ? findNative() : { reason: refusal };
  if ('reason' in found) throw new InvalidInputError(`The native engine is not available. ${found.reason}`);
  return { engine: found.engine(memory), library: `${found.version} (${found.library})` };
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

/** The compiled kernels for the engine at work on this memory, if it has any. */
export function compiledKernels(memory: Float64Memory): LinkedKernels | undefined {
  const { name } = linearAlgebra(memory);
  if (name === 'typescript' || !supportsKernels()) return undefined;
  return kernelsOn(memory);
}

/** LATENTFIELD_ENGINE where there is an environment. */
function environmentChoice(): EngineChoice {
  const named = environmentVariable('LATENTFIELD_ENGINE');
  if (named === undefined || named === '') return 'auto';
  if ((ENGINE_CHOICES as readonly string[]).includes(named)) return named as EngineChoice;
  throw new InvalidInputError(
    `The environment variable LATENTFIELD_ENGINE must be one of ${ENGINE_CHOICES.join(', ')}, but it is '${named}'.`,
  );
}
