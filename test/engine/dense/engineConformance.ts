import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/core/matrix.ts';
import { Float64Memory } from '../../../src/engine/memory.ts';
import type { LinearAlgebraEngine, Strided } from '../../../src/engine/operations/linearAlgebra.ts';
import { reference } from '../../reference.ts';
import {
  distance,
  fromEntries,
  identity,
  largestEntry,
  lowerMatrix,
  lowerTriangle,
  multiply,
  normalMatrix,
  positiveDefiniteMatrix,
  symmetricMatrix,
  transpose,
} from './matrices.ts';

/** Empty, tiny, around the block sizes 4, 32, 64 and 256, and in between. */
const SIZES = [0, 1, 2, 3, 4, 5, 8, 31, 32, 33, 63, 64, 65, 100, 257];
const EPSILON = Number.EPSILON;

interface ReferenceCase {
  name: string;
  A: number[][];
  cholesky: number[][];
  inverse: number[][];
  eigenvalues: number[];
  eigenvectors: number[][];
}

/** What every engine must do, whatever it is made of; `makeEngine` makes one for a memory. */
export function engineConformance(name: string, makeEngine: (memory: Float64Memory) => LinearAlgebraEngine): void {
  describe(`${name} engine`, () => {
    productTests(makeEngine);
    triangularTests(makeEngine);
    choleskyTests(makeEngine);
    eigenTests(makeEngine);
  });
}

/** Matrices in a memory whose every allocation detaches all views, with an engine on it. */
function workbench(makeEngine: (memory: Float64Memory) => LinearAlgebraEngine) {
  const memory = new Float64Memory();
  memory.detachViews = true;
  const algebra = makeEngine(memory);
  const put = (values: ArrayLike<number>): number => {
    const offset = memory.allocate(Math.max(8, 8 * values.length));
    memory.float64(offset, values.length).set(values);
    return offset;
  };
  return {
    memory,
    algebra,
    put: (A: Matrix) => put(A.data),
    putNumbers: put,
    get: (offset: number, rows: number, columns: number) =>
      new Matrix(memory.float64(offset, rows * columns).slice(), rows, columns),
    numbers: (offset: number, length: number) => memory.float64(offset, length).slice(),
  };
}

type Workbench = ReturnType<typeof workbench>;

/** Ways to lay out rows×columns numbers. */
const LAYOUTS = {
  'row-major': (_rows: number, columns: number) => ({ rowStride: columns, columnStride: 1 }),
  'column-major': (rows: number, _columns: number) => ({ rowStride: 1, columnStride: rows }),
  padded: (_rows: number, columns: number) => ({ rowStride: 2 * columns + 3, columnStride: 2 }),
} as const;
type Layout = keyof typeof LAYOUTS;

const FILLER = 12345;

function putStrided({ putNumbers }: Workbench, A: Matrix, layout: Layout): Strided & { length: number } {
  const { rowStride, columnStride } = LAYOUTS[layout](A.rows, A.columns);
  const length = A.data.length === 0 ? 0 : (A.rows - 1) * rowStride + (A.columns - 1) * columnStride + 1;
  const values = new Float64Array(length).fill(FILLER);
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < A.columns; j++) values[i * rowStride + j * columnStride] = A.at(i, j);
  }
  return { offset: putNumbers(values), rowStride, columnStride, length };
}

