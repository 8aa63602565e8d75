import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import type { Float64Memory } from '../../../src/engine/memory.ts';
import type { RadialSum } from '../../../src/engine/operations/covariances.ts';
import {
  typescriptFusedOperations,
  typescriptQuadraticOperations,
  typescriptSquaredDistances,
} from '../../../src/engine/typescript/covariances.ts';
import { typescriptEngine } from '../../../src/engine/typescript/typescriptEngine.ts';
import {
  wasmFusedOperations,
  wasmLowerProduct,
  wasmQuadraticOperations,
  wasmSquaredDistances,
} from '../../../src/engine/wasm/wasmEngine.ts';
import { rbfProfile } from '../../../src/kernels/rbf.ts';
import { difference } from './difference.ts';
import { spoiledMemory } from './spoiledMemory.ts';

const engines = {
  wasm: (memory: Float64Memory) => ({
    ...wasmFusedOperations(memory),
    ...wasmSquaredDistances(memory),
    ...wasmQuadraticOperations(memory),
    lowerProduct: (...given: Product) => wasmLowerProduct(memory, ...given),
  }),
  typescript: (memory: Float64Memory) => ({
    ...typescriptFusedOperations(memory, typescriptEngine(memory)),
    ...typescriptSquaredDistances(memory),
    ...typescriptQuadraticOperations(memory),
    /** Row by row, as much of it as is on and below the diagonal. */
    lowerProduct(...[n, k, alpha, a, b, beta, c]: Product) {
      for (let i = 0; i < n; i++) {
        const row = { ...a, offset: a.offset + 8 * i * a.rowStride };
        const target = { offset: c + 8 * i * n, rowStride: n, columnStride: 1 };
        typescriptEngine(memory).gemm(1, i + 1, k, alpha, row, b, beta, target);
      }
    },
  }),
};
type Product = Parameters<typeof wasmLowerProduct> extends [Float64Memory, ...infer Given] ? Given : never;
type Operations = ReturnType<(typeof engines)[Engine]>;
type Engine = keyof typeof engines;
const SIZES = [0, 1, 2, 3, 4, 31, 32, 33, 63, 64, 65, 97, 130, 300];

/** Puts arrays into a memory, lets the operations work on them, and gives back what is in them then. */
function run<T>(engine: Engine, blocks: Float64Array[], work: (operations: Operations, offsets: number[]) => T) {
  const memory = spoiledMemory();
  const offsets = blocks.map((block) => memory.allocate(8 * Math.max(1, block.length)));
  blocks.forEach((block, i) => {
    memory.float64(offsets[i]!, block.length).set(block);
  });
  const live = memory.liveBytes;
  const value = work(engines[engine](memory), offsets);
  expect(memory.liveBytes).toBe(live);
  return { value, blocks: blocks.map((block, i) => memory.float64(offsets[i]!, block.length).slice()) };
}

function normals(length: number, seed: number): Float64Array {
  const { normal } = seededRandom(seed);
  return Float64Array.from({ length }, normal);
}
const zeros = (length: number) => new Float64Array(length);

const parametersOf = (q: number): RadialSum => ({
  variance: 1.3,
  lengthscales: Array.from({ length: q }, (_, d) => 0.6 + 0.3 * d),
  bias: 0.2,
  noise: 0.05,
});
const flat = ({ variance, lengthscales, bias, noise }: RadialSum) => [
  variance,
  ...Array.from(lengthscales),
  bias,
  noise,
];

