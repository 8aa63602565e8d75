import { describe, expect, it } from 'vitest';
import type { LinearAlgebraEngine, Strided } from '../../../src/core/linalg/engine.ts';
import { typescriptEngine } from '../../../src/core/linalg/typescriptEngine.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { wasmEngine } from '../../../src/core/wasm/wasmEngine.ts';
import { difference } from './difference.ts';
import { spoiledMemory } from './spoiledMemory.ts';

const SIZES = [0, 1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 47, 64, 65, 97, 130, 190];

/** Both engines on memories with the same content; what `work` leaves in the blocks is compared. */
function onBoth(blocks: Float64Array[], work: (engine: LinearAlgebraEngine, offsets: number[]) => unknown) {
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
function normals(length: number, seed: number): Float64Array {
  const key = `${length} ${seed}`;
  const numbers = drawn.get(key) ?? Float64Array.from({ length }, seededRandom(seed).normal);
  drawn.set(key, numbers);
  return numbers.slice();
}

/** AAᵀ + ridge·I with the upper triangle NaN, which no algorithm may read. */
function definiteLower(n: number, seed: number, ridge: number): Float64Array {
  const a = normals(n * n, seed);
  const s = new Float64Array(n * n).fill(Number.NaN);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = i === j ? ridge : 0;
      for (let k = 0; k < n; k++) sum += a[i * n + k]! * a[j * n + k]!;
      s[i * n + j] = sum;
    }
  }
  return s;
}

/** A well-conditioned lower triangle, the upper one NaN. */
function lowerTriangle(n: number, seed: number): Float64Array {
  const l = normals(n * n, seed);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (j > i) l[i * n + j] = Number.NaN;
      else if (j < i) l[i * n + j]! /= 2 * Math.sqrt(n);
      else l[i * n + j] = 1 + Math.abs(l[i * n + j]!);
    }
  }
  return l;
}

describe('products', () => {
  const shapes = [
    [0, 3, 2],
    [3, 0, 2],
    [3, 2, 0],
    [1, 1, 1],
    [1, 7, 5],
    [7, 1, 5],
    [1, 1, 300],
    [4, 4, 4],
    [5, 6, 7],
    [33, 29, 50],
    [17, 64, 257],
    [40, 523, 3],
    [70, 12, 520],
  ] as const;
  const layouts = ['rows', 'columns', 'reversed', 'apart'] as const;

  /** A matrix in one of the layouts, the extent of its block, and its first entry in the block. */
  function layout(name: (typeof layouts)[number], rows: number, columns: number) {
    if (name === 'rows') return { first: 0, rowStride: columns, columnStride: 1, length: rows * columns };
    if (name === 'columns') return { first: 0, rowStride: 1, columnStride: rows, length: rows * columns };
    if (name === 'apart') return { first: 1, rowStride: 2, columnStride: 2 * rows, length: 2 * rows * columns + 1 };
    return {
      first: Math.max(0, rows * columns - 1),
      rowStride: -columns,
      columnStride: -1,
      length: rows * columns,
    };
  }
  const place = (offset: number, l: ReturnType<typeof layout>): Strided => ({
    offset: offset + 8 * l.first,
    rowStride: l.rowStride,
    columnStride: l.columnStride,
  });

  for (const [m, n, k] of shapes) {
    it(`${m}×${k} by ${k}×${n}, in all strides`, () => {
      for (const la of layouts) {
        for (const lb of layouts) {
          for (const lc of layouts) {
            const a = layout(la, m, k);
            const b = layout(lb, k, n);
            const c = layout(lc, m, n);
            for (const [alpha, beta] of [
              [1, 0],
              [-0.7, 1],
              [0.3, -1.5],
            ] as const) {
              const content = [normals(a.length, 1), normals(b.length, 2), normals(c.length, 3)];
              if (beta === 0) content[2]!.fill(Number.NaN);
              const [wasm, typescript] = onBoth(content, (engine, [oa, ob, oc]) =>
                engine.gemm(m, n, k, alpha, place(oa!, a), place(ob!, b), beta, place(oc!, c)),
              );
              // An entry is the sum of k terms of size one.
              expect(difference(wasm.blocks[2]!, typescript.blocks[2]!, k)).toBeLessThan(1e-13);
            }
          }
        }
      }
    });
  }

  it('alpha 0 scales only', () => {
    const [wasm] = onBoth([normals(6, 1), normals(6, 2), normals(9, 3)], (engine, [a, b, c]) => {
      const rows = (offset: number, columns: number) => ({ offset, rowStride: columns, columnStride: 1 });
      engine.gemm(3, 3, 2, 0, rows(a!, 2), rows(b!, 3), 0.5, rows(c!, 3));
    });
    expect(Array.from(wasm.blocks[2]!)).toEqual(Array.from(normals(9, 3), (x) => 0.5 * x));
  });

  for (const n of SIZES) {
    it(`A·Aᵀ of ${n} rows`, () => {
      for (const k of [0, 1, 5, 40]) {
        for (const beta of [0, 1, -2]) {
          const c = normals(n * n, 5);
          const [wasm, typescript] = onBoth([normals(n * k, 4), c], (engine, [a, target]) =>
            engine.syrk(n, k, 0.9, { offset: a!, rowStride: 1, columnStride: n }, beta, target!),
          );
          expect(difference(wasm.blocks[1]!, typescript.blocks[1]!)).toBeLessThan(1e-13);
          expect(c.filter((x, p) => p % n > Math.floor(p / n) && wasm.blocks[1]![p] !== x)).toHaveLength(0);
        }
      }
    });
  }
});