function productTests(makeEngine: (memory: Float64Memory) => LinearAlgebraEngine): void {
  const layouts = Object.keys(LAYOUTS) as Layout[];
  const combinations = layouts.flatMap((a) => layouts.flatMap((b) => layouts.map((c) => [a, b, c] as const)));

  it.each(combinations)('multiplies %s by %s to %s', (a, b, c) => {
    const bench = workbench(makeEngine);
    for (const [m, n, k] of [
      [7, 5, 3],
      [66, 37, 41],
    ] as const) {
      const [A, B, C] = [normalMatrix(m, k, 1), normalMatrix(k, n, 2), normalMatrix(m, n, 3)];
      const [x, y, z] = [putStrided(bench, A, a), putStrided(bench, B, b), putStrided(bench, C, c)];
      bench.algebra.gemm(m, n, k, -1.5, x, y, 0.25, z);
      const values = bench.numbers(z.offset, z.length);
      const AB = multiply(A, B);
      const expected = fromEntries(m, n, (i, j) => 0.25 * C.at(i, j) - 1.5 * AB.at(i, j));
      const at = (i: number, j: number) => i * z.rowStride + j * z.columnStride;
      expect(
        distance(
          fromEntries(m, n, (i, j) => values[at(i, j)]!),
          expected,
        ),
      ).toBeLessThan(1e-13);
      const touched = new Set(Array.from({ length: m * n }, (_, e) => at(Math.floor(e / n), e % n)));
      values.forEach((value, index) => {
        if (!touched.has(index)) expect(value).toBe(FILLER);
      });
    }
  });

  it.each(SIZES)('multiplies square matrices of order %i, ignoring what the result held', (n) => {
    const bench = workbench(makeEngine);
    const [A, B] = [normalMatrix(n, n, 1), normalMatrix(n, n, 2)];
    const plain = (offset: number) => ({ offset, rowStride: n, columnStride: 1 });
    const c = bench.put(fromEntries(n, n, () => Number.NaN));
    const blocks = bench.memory.liveBlocks;
    const [a, b] = [bench.put(A), bench.put(B)];
    bench.algebra.gemm(n, n, n, 1, plain(a), plain(b), 0, plain(c));
    expect(distance(bench.get(c, n, n), multiply(A, B))).toBeLessThanOrEqual(1e-14 * n);
    expect(bench.memory.liveBlocks).toBe(blocks + 2);
  });

  it.each([
    [1, 300, 300],
    [300, 1, 300],
    [300, 300, 1],
    [3, 1100, 5],
    [2, 2, 1000],
    [130, 3, 700],
  ])('multiplies %i×·, %i columns, depth %i', (m, n, k) => {
    const bench = workbench(makeEngine);
    const [A, B] = [normalMatrix(m, k, 1), normalMatrix(k, n, 2)];
    const c = bench.put(Matrix.zeros(m, n));
    const a = { offset: bench.put(A), rowStride: k, columnStride: 1 };
    const b = { offset: bench.put(B), rowStride: n, columnStride: 1 };
    bench.algebra.gemm(m, n, k, 2, a, b, 1, { offset: c, rowStride: n, columnStride: 1 });
    const doubled = fromEntries(m, k, (i, j) => 2 * A.at(i, j));
    expect(distance(bench.get(c, m, n), multiply(doubled, B))).toBeLessThanOrEqual(1e-14 * k + 1e-14);
  });

  it('scales the result when there is nothing to add', () => {
    const bench = workbench(makeEngine);
    const C = normalMatrix(5, 4);
    const c = { offset: bench.put(C), rowStride: 4, columnStride: 1 };
    const empty = { offset: bench.putNumbers([]), rowStride: 0, columnStride: 1 };
    bench.algebra.gemm(5, 4, 0, 1, empty, empty, 0.5, c);
    expect(bench.get(c.offset, 5, 4).data).toEqual(C.data.map((entry) => entry / 2));
  });

  it.each(SIZES)('updates the lower triangle of order %i by a symmetric product, and nothing else', (n) => {
    for (const layout of layouts) {
      for (const k of [1, 7, 40]) {
        const bench = workbench(makeEngine);
        const [A, C] = [normalMatrix(n, k, 1), symmetricMatrix(n, 2)];
        const a = putStrided(bench, A, layout);
        const c = bench.put(fromEntries(n, n, (i, j) => (i >= j ? C.at(i, j) : FILLER)));
        bench.algebra.syrk(n, k, 0.5, a, -2, c);
        const gram = multiply(A, transpose(A));
        const expected = fromEntries(n, n, (i, j) => (i >= j ? 0.5 * gram.at(i, j) - 2 * C.at(i, j) : FILLER));
        expect(distance(bench.get(c, n, n), expected)).toBeLessThan(1e-13);
      }
    }
  });
}

