import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { environmentVariable } from '../../core/host.ts';
import type { Float64Memory } from '../memory.ts';
import { findNative } from '../native/index.ts';
import type { ExpectationOperations, GaussianPoints, Kept, RbfSlopes } from '../operations/covariances.ts';
import type { EngineName, EngineReport, LinearAlgebraEngine, Strided } from '../operations/linearAlgebra.ts';
import {
  typescriptFusedOperations,
  typescriptQuadraticOperations,
  typescriptSquaredDistances,
} from '../typescript/covariances.ts';
import { typescriptExpectations } from '../typescript/expectations.ts';
import { typescriptElementaryFunctions, typescriptEngine } from '../typescript/typescriptEngine.ts';
import { kernelsOn, kernelsRefusal, type LinkedKernels } from '../wasm/instance.ts';
import {
  wasmElementaryFunctions,
  wasmEngine,
  wasmFusedOperations,
  wasmLowerProduct,
  wasmQuadraticOperations,
  wasmSquaredDistances,
} from '../wasm/wasmEngine.ts';
import { expectationsOn } from '../wasm/wasmExpectations.ts';

/** Number of points that are summed together. */
const BLOCK = 1024;
const BYTES = 8;

/**
 * The same expectations with sums over points made block by block: rounding errors grow with the size and the number of blocks instead of the number
 * of points, and near-singular covariances of inducing inputs would amplify them.
 */
export function expectationsInBlocks(memory: Float64Memory, operations: ExpectationOperations): ExpectationOperations {
  /** Adds up `count` numbers that `one` computes for each block; the first block is written directly. */
  function summed(n: number, count: number, target: number, one: (from: number, size: number, at: number) => void) {
    one(0, BLOCK, target);
    memory.withBlock(BYTES * count, (part) => {
      for (let from = BLOCK; from < n; from += BLOCK) {
        one(from, Math.min(BLOCK, n - from), part);
        const sums = memory.float64(target, count);
        const more = memory.float64(part, count);
        for (let i = 0; i < count; i++) sums[i]! += more[i]!;
      }
    });
  }

  const rows = (offset: number, columns: number, from: number) => offset + BYTES * columns * from;

  /** Intermediate results kept for the points of a block. */
  function keptFrom(kept: Kept | undefined, m: number, from: number): Kept | undefined {
    if (kept === undefined || kept.points <= from) return undefined;
    return { points: kept.points - from, offset: rows(kept.offset, operations.keptOfPoint(m), from) };
  }

  function pointsFrom(points: GaussianPoints, from: number, n: number): GaussianPoints {
    const { q, mean, variance } = points;
    return { ...points, n, mean: rows(mean, q, from), variance: rows(variance, q, from) };
  }

  return Object.freeze<ExpectationOperations>({
    expectedRbf: operations.expectedRbf,

    expectedRbfGradient(points, g, slopes) {
      const { n, m, q } = points;
      if (n <= BLOCK) return operations.expectedRbfGradient(points, g, slopes);
      const parts: RbfSlopes[] = [];
      summed(n, m * q, slopes.inducing, (from, size, inducing) => {
        const mean = rows(slopes.mean, q, from);
        const into = { mean, variance: rows(slopes.variance, q, from), inducing };
        parts.push(operations.expectedRbfGradient(pointsFrom(points, from, size), rows(g, m, from), into));
      });
      return parts.reduce(plus);
    },

    keptOfPoint: operations.keptOfPoint,

    expectedRbfProducts(points, weights, target, kept) {
      const { n, m } = points;
      const { sums, offset } = weights;
      if (n <= BLOCK) return operations.expectedRbfProducts(points, weights, target, kept);
      summed(n, sums * m * m, target, (from, size, at) => {
        const own = { sums, ...(offset !== undefined && { offset: rows(offset, sums, from) }) };
        operations.expectedRbfProducts(pointsFrom(points, from, size), own, at, keptFrom(kept, m, from));
      });
    },

    expectedRbfProductsGradient(points, weights, g, slopes, kept) {
      const { n, m, q } = points;
      const { sums, offset } = weights;
      if (n <= BLOCK) return operations.expectedRbfProductsGradient(points, weights, g, slopes, kept);
      const parts: RbfSlopes[] = [];
      summed(n, m * q, slopes.inducing, (from, size, inducing) => {
        const mean = rows(slopes.mean, q, from);
        const into = { mean, variance: rows(slopes.variance, q, from), inducing };
        const own = { sums, ...(offset !== undefined && { offset: rows(offset, sums, from) }) };
        const there = keptFrom(kept, m, from);
        parts.push(operations.expectedRbfProductsGradient(pointsFrom(points, from, size), own, g, into, there));
      });
      return parts.reduce(plus);
    },
  });
}

const plus = (a: RbfSlopes, b: RbfSlopes): RbfSlopes => ({
  total: a.total + b.total,
  lengthscales: a.lengthscales.map((slope, d) => slope + b.lengthscales[d]!),
});

/** Choice of an engine. 'auto' is WebAssembly, which has the same bits in every process on one kind of processor, or TypeScript where WebAssembly does not run. */
export type EngineChoice = 'auto' | EngineName;

