import './relaxedSimd.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pipeFlow } from '../../../src/data/index.ts';
import { evaluate, fit, gplvm } from '../../../src/index.ts';
import { rbfProfile } from '../../../src/kernels/rbfProfile.ts';
import type { EngineChoice, LinearAlgebraEngine } from '../../../src/numerics/dense/index.ts';
import { Float64Memory } from '../../../src/numerics/memory.ts';
import { FUSED, PLAIN, supportsFusedKernels } from '../../../src/numerics/wasm/index.ts';
import { startTeam, type Threads } from '../../../src/numerics/wasm/team.ts';
import { wasmEngine } from '../../../src/numerics/wasm/wasmEngine.ts';
import { wasmFusedOperations } from '../../../src/numerics/wasm/wasmFusedOperations.ts';
import { engineConformance } from '../dense/engineConformance.ts';
import { normals } from './bothEngines.ts';
import { difference } from './difference.ts';
import { spoiledMemory } from './spoiledMemory.ts';

const SIZES = [1, 7, 16, 50, 101, 190, 260];
const parameters = { variance: 1.1, lengthscales: [1, 0.7], bias: 0.1, noise: 0.5 };
const rows = (offset: number, columns: number) => ({ offset, rowStride: columns, columnStride: 1 });

/** AAᵀ + n·I: eigenvalues within a factor of about five of each other, so that rounding is not magnified. */
function definite(n: number): Float64Array {
  const a = normals(n * n, 3);
  return Float64Array.from({ length: n * n }, (_, p) => {
    const [i, j] = [Math.floor(p / n), p % n];
    let sum = i === j ? n : 0;
    for (let k = 0; k < n; k++) sum += a[i * n + k]! * a[j * n + k]!;
    return sum;
  });
}

/** What an operation leaves of a square matrix, in both variants of the kernels. */
function inBoth(
  n: number,
  blocks: readonly Float64Array[],
  work: (engine: LinearAlgebraEngine, at: number[]) => number,
) {
  return [PLAIN, FUSED].map((variant) => {
    const memory = spoiledMemory();
    const engine = wasmEngine(memory, variant as typeof PLAIN);
    const offsets = blocks.map((block) => memory.allocate(8 * block.length));
    blocks.forEach((block, i) => {
      memory.float64(offsets[i]!, block.length).set(block);
    });
    return memory.float64(work(engine, offsets), n * n).slice();
  }) as [Float64Array, Float64Array];
}

it('runs here', () => {
  expect(supportsFusedKernels()).toBe(true);
});

engineConformance('WebAssembly with fused multiply-add', (memory) => wasmEngine(memory, FUSED));

describe('products and sums', () => {
  it('are rounded once where they are fused, and twice where they are not', () => {
    const e = 2 ** -30;
    // −1·1 + (1 + e)·(1 − e) = −e², which 1 − e² rounded to 1 has lost.
    const [plain, fused] = inBoth(
      1,
      [new Float64Array([-1, 1 + e]), new Float64Array([1, 1 - e])],
      (engine, [a, b]) => {
        const c = a!;
        engine.gemm(2, 2, 2, 1, { ...rows(a!, 2), rowStride: 0 }, { ...rows(b!, 1), columnStride: 0 }, 0, {
          offset: c,
          rowStride: 0,
          columnStride: 0,
        });
        return c;
      },
    );
    expect([plain[0], fused[0]]).toEqual([0, -(e * e)]);
  });

  for (const n of SIZES) {
    it(`of order ${n} agree with those rounded apart to rounding`, () => {
      const [a, l] = [normals(n * n, 1), definite(n)];
      const near = ([plain, fused]: [Float64Array, Float64Array], bound: number) =>
        expect(difference(fused, plain)).toBeLessThan(bound);
      near(
        inBoth(n, [a, a, a], (engine, [x, y, z]) => {
          engine.gemm(n, n, n, 1, rows(x!, n), rows(y!, n), 0, rows(z!, n));
          return z!;
        }),
        // Sums of n products, each rounded by half a unit: relative to the largest of all, far below n units.
        n * Number.EPSILON,
      );
      const factored = (engine: LinearAlgebraEngine, at: number) => expect(engine.cholesky(n, at)).toBe(-1);
      near(
        inBoth(n, [l], (engine, [x]) => {
          factored(engine, x!);
          return x!;
        }),
        4 * n * Number.EPSILON,
      );
      for (const transpose of [false, true]) {
        near(
          inBoth(n, [l, a], (engine, [x, b]) => {
            factored(engine, x!);
            engine.triangularSolve(n, n, x!, b!, transpose);
            return b!;
          }),
          8 * n * Number.EPSILON,
        );
        near(
          inBoth(n, [l, a], (engine, [x, b]) => {
            factored(engine, x!);
            engine.triangularMultiply(n, n, x!, b!, transpose);
            return b!;
          }),
          8 * n * Number.EPSILON,
        );
      }
      near(
        inBoth(n, [l], (engine, [x]) => {
          factored(engine, x!);
          engine.choleskyInverse(n, x!);
          return x!;
        }),
        16 * n * Number.EPSILON,
      );
    });
  }
});