function triangularTests(makeEngine: (memory: Float64Memory) => LinearAlgebraEngine): void {
  const cases = SIZES.flatMap((n) => [false, true].map((transposed) => [n, transposed] as const));

  it.each(cases)('solves triangular systems of order %i (transpose %s)', (n, transposed) => {
    const L = lowerMatrix(n, 4, Number.NaN);
    const matrix = transposed ? transpose(lowerTriangle(L)) : lowerTriangle(L);
    for (const m of [0, 1, 2, 12, 70]) {
      const bench = workbench(makeEngine);
      const B = normalMatrix(n, m, 5);
      const [l, b] = [bench.put(L), bench.put(B)];
      bench.algebra.triangularSolve(n, m, l, b, transposed);
      const X = bench.get(b, n, m);
      // Backward stable: the residual is small against |L|·|X|, whatever the condition.
      const size = 1 + largestEntry(X) * largestEntry(matrix);
      expect(distance(multiply(matrix, X), B)).toBeLessThanOrEqual(4 * EPSILON * (n + 1) * size);
      expect(bench.memory.liveBlocks).toBe(2);
    }
  });

  it.each(cases)('multiplies by a triangular matrix of order %i (transpose %s)', (n, transposed) => {
    const L = lowerMatrix(n, 6, Number.NaN);
    const matrix = transposed ? transpose(lowerTriangle(L)) : lowerTriangle(L);
    for (const m of [0, 1, 2, 12, 70]) {
      const bench = workbench(makeEngine);
      const B = normalMatrix(n, m, 7);
      const [l, b] = [bench.put(L), bench.put(B)];
      bench.algebra.triangularMultiply(n, m, l, b, transposed);
      expect(distance(bench.get(b, n, m), multiply(matrix, B))).toBeLessThan(1e-13);
    }
  });
}

function choleskyTests(makeEngine: (memory: Float64Memory) => LinearAlgebraEngine): void {
  it.each(SIZES)('factors a positive definite matrix of order %i, lower triangle only', (n) => {
    const bench = workbench(makeEngine);
    const A = positiveDefiniteMatrix(n);
    const a = bench.put(fromEntries(n, n, (i, j) => (i >= j ? A.at(i, j) : FILLER)));
    expect(bench.algebra.cholesky(n, a)).toBe(-1);
    const result = bench.get(a, n, n);
    const L = lowerTriangle(result);
    expect(distance(multiply(L, transpose(L)), A)).toBeLessThanOrEqual(EPSILON * (n + 1) * 4);
    const upper = fromEntries(n, n, (i, j) => (i >= j ? result.at(i, j) : FILLER));
    expect(result.data).toEqual(upper.data);
    expect(bench.memory.liveBlocks).toBe(1);
  });

  it.each([
    [1, 0],
    [2, 1],
    [33, 0],
    [33, 32],
    [65, 31],
    [65, 40],
    [100, 99],
    [257, 200],
  ])('reports the pivot that is not positive (order %i, pivot %i)', (n, pivot) => {
    const bench = workbench(makeEngine);
    const A = positiveDefiniteMatrix(n);
    const whole = bench.put(A);
    bench.algebra.cholesky(n, whole);
    const expected = -(bench.get(whole, n, n).at(pivot, pivot) ** 2);
    A.data[pivot * (n + 1)]! += 2 * expected;
    const a = bench.put(A);
    expect(bench.algebra.cholesky(n, a)).toBe(pivot);
    expect(Math.abs(bench.get(a, n, n).at(pivot, pivot) - expected)).toBeLessThan(1e-12);
    expect(bench.memory.liveBlocks).toBe(2);
  });

  it('reports a pivot that is zero or not a number', () => {
    const bench = workbench(makeEngine);
    const zero = bench.put(
      Matrix.from([
        [1, 0],
        [1, 1],
      ]),
    );
    expect(bench.algebra.cholesky(2, zero)).toBe(1);
    expect(bench.get(zero, 2, 2).at(1, 1)).toBe(0);
    const A = positiveDefiniteMatrix(70);
    A.data[50 * 70 + 3] = Number.NaN;
    const a = bench.put(A);
    expect(bench.algebra.cholesky(70, a)).toBe(50);
    expect(bench.get(a, 70, 70).at(50, 50)).toBeNaN();
  });

  it.each(SIZES)('inverts from the factor, order %i, exactly symmetric', (n) => {
    const bench = workbench(makeEngine);
    const A = positiveDefiniteMatrix(n);
    const a = bench.put(A);
    bench.algebra.cholesky(n, a);
    bench.algebra.choleskyInverse(n, a);
    const inverse = bench.get(a, n, n);
    expect(distance(multiply(A, inverse), identity(n))).toBeLessThanOrEqual(EPSILON * 20 * (n + 1));
    expect(inverse.data).toEqual(transpose(inverse).data);
    expect(bench.memory.liveBlocks).toBe(1);
  });

  it.each(referenceCases())('factors and inverts as computed with 60 digits: $name', ({ A, cholesky, inverse }) => {
    const bench = workbench(makeEngine);
    const n = A.length;
    const a = bench.put(Matrix.from(A));
    expect(bench.algebra.cholesky(n, a)).toBe(-1);
    const condition = largestEntry(Matrix.from(A)) * largestEntry(Matrix.from(inverse)) * n;
    const L = lowerTriangle(bench.get(a, n, n));
    expect(distance(L, Matrix.from(cholesky))).toBeLessThan(EPSILON * condition);
    bench.algebra.choleskyInverse(n, a);
    const scale = largestEntry(Matrix.from(inverse));
    expect(distance(bench.get(a, n, n), Matrix.from(inverse)) / scale).toBeLessThan(EPSILON * condition);
  });

  it('gives the same bits every time', () => {
    const run = () => {
      const bench = workbench(makeEngine);
      const a = bench.put(positiveDefiniteMatrix(100));
      bench.algebra.cholesky(100, a);
      bench.algebra.choleskyInverse(100, a);
      return bench.get(a, 100, 100).data;
    };
    expect(run()).toEqual(run());
  });
}