const ENGINE_CHOICES: readonly EngineChoice[] = ['auto', 'wasm', 'native', 'typescript'];

/** A choice among options. */
export const engineChoice = v.picklist(
  ENGINE_CHOICES,
  `one of ${ENGINE_CHOICES.map((name) => `'${name}'`).join(', ')}`,
);

/** An engine, and the reason for its choice. */
interface Chosen {
  readonly engine: LinearAlgebraEngine;
  /** The library that a native engine calls. */
  readonly library?: string;
  /** Why 'auto' did not choose WebAssembly. */
  readonly reason?: string;
}

/** Engines created for a memory so far, and the active one. */
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

/** The active engine on this memory: the one chosen by `withEngine`, otherwise the environment's choice. */
export function linearAlgebra(memory: Float64Memory): LinearAlgebraEngine {
  return atWork(memory).engine;
}

/** Diagnostics of the active engine on this memory. */
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

/** Runs `work`, which is synchronous, with a chosen engine, and restores the previous one. */
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

/** The engine of this choice for this memory, created once. */
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
  // The native engine passes sizes that Fortran cannot address to WebAssembly.
  const found = refusal === undefined ? findNative() : { reason: refusal };
  if ('reason' in found) throw new InvalidInputError(`The native engine is not available. ${found.reason}`);
  return { engine: found.engine(memory), library: `${found.version} (${found.library})` };
}

/**
 * Operations for the active engine on a memory, created once per engine: compiled ones, except for the TypeScript engine. The native library has
 * none.
 */
function forEngineAtWork<T>(
  compiled: (memory: Float64Memory) => T,
  plain: (memory: Float64Memory, engine: LinearAlgebraEngine) => T,
): (memory: Float64Memory) => T {
  const made = new WeakMap<LinearAlgebraEngine, T>();
  return (memory) => {
    const engine = linearAlgebra(memory);
    let operations = made.get(engine);
    if (operations === undefined) {
      operations = engine.name === 'typescript' ? plain(memory, engine) : compiled(memory);
      made.set(engine, operations);
    }
    return operations;
  };
}

// Each is left out of a page that does not use it.
/** Operations on whole covariances. */
export const fusedOperations = /* @__PURE__ */ forEngineAtWork(wasmFusedOperations, typescriptFusedOperations);

/** Squared distances of points with their gradients. */
export const distanceOperations = /* @__PURE__ */ forEngineAtWork(wasmSquaredDistances, typescriptSquaredDistances);

/** Coordinate descent on quadratic functions of pairs. */
export const quadraticOperations = /* @__PURE__ */ forEngineAtWork(
  wasmQuadraticOperations,
  typescriptQuadraticOperations,
);

/** exp, log and tanh. */
export const elementaryFunctions = /* @__PURE__ */ forEngineAtWork(
  wasmElementaryFunctions,
  typescriptElementaryFunctions,
);

/** Expectations of covariances. */
export const expectationOperations = /* @__PURE__ */ forEngineAtWork(
  (memory) => expectationsInBlocks(memory, expectationsOn(memory)),
  (memory) => expectationsInBlocks(memory, typescriptExpectations(memory)),
);

/** The compiled routines for the active engine on this memory, if it has any. */
export function compiledKernels(memory: Float64Memory): LinkedKernels | undefined {
  const { name } = linearAlgebra(memory);
  if (name === 'typescript') return undefined;
  return kernelsOn(memory);
}

/** LATENTFIELD_ENGINE, if there is an environment. */
function environmentChoice(): EngineChoice {
  const named = environmentVariable('LATENTFIELD_ENGINE');
  if (named === undefined || named === '') return 'auto';
  if ((ENGINE_CHOICES as readonly string[]).includes(named)) return named as EngineChoice;
  throw new InvalidInputError(
    `The environment variable LATENTFIELD_ENGINE must be one of ${ENGINE_CHOICES.join(', ')}, but it is '${named}'.`,
  );
}

/** Number of columns passed to a library at once: it computes whole blocks, and half of each block on the diagonal is not needed. */
const PANEL = 128;

/**
 * Lower triangle of C ← alpha·A·B + beta·C with A n×k, B k×n in any strides, C n×n contiguous, at half the work of the full product if C is known to
 * be symmetric. Entries above the diagonal are undefined.
 */
export function lowerProduct(
  memory: Float64Memory,
  engine: LinearAlgebraEngine,
  n: number,
  k: number,
  alpha: number,
  a: Strided,
  b: Strided,
  beta: number,
  c: number,
): void {
  if (engine.name === 'wasm') {
    wasmLowerProduct(memory, n, k, alpha, a, b, beta, c);
    return;
  }
  for (let j = 0; j < n; j += PANEL) {
    const rows = { ...a, offset: a.offset + 8 * j * a.rowStride };
    const columns = { ...b, offset: b.offset + 8 * j * b.columnStride };
    const corner = { offset: c + 8 * j * (n + 1), rowStride: n, columnStride: 1 };
    engine.gemm(n - j, Math.min(PANEL, n - j), k, alpha, rows, columns, beta, corner);
  }
}
