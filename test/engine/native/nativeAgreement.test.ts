import { describe, expect, it } from 'vitest';
import { Float64Memory } from '../../../src/engine/memory.ts';
import type { LinearAlgebraEngine, Strided } from '../../../src/engine/operations/linearAlgebra.ts';
import { startTeam } from '../../../src/engine/wasm/team.ts';
import { wasmEngine } from '../../../src/engine/wasm/wasmEngine.ts';
import { lowerMatrix, normalMatrix, positiveDefiniteMatrix, symmetricMatrix } from '../dense/matrices.ts';
import { difference } from '../wasm/difference.ts';
import { withNativeLibrary } from './nativeLibrary.ts';

const SIZES = [1, 2, 5, 33, 64, 130, 257];

withNativeLibrary('the native engine and the WebAssembly engine', (library) => {
  /** Blocks after the same work by both engines on memories with the same content. */
  function onBoth(blocks: readonly Float64Array[], work: (engine: LinearAlgebraEngine, offsets: number[]) => unknown) {
    const results = [library.engine, wasmEngine].map((make) => {
      const memory = new Float64Memory();
      memory.detachViews = true;
      const engine = make(memory);
      const offsets = blocks.map((block) => memory.allocate(8 * block.length));
      for (const [i, block] of blocks.entries()) memory.float64(offsets[i]!, block.length).set(block);
      const value = work(engine, offsets);
      return { value, blocks: blocks.map((block, i) => memory.float64(offsets[i]!, block.length).slice()) };
    });
    return results as [(typeof results)[0], (typeof results)[0]];
  }

  function expectAgreement(
    blocks: readonly Float64Array[],
    work: (engine: LinearAlgebraEngine, offsets: number[]) => unknown,
  ): void {
    const [native, wasm] = onBoth(blocks, work);
    expect(native.value).toBe(wasm.value);
    native.blocks.forEach((block, i) => {
      expect(difference(block, wasm.blocks[i]!), `block ${i}`).toBeLessThan(1e-13);
    });
  }

  describe('agree to 1e-13 on products', () => {
    /** Every layout of an r×c matrix in r·c numbers, or 2·r·c for those that leave gaps. */
    const layouts: Record<string, (rows: number, columns: number) => Omit<Strided, 'offset'> & { first: number }> = {
      rows: (_, columns) => ({ first: 0, rowStride: columns, columnStride: 1 }),
      columns: (rows) => ({ first: 0, rowStride: 1, columnStride: rows }),
      'rows with gaps': (_, columns) => ({ first: 0, rowStride: 2 * columns, columnStride: 1 }),
      'columns with gaps': (rows) => ({ first: 0, rowStride: 1, columnStride: 2 * rows }),
      apart: (_, columns) => ({ first: 0, rowStride: 2 * columns, columnStride: 2 }),
      reversed: (rows, columns) => ({ first: rows * columns - 1, rowStride: -columns, columnStride: -1 }),
      'one row again and again': () => ({ first: 0, rowStride: 0, columnStride: 1 }),
    };
    const writable = Object.keys(layouts).filter((name) => !name.startsWith('one row'));
    const shapes = [
      [1, 1, 1],
      [1, 7, 5],
      [7, 1, 5],
      [5, 6, 1],
      [1, 1, 40],
      [33, 29, 50],
      [6, 4, 0],
    ] as const;

    it.each(Object.keys(layouts).flatMap((a) => Object.keys(layouts).map((b) => [a, b])))(
      'A in %s, B in %s',
      (a, b) => {
        for (const c of writable) {
          for (const [m, n, k] of shapes) {
            const [x, y, z] = [layouts[a!]!(m, k), layouts[b!]!(k, n), layouts[c]!(m, n)];
            const numbers = (rows: number, columns: number, seed: number) =>
              normalMatrix(2 * Math.max(1, rows), Math.max(1, columns), seed).data;
            const strided = (offset: number, { first, ...strides }: typeof x) => ({
              offset: offset + 8 * first,
              ...strides,
            });
            expectAgreement([numbers(m, k, 1), numbers(k, n, 2), numbers(m, n, 3)], (engine, [p, q, r]) =>
              engine.gemm(m, n, k, -1.5, strided(p!, x), strided(q!, y), 0.25, strided(r!, z)),
            );
          }
        }
      },
    );

    it.each(SIZES)('symmetric, order %i', (n) => {
      for (const k of [1, 3, 40]) {
        for (const [rowStride, columnStride] of [
          [k, 1],
          [1, n],
          [2 * k, 2],
        ] as const) {
          expectAgreement([normalMatrix(2 * n, k, 1).data, normalMatrix(n, n, 2).data], (engine, [a, c]) =>
            engine.syrk(n, k, 0.5, { offset: a!, rowStride, columnStride }, -2, c!),
          );
        }
      }
    });
  });

  it.each(SIZES)('agree to 1e-13 on factors, inverses and triangular products of order %i', (n) => {
    expectAgreement([positiveDefiniteMatrix(n).data], (engine, [a]) => engine.cholesky(n, a!));
    expectAgreement([positiveDefiniteMatrix(n).data], (engine, [a]) => {
      engine.cholesky(n, a!);
      engine.choleskyInverse(n, a!);
    });
    const factor = lowerMatrix(n, 4, Number.NaN).data;
    for (const m of [1, 12, 70]) {
      for (const transpose of [false, true]) {
        const blocks = [factor, normalMatrix(n, m, 5).data];
        expectAgreement(blocks, (engine, [l, b]) => engine.triangularSolve(n, m, l!, b!, transpose));
        expectAgreement(blocks, (engine, [l, b]) => engine.triangularMultiply(n, m, l!, b!, transpose));
      }
    }
  });

  it('agree on the first pivot that is not positive and on the entries left there', () => {
    for (const [n, pivot, entry] of [
      [1, 0, -1],
      [40, 33, -1e3],
      [130, 0, -1],
      [257, 200, -1e3],
      [257, 200, Number.NaN],
    ] as const) {
      const a = positiveDefiniteMatrix(n).data;
      a[pivot * (n + 1)] = entry;
      const [native, wasm] = onBoth([a], (engine, [offset]) => engine.cholesky(n, offset!));
      expect([native.value, wasm.value]).toEqual([pivot, pivot]);
      const [left, expected] = [native, wasm].map(({ blocks }) =>
        blocks[0]!.subarray(pivot * (n + 1), pivot * (n + 1) + 1),
      );
      expect(difference(left!, expected!)).toBeLessThan(1e-13);
    }
  });

  it('agree on the inverse from a singular factor', () => {
    const l = lowerMatrix(4).data;
    l[5] = 0;
    expectAgreement([l], (engine, [offset]) => engine.choleskyInverse(4, offset!));
  });

  it.each(SIZES)('agree on eigenvalues to 1e-13 and on eigenvectors as far as they are apart, order %i', (n) => {
    const [native, wasm] = onBoth([symmetricMatrix(n).data, new Float64Array(n)], (engine, [a, w]) =>
      engine.symmetricEigen(n, a!, w!),
    );
    expect([native.value, wasm.value]).toEqual([0, 0]);
    expect(difference(native.blocks[1]!, wasm.blocks[1]!)).toBeLessThan(1e-13);
    const values = wasm.blocks[1]!;
    const gaps = values.subarray(1).map((value, i) => value - values[i]!);
    const gap = gaps.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
    const norm = Math.max(Math.abs(values[0]!), Math.abs(values[n - 1]!));
    const tolerance = 1e-13 * Math.max(1, norm / gap);
    expect(difference(native.blocks[0]!, wasm.blocks[0]!)).toBeLessThan(tolerance);
  });

  it('report for entries that are not finite that nothing converged', () => {
    for (const entry of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const a = symmetricMatrix(10).data;
      a[53] = entry;
      const [native] = onBoth([a, new Float64Array(10)], (engine, [x, w]) => engine.symmetricEigen(10, x!, w!));
      expect(native.value).toBe(1);
    }
  });

  it('keep working in place after the memory has grown', () => {
    const memory = new Float64Memory();
    const engine = library.engine(memory);
    const a = memory.allocate(8);
    memory.float64(a, 1)[0] = 9;
    engine.cholesky(1, a);
    for (let i = 0; i < 4; i++) memory.allocate(2 ** 24);
    engine.cholesky(1, a);
    expect(memory.float64(a, 1)[0]).toBe(Math.sqrt(3));
  });

  it('keep working in place while threads share the memory, and after', async () => {
    const memory = new Float64Memory();
    const engine = library.engine(memory);
    const a = memory.allocate(8);
    memory.float64(a, 1)[0] = 256;
    const threads = await startTeam(memory, 2);
    expect([threads.count, memory.isShared]).toEqual([2, true]);
    engine.cholesky(1, a);
    for (let i = 0; i < 4; i++) memory.allocate(2 ** 24);
    engine.cholesky(1, a);
    await threads.dispose();
    engine.cholesky(1, a);
    expect(memory.float64(a, 1)[0]).toBe(2);
  });
});