function eigenTests(makeEngine: (memory: Float64Memory) => LinearAlgebraEngine): void {
  /** The decomposition, after checks of everything that holds for any matrix. */
  function decompose(A: Matrix): { values: Float64Array; vectors: Matrix } {
    const n = A.rows;
    const bench = workbench(makeEngine);
    const a = bench.put(fromEntries(n, n, (i, j) => (i >= j ? A.at(i, j) : Number.NaN)));
    const w = bench.putNumbers(new Float64Array(n));
    expect(bench.algebra.symmetricEigen(n, a, w)).toBe(0);
    expect(bench.memory.liveBlocks).toBe(2);
    const values = bench.numbers(w, n);
    const vectors = bench.get(a, n, n);
    const norm = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    const scaled = fromEntries(n, n, (i, j) => vectors.at(i, j) * values[j]!);
    expect(distance(multiply(A, vectors), scaled)).toBeLessThanOrEqual(4 * EPSILON * (n + 4) * norm);
    expect(distance(multiply(transpose(vectors), vectors), identity(n))).toBeLessThanOrEqual(4 * EPSILON * (n + 4));
    for (let j = 1; j < n; j++) expect(values[j]).toBeGreaterThanOrEqual(values[j - 1]!);
    for (let j = 0; j < n; j++) {
      const column = vectors.column(j);
      const largest = column.reduce((best, entry) => (Math.abs(entry) > Math.abs(best) ? entry : best), 0);
      expect(largest).toBeGreaterThan(0);
    }
    return { values, vectors };
  }

  it.each(SIZES)('decomposes a symmetric matrix of order %i', (n) => {
    decompose(symmetricMatrix(n));
  });

  it.each([1, 2, 3, 33, 100, 257])(
    'finds the eigenvalues 2 − 2·cos(kπ/(n + 1)) of the second difference, order %i',
    (n) => {
      const entry = (i: number, j: number) => (i === j ? 2 : Math.abs(i - j) === 1 ? -1 : 0);
      const { values } = decompose(fromEntries(n, n, entry));
      values.forEach((value, k) => {
        expect(Math.abs(value - (2 - 2 * Math.cos(((k + 1) * Math.PI) / (n + 1))))).toBeLessThan(4 * EPSILON * (n + 4));
      });
    },
  );

  it.each(referenceCases())('agrees with 60 digits: $name', ({ A, eigenvalues, eigenvectors }) => {
    const { values, vectors } = decompose(Matrix.from(A));
    const norm = eigenvalues.at(-1)!;
    values.forEach((value, k) => {
      expect(Math.abs(value - eigenvalues[k]!)).toBeLessThan(10 * EPSILON * norm);
    });
    for (let k = 0; k < values.length; k++) {
      const gaps = eigenvalues.flatMap((other, i) => (i === k ? [] : [Math.abs(other - eigenvalues[k]!)]));
      const tolerance = (100 * EPSILON * norm) / Math.min(...gaps);
      const difference = vectors.column(k).map((entry, i) => Math.abs(entry - eigenvectors[i]![k]!));
      expect(Math.max(...difference)).toBeLessThan(tolerance);
    }
  });

  it('takes the zero matrix, multiples of the identity and diagonal matrices', () => {
    expect(decompose(Matrix.zeros(5, 5)).vectors.data).toEqual(identity(5).data);
    expect(decompose(fromEntries(40, 40, (i, j) => (i === j ? -3 : 0))).values).toEqual(new Float64Array(40).fill(-3));
    const { values } = decompose(fromEntries(6, 6, (i, j) => (i === j ? [5, 1e-20, -2, 1e20, 0, 3][i]! : 0)));
    expect(values).toEqual(Float64Array.of(-2, 0, 1e-20, 3, 5, 1e20));
  });

  it('takes low rank, clusters and pairs that agree to working precision', () => {
    const rank1 = decompose(fromEntries(100, 100, (i, j) => (i + 1) * (j + 1)));
    expect(rank1.values[99]! / 338350).toBeCloseTo(1, 13);
    // Wilkinson's matrix: its largest eigenvalues agree to 14 digits.
    const wilkinson = decompose(
      fromEntries(21, 21, (i, j) => (i === j ? Math.abs(i - 10) : Math.abs(i - j) === 1 ? 1 : 0)),
    );
    expect(wilkinson.values[20]).toBeCloseTo(10.746194182903393, 13);
    expect(wilkinson.values[19]).toBeCloseTo(10.746194182903322, 13);
    const complete = decompose(fromEntries(65, 65, (i, j) => (i === j ? 64 : -1)));
    expect(Math.abs(complete.values[0]!)).toBeLessThan(1e-12);
    for (let k = 1; k < 65; k++) expect(complete.values[k]).toBeCloseTo(65, 11);
  });

  for (const n of [50, 100, 200, 300])
    it(`takes inner products of ${n} points in few dimensions, zero but for rounding in most directions`, {
      tags: n > 100 ? 'long' : [],
    }, () => {
      for (const q of [1, 2, 3]) {
        const Y = normalMatrix(n, q, n + q);
        for (let i = 0; i < n; i++) for (let c = 0; c < q; c++) Y.data[i * q + c]! *= 10 / (1 + c);
        const { values } = decompose(multiply(Y, transpose(Y)));
        const few = decompose(multiply(transpose(Y), Y)).values;
        const norm = few[q - 1]!;
        few.forEach((value, c) => {
          expect(Math.abs(values[n - q + c]! - value) / norm).toBeLessThan(1e-13);
        });
        for (let k = 0; k < n - q; k++) expect(Math.abs(values[k]!) / norm).toBeLessThan(1e-14);
      }
    });

  it('takes numbers whose squares overflow or underflow', () => {
    const A = symmetricMatrix(40);
    const { values } = decompose(A);
    for (const scale of [2 ** 900, 2 ** -900]) {
      const scaled = decompose(fromEntries(40, 40, (i, j) => scale * A.at(i, j))).values;
      scaled.forEach((value, k) => {
        expect(Math.abs(value / scale - values[k]!)).toBeLessThan(1e-12);
      });
    }
    decompose(fromEntries(9, 9, (i, j) => (i < 3 || j < 3 ? (i === j ? 1 : 0) : 1e-160 * (1 + i + j))));
  });
}

function referenceCases(): ReferenceCase[] {
  return reference<{ cases: ReferenceCase[] }>('linalg.json').cases;
}