describe('squared distances', () => {
  for (const n of SIZES) {
    it(`of ${n} points to others, and their gradient, agree with the TypeScript version`, () => {
      for (const [m, q] of [
        [n, 2],
        [5, 1],
        [70, 7],
        [0, 3],
      ] as const) {
        const points = [normals(n * q, 1), normals(m * q, 2)];
        const [wasm, typescript] = (['wasm', 'typescript'] as const).map((engine) => ({
          distances: run(engine, [...points, zeros(n * m)], (operations, [a, b, target]) =>
            operations.squaredDistances(n, m, q, a!, b!, target!),
          ).blocks[2]!,
          gradient: run(
            engine,
            [...points, normals(n * m, 3), normals(n * q, 4), normals(m * q, 5)],
            (operations, [a, b, w, da, db]) => operations.squaredDistancesGradient(n, m, q, a!, b!, w!, da!, db!),
          ).blocks,
        })) as [
          { distances: Float64Array; gradient: Float64Array[] },
          { distances: Float64Array; gradient: Float64Array[] },
        ];
        expect(difference(wasm.distances, typescript.distances)).toBeLessThan(1e-13);
        expect(difference(wasm.gradient[3]!, typescript.gradient[3]!)).toBeLessThan(1e-13);
        expect(difference(wasm.gradient[4]!, typescript.gradient[4]!)).toBeLessThan(1e-13);
      }
    });
  }

  it.each(SIZES)('among %i points, and their gradient, agree with the TypeScript version', (n) => {
    for (const q of [1, 2, 7]) {
      const blocks = [normals(n * q, 1), zeros(n * n), normals(n * n, 3), normals(n * q, 4), normals(n * q, 5)];
      const [wasm, typescript] = (['wasm', 'typescript'] as const).map(
        (engine) =>
          run(engine, blocks, (operations, [x, target, w, dx, other]) => {
            operations.squaredDistances(n, n, q, x!, x!, target!);
            operations.squaredDistancesGradient(n, n, q, x!, x!, w!, dx!, other!);
          }).blocks,
      ) as [Float64Array[], Float64Array[]];
      expect(wasm[1]).toEqual(typescript[1]);
      for (const k of [3, 4]) expect(difference(wasm[k]!, typescript[k]!)).toBeLessThan(1e-13);
    }
  });

  it.each(['wasm', 'typescript'] as const)('among points are 0 on the diagonal, for any points, %s', (engine) => {
    for (const n of [3, 40]) {
      const x = normals(n * 2, 1);
      x[2] = Number.NaN;
      x[5] = Number.POSITIVE_INFINITY;
      const { blocks } = run(engine, [x, zeros(n * n)], (operations, [points, target]) =>
        operations.squaredDistances(n, n, 2, points!, points!, target!),
      );
      expect(Array.from({ length: n }, (_, i) => blocks[1]![i * (n + 1)])).toEqual(Array(n).fill(0));
      expect([blocks[1]![1], blocks[1]![2]]).toEqual([Number.NaN, Number.POSITIVE_INFINITY]);
    }
  });

  it.each(['wasm', 'typescript'] as const)('of points without columns are 0, %s', (engine) => {
    const [n, m] = [5, 7];
    const { blocks } = run(engine, [zeros(0), zeros(0), normals(n * m, 1)], (operations, [a, b, target]) => {
      operations.squaredDistances(n, m, 0, a!, b!, target!);
      operations.squaredDistancesGradient(n, m, 0, a!, b!, target!, a!, b!);
    });
    expect(blocks[2]).toEqual(zeros(n * m));
  });

  it('keeps all digits of near points far from the origin', () => {
    const { blocks } = run(
      'wasm',
      [Float64Array.of(1e8, 1e8), Float64Array.of(1e8 + 2 ** -20, 1e8), zeros(1)],
      (operations, [a, b, target]) => operations.squaredDistances(1, 1, 2, a!, b!, target!),
    );
    expect(blocks[2]![0]).toBe(2 ** -40);
  });
});

describe('the lower triangle of a product', () => {
  for (const n of SIZES) {
    it(`of order ${n} agrees with the TypeScript version, the rest untouched`, () => {
      for (const [k, beta] of [
        [n, 0],
        [3, 1],
        [0, 0.5],
      ] as const) {
        const [wasm, typescript] = (['wasm', 'typescript'] as const).map(
          (engine) =>
            run(engine, [normals(n * k, 1), normals(n * k, 2), normals(n * n, 3)], (operations, [a, b, c]) =>
              operations.lowerProduct(
                n,
                k,
                -1.5,
                { offset: a!, rowStride: k, columnStride: 1 },
                { offset: b!, rowStride: 1, columnStride: k },
                beta,
                c!,
              ),
            ).blocks[2]!,
        ) as [Float64Array, Float64Array];
        expect(difference(wasm, typescript)).toBeLessThan(1e-13);
        const before = normals(n * n, 3);
        const isAbove = (_: number, p: number) => p % n > Math.floor(p / n);
        expect(wasm.filter(isAbove)).toEqual(before.filter(isAbove));
      }
    });
  }
});

