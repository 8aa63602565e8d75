import { describe, expect, it } from 'vitest';
import { NumericalError } from '../../../src/core/errors.ts';
import { Matrix } from '../../../src/core/matrix.ts';
import { completed } from '../../../src/core/progressiveWork.ts';
import { symmetricEigenpairs, topEigenpairsOf } from '../../../src/engine/dense/eigenpairs.ts';
import { linearAlgebra, withEngine } from '../../../src/engine/dense/index.ts';
import { findNative } from '../../../src/engine/native/index.ts';
import { float64Backend } from '../../../src/engine/tensors/float64/scope.ts';
import { distance, identity, multiply, symmetricMatrix, transpose } from './matrices.ts';

const engines = ['wasm', 'typescript', ...('reason' in findNative() ? [] : ['native' as const])] as const;
const memory = float64Backend().memory64;
const n = 150;
const A = symmetricMatrix(n);

describe.each(engines)('eigenpairs on the engine %s', (engine) => {
  const on = <T>(work: () => T) => withEngine(memory, engine, work);

  it('are all by it, bit for bit, where the matrix is large', () => {
    const [a, w] = [memory.allocate(8 * n * n), memory.allocate(8 * n)];
    memory.float64(a, n * n).set(A.data);
    expect(on(() => linearAlgebra(memory).symmetricEigen(n, a, w))).toBe(0);
    const [vectors, values] = [memory.float64(a, n * n).slice(), memory.float64(w, n).slice()];
    memory.release(a, 8 * n * n);
    memory.release(w, 8 * n);
    const pairs = on(() => symmetricEigenpairs(A));
    expect(pairs.vectors.data).toEqual(vectors);
    expect(pairs.values).toEqual(values);
    expect(on(() => symmetricEigenpairs(A))).toEqual(pairs);
  });

  it('solve the eigenproblem, the largest entry of each vector positive', () => {
    const { values, vectors } = on(() => symmetricEigenpairs(A));
    const scaled = new Matrix(
      vectors.data.map((entry, index) => entry * values[index % n]!),
      n,
      n,
    );
    const norm = Math.max(Math.abs(values[0]!), Math.abs(values[n - 1]!));
    expect(distance(multiply(A, vectors), scaled) / norm).toBeLessThan(1e-13);
    expect(distance(multiply(transpose(vectors), vectors), identity(n))).toBeLessThan(1e-13);
    for (let j = 0; j < n; j++) {
      const column = vectors.column(j);
      const largest = column.reduce((most, entry) => (Math.abs(entry) > Math.abs(most) ? entry : most), 0);
      expect(largest).toBeGreaterThan(0);
    }
  });

  it('are searched for by its products', () => {
    const before = memory.liveBytes;
    memory.resetPeak();
    const top = on(() => completed(topEigenpairsOf(A, 3)));
    // Plain TypeScript multiplies where the matrix is.
    const copied = memory.peakBytes - before >= 8 * n * n;
    expect(copied).toBe(engine !== 'typescript');
    expect(memory.liveBytes).toBe(before);
    expect(on(() => completed(topEigenpairsOf(A, 3)))).toEqual(top);
    const all = on(() => symmetricEigenpairs(A));
    for (let j = 0; j < 3; j++) {
      expect(Math.abs(top.values[j]! - all.values[n - 1 - j]!)).toBeLessThan(1e-12 * all.values[n - 1]!);
      const column = all.vectors.column(n - 1 - j);
      for (let i = 0; i < n; i++) expect(Math.abs(top.vectors.at(i, j) - column[i]!)).toBeLessThan(1e-9);
    }
  });

  it('are refused of a matrix with entries that are not finite', () => {
    const broken = new Matrix(A.data.slice(), n, n);
    broken.data[5 * n + 3] = Number.NaN;
    broken.data[3 * n + 5] = Number.NaN;
    expect(() => on(() => symmetricEigenpairs(broken))).toThrow('entry [5][3] is NaN');
    expect(() => on(() => completed(topEigenpairsOf(broken, 2)))).toThrow(NumericalError);
    expect(() => completed(topEigenpairsOf(A, n + 1))).toThrow(`request 1 to ${n}`);
  });
});
