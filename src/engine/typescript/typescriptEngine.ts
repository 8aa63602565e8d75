import { exp, log, tanh } from '../../core/elementary/index.ts';
import type { Float64Memory } from '../memory.ts';
import type { ElementaryFunctions, LinearAlgebraEngine, Strided } from '../operations/linearAlgebra.ts';
import {
  cholesky,
  choleskyInverse,
  gemm,
  type MatrixView,
  mirrorLower,
  rowMajor,
  transposed,
  triangularMultiply,
  triangularSolve,
} from './matrices.ts';
import { symmetricEigen } from './symmetricEigen.ts';

const BYTES = 8;

/**
 * The plain algorithms of this folder on views of `memory`: a reference that runs everywhere, and that faster engines are compared with. Its
 * workspace is outside the memory.
 */
export function typescriptEngine(memory: Float64Memory): LinearAlgebraEngine {
  let whole = new Float64Array(memory.memory.buffer);

  /** All numbers of the memory; the view is renewed after it has grown. */
  function numbers(): Float64Array {
    if (whole.buffer !== memory.memory.buffer) whole = new Float64Array(memory.memory.buffer);
    return whole;
  }
  function matrix(offset: number, columns: number): MatrixView {
    return rowMajor(numbers(), columns, offset / BYTES);
  }
  function strided({ offset, rowStride, columnStride }: Strided): MatrixView {
    return { data: numbers(), start: offset / BYTES, rowStride, columnStride };
  }

  return Object.freeze<LinearAlgebraEngine>({
    name: 'typescript',
    gemm(m, n, k, alpha, a, b, beta, c) {
      gemm(m, n, k, alpha, strided(a), strided(b), beta, strided(c));
    },
    syrk(n, k, alpha, a, beta, c) {
      gemm(n, n, k, alpha, strided(a), transposed(strided(a)), beta, matrix(c, n), true);
    },
    cholesky(n, a) {
      return cholesky(n, matrix(a, n));
    },
    triangularSolve(n, m, l, b, transpose) {
      triangularSolve(n, m, matrix(l, n), matrix(b, m), transpose);
    },
    triangularMultiply(n, m, l, b, transpose) {
      triangularMultiply(n, m, matrix(l, n), matrix(b, m), transpose);
    },
    choleskyInverse(n, l) {
      choleskyInverse(n, matrix(l, n));
    },
    mirrorLower(n, a) {
      mirrorLower(n, matrix(a, n));
    },
    symmetricEigen(n, a, w) {
      return symmetricEigen(n, matrix(a, n), numbers().subarray(w / BYTES, w / BYTES + n));
    },
  });
}

/** Elementary functions with the bits of the compiled ones, one entry at a time. */
export function typescriptElementaryFunctions(memory: Float64Memory): ElementaryFunctions {
  // One loop each: V8 compiles a loop that gets its function as an argument four times as slow.
  return Object.freeze<ElementaryFunctions>({
    exponential(n, x, y) {
      const from = memory.float64(x, n);
      const to = memory.float64(y, n);
      for (let i = 0; i < n; i++) to[i] = exp(from[i]!);
    },
    logarithm(n, x, y) {
      const from = memory.float64(x, n);
      const to = memory.float64(y, n);
      for (let i = 0; i < n; i++) to[i] = log(from[i]!);
    },
    hyperbolicTangent(n, x, y) {
      const from = memory.float64(x, n);
      const to = memory.float64(y, n);
      for (let i = 0; i < n; i++) to[i] = tanh(from[i]!);
    },
  });
}
