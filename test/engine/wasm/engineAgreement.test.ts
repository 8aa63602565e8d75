import { describe, expect, it } from 'vitest';
import type { Strided } from '../../../src/engine/operations/linearAlgebra.ts';
import { normals, onBoth } from './bothEngines.ts';
import { difference } from './difference.ts';

const SIZES = [0, 1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 47, 64, 65, 97, 130, 190];

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
      // Each pair of layouts with each other, in a Latin square.
      for (const [i, la] of layouts.entries()) {
        for (const [j, lb] of layouts.entries()) {
          const lc = layouts[(i + j) % layouts.length]!;
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

  it('reports which pivot is not positive, and leaves its value', () => {
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