describe('RBF covariance', () => {
  for (const n of SIZES) {
    for (const q of [1, 2, 5]) {
      it(`and its gradient for ${n} points in ${q} dimensions agree with the TypeScript version`, () => {
        const x = normals(n * q, 6);
        const g = normals(n * n, 7);
        const parameters = parametersOf(q);
        const [wasm, typescript] = (['wasm', 'typescript'] as const).map((engine) =>
          run(engine, [x, zeros(n * n).fill(7), g, normals(n * q, 8)], (operations, [points, k, gradient, dx]) => {
            operations.radialSum(n, q, points!, rbfProfile, parameters, k!);
            return operations.radialSumGradient(n, q, points!, rbfProfile, parameters, k!, gradient!, dx!);
          }),
        ) as [ReturnType<typeof run<RadialSum>>, ReturnType<typeof run<RadialSum>>];
        for (const block of [0, 1, 2, 3])
          expect(difference(wasm.blocks[block]!, typescript.blocks[block]!)).toBeLessThan(1e-13);
        // Sums of n² terms of size one and of either sign.
        const differences = flat(wasm.value).map((value, i) => value - flat(typescript.value)[i]!);
        for (const gap of differences) expect(Math.abs(gap)).toBeLessThanOrEqual(1e-13 * Math.max(1, n * n));
      });
    }
  }

  it('is 0, not a denormal number’s leftovers, for points far apart, and symmetric', () => {
    const n = 70;
    const x = Float64Array.from({ length: n }, (_, i) => 12 * i);
    const parameters = { variance: 2, lengthscales: [1], bias: 0, noise: 0 };
    const k = run('wasm', [x, zeros(n * n)], (operations, [points, target]) =>
      operations.radialSum(n, 1, points!, rbfProfile, parameters, target!),
    ).blocks[1]!;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) expect(k[i * n + j]).toBe(k[j * n + i]);
    }
    expect(k[0]).toBe(2);
    expect(k[1]! / (2 * Math.exp(-72)) - 1).toBeCloseTo(0, 13);
    expect(k[n - 1]).toBe(0);
  });

  it('its gradient is the limit of differences', () => {
    const [n, q] = [9, 2];
    const x = normals(n * q, 9);
    const g = normals(n * n, 10);
    const parameters = parametersOf(q);
    const objective = (points: Float64Array, values: RadialSum) => {
      const k = run('wasm', [points, zeros(n * n)], (operations, [from, target]) =>
        operations.radialSum(n, q, from!, rbfProfile, values, target!),
      ).blocks[1]!;
      return k.reduce((sum, entry, i) => sum + entry * g[i]!, 0);
    };
    const { value, blocks } = run(
      'wasm',
      [x, zeros(n * n), g, zeros(n * q)],
      (operations, [points, k, gradient, dx]) => {
        operations.radialSum(n, q, points!, rbfProfile, parameters, k!);
        return operations.radialSumGradient(n, q, points!, rbfProfile, parameters, k!, gradient!, dx!);
      },
    );
    const step = 1e-5;
    const slope = (at: (shift: number) => number) => (at(step) - at(-step)) / (2 * step);
    blocks[3]!.forEach((derivative, p) => {
      const moved = (shift: number) =>
        objective(
          x.map((entry, i) => entry + (i === p ? shift : 0)),
          parameters,
        );
      expect(derivative).toBeCloseTo(slope(moved), 7);
    });
    for (const name of ['variance', 'bias', 'noise'] as const) {
      const moved = (shift: number) => objective(x, { ...parameters, [name]: parameters[name] + shift });
      expect(value[name]).toBeCloseTo(slope(moved), 7);
    }
    for (let d = 0; d < q; d++) {
      const scales = Array.from(parameters.lengthscales);
      const moved = (shift: number) =>
        objective(x, { ...parameters, lengthscales: scales.map((scale, i) => scale + (i === d ? shift : 0)) });
      expect(value.lengthscales[d]).toBeCloseTo(slope(moved), 7);
    }
  });
});