describe('Cholesky', () => {
  for (const n of SIZES) {
    it(`factor and inverse of order ${n}`, () => {
      const [wasm, typescript] = onBoth([definiteLower(n, 6, n)], (engine, [a]) => {
        const failed = engine.cholesky(n, a!);
        engine.choleskyInverse(n, a!);
        return failed;
      });
      expect([wasm.value, typescript.value]).toEqual([-1, -1]);
      expect(difference(wasm.blocks[0]!, typescript.blocks[0]!)).toBeLessThan(1e-13);
      const transposed = wasm.blocks[0]!.map((_, p, inverse) => inverse[(p % n) * n + Math.floor(p / n)]!);
      expect(difference(transposed, wasm.blocks[0]!)).toBe(0);
    });
    it(`reads and writes the lower triangle only, order ${n}`, () => {
      const [wasm, typescript] = onBoth([definiteLower(n, 6, n)], (engine, [a]) => engine.cholesky(n, a!));
      expect(difference(wasm.blocks[0]!, typescript.blocks[0]!)).toBeLessThan(1e-13);
    });
  }

  it('an ill-conditioned matrix: the same residual to rounding', () => {
    const n = 120;
    // The Gaussian covariance of points close together, condition number about 1e15.
    const k = Float64Array.from({ length: n * n }, (_, p) => {
      const gap = (Math.floor(p / n) - (p % n)) / 20;
      return Math.exp(-0.5 * gap * gap) + (gap === 0 ? 1e-13 : 0);
    });
    const [wasm, typescript] = onBoth([k], (engine, [a]) => engine.cholesky(n, a!));
    expect(wasm.value).toBe(typescript.value);
    const l = wasm.blocks[0]!;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let p = 0; p <= j; p++) sum += l[i * n + p]! * l[j * n + p]!;
        expect(Math.abs(sum - k[i * n + j]!)).toBeLessThan(1e-13);
      }
    }
  });

  it('says which pivot is not positive, and leaves its value', () => {
    for (const [n, failing] of [
      [1, 0],
      [3, 1],
      [40, 33],
      [130, 0],
      [130, 100],
      [130, 129],
    ] as const) {
      for (const spoil of [-1e3, Number.NaN]) {
        const a = definiteLower(n, 7, n);
        a[failing * n + failing] = spoil;
        const [wasm, typescript] = onBoth([a], (engine, [offset]) => engine.cholesky(n, offset!));
        expect([wasm.value, typescript.value]).toEqual([failing, failing]);
        const at = failing * n + failing;
        if (Number.isNaN(spoil)) expect(wasm.blocks[0]![at]).toBeNaN();
        else expect(wasm.blocks[0]![at]! / typescript.blocks[0]![at]! - 1).toBeCloseTo(0, 13);
      }
    }
    const [zero] = onBoth([new Float64Array(9)], (engine, [offset]) => engine.cholesky(3, offset!));
    expect(zero.value).toBe(0);
  });
});

