import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../../src/core/matrix.ts';
import { withEngine } from '../../../../src/engine/dense/index.ts';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';
import {
  fromEntries,
  lowerMatrix,
  normalMatrix,
  positiveDefiniteMatrix,
  symmetricMatrix,
} from '../../dense/matrices.ts';
import { expectGradients } from './differences.ts';

/** A number that depends on every entry of x, each in its own way. */
function probe(x: Tensor, seed = 9): Scalar {
  const [rows, columns] = [x.shape[0]!, x.shape[1] ?? 1];
  const weights = op.reshape(op.tensor(normalMatrix(rows, columns, seed)), x.shape);
  return op.sum(op.mul(weights, op.add(x, op.mul(0.3, op.square(x))))) as Scalar;
}

const A = (n: number) => ({ at: positiveDefiniteMatrix(n, 3), symmetric: true });
const L = (n: number) => ({ at: lowerMatrix(n, 4) });
const B = (n: number, m: number) => ({ at: normalMatrix(n, m, 5) });
const SIZES = [1, 2, 5, 9] as const;

describe.each(SIZES)('gradients against central differences, order %i', (n) => {
  it('cholesky', () => {
    expectGradients((a) => probe(op.cholesky(a)), [A(n)]);
  });

  it.each([false, true])('triangularSolve, transpose %s', (transpose) => {
    expectGradients((l, b) => probe(op.triangularSolve(l, b, { transpose })), [L(n), B(n, 3)]);
  });

  it('choleskySolve', () => {
    expectGradients((l, b) => probe(op.choleskySolve(l, b)), [L(n), B(n, 3)]);
  });

  it('choleskySolve of cholesky, the solution of a system', () => {
    expectGradients((a, b) => probe(op.choleskySolve(op.cholesky(a), b)), [A(n), B(n, 2)]);
  });

  it('logDeterminant', () => {
    expectGradients((a) => op.logDeterminant(a), [A(n)]);
    expectGradients((a) => op.square(op.logDeterminant(a)) as Scalar, [A(n)]);
  });

  it('symmetricEigen', () => {
    const at = { at: symmetricMatrix(n, 6), symmetric: true };
    expectGradients((x) => probe(op.symmetricEigen(x).values), [at]);
    expectGradients((x) => probe(op.symmetricEigen(x).vectors), [at], 1e-4);
    const both = (x: Tensor2D) => {
      const { values, vectors } = op.symmetricEigen(x);
      return probe(op.matMul(op.mul(vectors, op.exp(op.mul(0.1, values))), vectors, false, true));
    };
    expectGradients(both, [at]);
  });

  it('gaussianLogDensity of observations, in K and Y', () => {
    expectGradients((k, y) => op.gaussianLogDensity(k, { observations: y }), [A(n), B(n, 3)]);
    const scaled = (k: Tensor2D, y: Tensor2D) => op.mul(-0.7, op.gaussianLogDensity(k, { observations: y })) as Scalar;
    expectGradients(scaled, [A(n), B(n, 3)]);
  });

  it('gaussianLogDensity of an outer product', () => {
    const Y = normalMatrix(n, 4, 5);
    const S = fromEntries(n, n, (i, j) => Y.row(i).reduce((sum, entry, d) => sum + entry * Y.at(j, d), 0));
    const density = (k: Tensor2D) => op.gaussianLogDensity(k, { outerProduct: op.tensor(S), columns: 4 });
    expectGradients(density, [A(n)]);
    expectGradients((k) => op.mul(-0.7, density(k)) as Scalar, [A(n)]);
  });
});

describe('gradients where eigenvalues coincide', () => {
  const gradientAt = (matrix: Matrix, f: (x: Tensor2D) => Scalar) =>
    withFloat64(() => {
      const x = op.tensor<Tensor2D>(matrix);
      return valueAndGradients(() => f(x), [x]).gradients[0]!;
    });

  it('are exact for functions that do not depend on the basis: tr(A³) by way of V·Λ³·Vᵀ is 3A²', () => {
    const twice = Matrix.from([
      [2, 0, 0],
      [0, 2, 0],
      [0, 0, 5],
    ]);
    const gradient = gradientAt(twice, (x) => {
      const { values, vectors } = op.symmetricEigen(x);
      return op.sum(op.mul(op.eye(3), op.matMul(op.mul(vectors, op.pow(values, 3)), vectors, false, true))) as Scalar;
    });
    const expected = [12, 0, 0, 0, 12, 0, 0, 0, 75];
    gradient.forEach((entry, k) => {
      expect(Math.abs(entry - expected[k]!)).toBeLessThan(1e-12);
    });
  });

  it('are exact for the projector on a whole eigenspace', () => {
    const A0 = Matrix.from([
      [2, 0, 0],
      [0, 2, 0],
      [0, 0, 5],
    ]);
    const C = symmetricMatrix(3, 8);
    // P = v₃v₃ᵀ: its derivative along E is (v₃wᵀ + wv₃ᵀ) with w = (5 − 2)⁻¹·(I − P)·E·v₃.
    const gradient = gradientAt(A0, (x) => {
      const top = op.slice(op.symmetricEigen(x).vectors, [0, 2], [3, 1]);
      return op.sum(op.mul(op.tensor(C), op.matMul(top, top, false, true))) as Scalar;
    });
    const expected = [0, 0, C.at(0, 2) / 3, 0, 0, C.at(1, 2) / 3, C.at(2, 0) / 3, C.at(2, 1) / 3, 0];
    gradient.forEach((entry, k) => {
      expect(Math.abs(entry - expected[k]!)).toBeLessThan(1e-14);
    });
  });
});

it('forms the gradient only when something differentiates', () => {
  withFloat64(({ memory64 }) => {
    const n = 64;
    const K = op.tensor<Tensor2D>(positiveDefiniteMatrix(n));
    const Y = op.tensor<Tensor2D>(normalMatrix(n, 2));
    const peak = (work: () => unknown) => {
      memory64.resetPeak();
      const start = memory64.liveBytes;
      work();
      return (memory64.peakBytes - start) / (8 * n * n);
    };
    const density = () => op.gaussianLogDensity(K, { observations: Y });
    // Other engines take packing buffers of a fixed size as well, which would hide a matrix as small as this.
    withEngine(memory64, 'typescript', () => {
      expect(peak(() => doublesOf(density()))).toBeLessThan(1.1);
      // G is the only matrix beside K.
      expect(peak(() => valueAndGradients(density, [K]))).toBeLessThan(1.2);
    });
  });
});