describe('threads', () => {
  const memories = [spoiledMemory(), spoiledMemory()] as const;
  let team: Threads;
  beforeAll(async () => {
    team = await startTeam(memories[1], 2);
  });
  afterAll(() => team.dispose());

  /** The inverse of a matrix, from its Cholesky factor, with what a covariance's gradient is. */
  function results(memory: (typeof memories)[number], variant: typeof PLAIN | typeof FUSED, n: number) {
    const engine = wasmEngine(memory, variant);
    const fused = wasmFusedOperations(memory, variant);
    const [x, k, g, dx] = [2 * n, n * n, n * n, 2 * n].map((length) => memory.allocate(8 * length)) as [
      number,
      number,
      number,
      number,
    ];
    memory.float64(x, 2 * n).set(normals(2 * n, 5));
    fused.radialSum(n, 2, x, rbfProfile, parameters, k);
    memory.float64(g, n * n).set(memory.float64(k, n * n));
    expect(engine.cholesky(n, g)).toBe(-1);
    engine.choleskyInverse(n, g);
    fused.radialSumGradient(n, 2, x, rbfProfile, parameters, k, g, dx);
    return [...memory.float64(g, n * n), ...memory.float64(dx, 2 * n)];
  }

  it.each([130, 260])('serve both variants by turns, each with the bits of one thread, N = %i', (n) => {
    expect(team.count).toBe(2);
    for (const variant of [FUSED, PLAIN, FUSED] as const) {
      expect(team.run(() => results(memories[1], variant, n))).toEqual(results(memories[0], variant, n));
    }
    expect(results(memories[0], FUSED, n)).not.toEqual(results(memories[0], PLAIN, n));
  });
});

describe('the engine wasm-fma', () => {
  const model = () => gplvm(pipeFlow({ points: 90, seed: 1 }).observations, { latentDim: 2 });
  const at = (engine: EngineChoice) => evaluate(model(), undefined, { engine });

  it('has the value and gradient of wasm to rounding, not to the bit', () => {
    const [fused, plain] = [at('wasm-fma'), at('wasm')];
    expect(Math.abs(fused.objective / plain.objective - 1)).toBeLessThan(1e-11);
    expect(fused.objective).not.toBe(plain.objective);
    for (const [path, gradient] of Object.entries(plain.gradients)) {
      const numbers = (given: unknown) =>
        [given].flat(3).flatMap((each) => [...((each as { data?: number[] }).data ?? [each as number])]);
      expect(
        difference(numbers(fused.gradients[path as keyof typeof fused.gradients]), numbers(gradient)),
        path,
      ).toBeLessThan(1e-9);
    }
  });

  it('is what auto takes, and diagnostics name it', async () => {
    const named = async (engine: EngineChoice) => (await fit(model(), { engine, maxIterations: 2 })).diagnostics.engine;
    expect([await named('auto'), await named('wasm-fma'), await named('wasm')]).toEqual([
      'wasm-fma',
      'wasm-fma',
      'wasm',
    ]);
  });
});

describe('without relaxed SIMD', () => {
  it('auto is wasm, and wasm-fma an error that says what it takes', async () => {
    vi.resetModules();
    const validate = vi.spyOn(WebAssembly, 'validate').mockReturnValue(false);
    try {
      const { engineReport, withEngine } = await import('../../../src/numerics/dense/index.ts');
      const memory = new Float64Memory();
      const named = (choice: EngineChoice) => withEngine(memory, choice, () => engineReport(memory).engine);
      expect(named('auto')).toBe('wasm');
      const attempt = () => named('wasm-fma');
      expect(attempt).toThrow(expect.objectContaining({ name: 'InvalidInputError' }));
      expect(attempt).toThrow(/wasm-fma needs .*relaxed SIMD.*Node 22.*Choose 'auto'/);
    } finally {
      validate.mockRestore();
    }
  });
});