describe('triangular solve and multiply', () => {
  for (const n of SIZES) {
    it(`order ${n}, several numbers of right-hand sides`, () => {
      for (const m of n === 47 || n === 130 ? [9, 150, 261] : [0, 1, 2, 3, 4, 7, 50]) {
        for (const transpose of [false, true]) {
          for (const operation of ['triangularSolve', 'triangularMultiply'] as const) {
            const [wasm, typescript] = onBoth([lowerTriangle(n, 8), normals(n * m, 9)], (engine, [l, b]) =>
              engine[operation](n, m, l!, b!, transpose),
            );
            expect(difference(wasm.blocks[1]!, typescript.blocks[1]!)).toBeLessThan(1e-13);
            expect(difference(wasm.blocks[0]!, lowerTriangle(n, 8))).toBe(0);
          }
        }
      }
    });
  }
});

describe('symmetric eigenvectors', () => {
  /** λ and V of both engines agree, where eigenvalues are apart; V is orthogonal and A·V = V·diag(λ). */
  function check(n: number, a: Float64Array, separated = true) {
    const [wasm, typescript] = onBoth([a, new Float64Array(n)], (engine, [matrix, values]) =>
      engine.symmetricEigen(n, matrix!, values!),
    );
    expect([wasm.value, typescript.value]).toEqual([0, 0]);
    const [v, w] = wasm.blocks as [Float64Array, Float64Array];
    expect(difference(w, typescript.blocks[1]!)).toBeLessThan(1e-13);
    const norm = w.reduce((most, value) => Math.max(most, Math.abs(value)), Number.MIN_VALUE);
    if (separated) expect(difference(v, typescript.blocks[0]!)).toBeLessThan(1e-11);
    expect(w).toEqual(w.slice().sort());
    let residual = 0;
    let overlap = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        let product = 0;
        let inner = 0;
        for (let k = 0; k < n; k++) {
          product += (a[Math.max(i, k) * n + Math.min(i, k)]! / norm) * v[k * n + j]!;
          inner += v[k * n + i]! * v[k * n + j]!;
        }
        residual = Math.max(residual, Math.abs(product - (w[j]! / norm) * v[i * n + j]!));
        overlap = Math.max(overlap, Math.abs(inner - (i === j ? 1 : 0)));
      }
    }
    // Denormal eigenvalues are rounded coarsely.
    expect(residual).toBeLessThan(Math.max(1e-13, Number.MIN_VALUE / norm));
    expect(overlap).toBeLessThan(1e-13);
    for (let j = 0; j < n; j++) {
      let largest = 0;
      for (let i = 0; i < n; i++) if (Math.abs(v[i * n + j]!) > Math.abs(largest)) largest = v[i * n + j]!;
      expect(largest).toBeGreaterThan(0);
    }
  }

  for (const n of [0, 1, 2, 3, 4, 5, 16, 31, 32, 33, 34, 65, 100]) {
    it(`random, order ${n}`, () => {
      const a = normals(n * n, 10);
      for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) a[i * n + j] = Number.NaN;
      check(n, a);
    });
  }

  it('repeated eigenvalues', () => {
    const n = 40;
    check(n, new Float64Array(n * n), false);
    check(
      n,
      Float64Array.from({ length: n * n }, () => 1),
      false,
    );
    check(
      n,
      Float64Array.from({ length: n * n }, (_, k) => (Math.floor(k / n) === k % n ? 3 : 0)),
      false,
    );
  });

  it('magnitudes whose squares leave the range of doubles', () => {
    for (const scale of [1e-300, 4e-320, 1e-40, 1e40, 1e300]) {
      const a = normals(36, 11).map((x) => x * scale);
      check(6, a, scale > 1e-310);
    }
    // Off-diagonal entries whose squares underflow beside a diagonal of ordinary size.
    const small = Float64Array.from({ length: 25 }, (_, k) => (k % 6 === 0 ? k : 1e-200 * (k % 5)));
    check(5, small);
    check(3, Float64Array.from([0, 0, 0, 1e-200, 0, 0, 1e-200, 1, 0]), false);
  });

  it('an entry that is not finite is said, not looped on', () => {
    for (const entry of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const a = normals(100, 12);
      a[53] = entry;
      const [wasm] = onBoth([a, new Float64Array(10)], (engine, [matrix, values]) =>
        engine.symmetricEigen(10, matrix!, values!),
      );
      expect(wasm.value).toBe(1);
    }
  });
});