describe('products with the curvature of pairs', () => {
  // By points from a thousand pairs and about 2.4 pairs a point on, entry by entry below.
  for (const [n, count] of [
    [20, 90],
    [67, 1200],
    [131, 1100],
    [400, 1050],
  ] as const) {
    it(`of ${count} pairs of ${n} points agree with the matrix, with the same bits from both engines`, () => {
      const { uniform } = seededRandom(n);
      const half = normals(n * n, 3);
      const U = half.map((entry, k) => entry + half[(k % n) * n + Math.floor(k / n)]!);
      const pairs = Int32Array.from({ length: 2 * count }, () => Math.floor(n * uniform()));
      const rows = pairs.subarray(0, 2 * count - 10);
      const v = normals(count, 4);
      const [wasm, typescript] = (['wasm', 'typescript'] as const).map(
        (engine) => run(engine, [U], (fused, [u]) => fused.quadraticProduct(n, u!, 0.7, rows, pairs, v)).value,
      );
      const across = (a: number, b: number) => {
        const [i, j, k, l] = [pairs[2 * a]!, pairs[2 * a + 1]!, pairs[2 * b]!, pairs[2 * b + 1]!];
        return U[i * n + k]! - U[j * n + k]! - U[i * n + l]! + U[j * n + l]!;
      };
      const direct = Float64Array.from({ length: count - 5 }, (_, a) =>
        v.reduce((sum, entry, b) => sum + 0.7 * across(a, b) ** 2 * entry, 0),
      );
      expect(wasm).toEqual(typescript);
      expect(difference(wasm!, direct)).toBeLessThan(1e-13);
    });
  }
});

describe('sweeps of coordinate descent over pairs', () => {
  for (const [n, count] of [
    [5, 3],
    [20, 90],
    [67, 121],
    [130, 403],
  ] as const) {
    it(`of ${count} pairs of ${n} points take the steps of plain loops, bit for bit`, () => {
      const { uniform } = seededRandom(n);
      const half = normals(n * n, 3);
      const U = half.map((entry, k) => entry + half[(k % n) * n + Math.floor(k / n)]!);
      const pairs = Int32Array.from({ length: 2 * count }, (_, k) => (k % 2) + 2 * Math.floor((n / 2) * uniform()));
      for (let a = 0; a < count; a++) if (pairs[2 * a + 1]! >= n) pairs[2 * a + 1] = n - 2;
      const curvature = Float64Array.from({ length: count }, (_, a) => {
        const [i, j] = [pairs[2 * a]!, pairs[2 * a + 1]!];
        return 0.1 + 0.7 * (U[i * n + i]! + U[j * n + j]! - 2 * U[i * n + j]!) ** 2;
      });
      const quadratic = {
        ...{ pairs, factor: 0.7, gradient: normals(count, 5), curvature },
        lower: Float64Array.from({ length: count }, () => -uniform()),
        // Some cannot move.
        upper: Float64Array.from({ length: count }, (_, a) => (a % 3 === 0 ? 0 : uniform())),
      };
      const all = Int32Array.from({ length: count }, (_, a) => a);
      const visits = [all.filter((a) => a % 3 > 0), all, all.slice().reverse(), all];
      const [wasm, typescript] = (['wasm', 'typescript'] as const).map((engine) => {
        const steps = {
          places: new Int32Array(count).fill(-1),
          moved: new Int32Array(2 * count),
          steps: new Float64Array(count),
          count: 0,
        };
        const { value } = run(engine, [U], (fused, [u]) =>
          visits.map((some) => fused.quadraticSweep(n, u!, quadratic, some, steps)),
        );
        return { ...steps, value };
      });
      expect(wasm).toEqual(typescript);
      expect(wasm!.count).toBeGreaterThan(count / 3);
    });
  }
});
