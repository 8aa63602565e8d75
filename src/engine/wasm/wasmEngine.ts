import type { Float64Memory } from '../memory.ts';
import type { ElementaryFunctions, LinearAlgebraEngine } from '../operations/linearAlgebra.ts';
import { countOperation, kernelsOn } from './instance.ts';
import { FULL, LOWER, packedProduct, rows, withPacking } from './workspace.ts';

/**
 * Dense linear algebra in WebAssembly SIMD, on the memory in place: packed products, everything else by halving down to them.
 * Same results as the plain TypeScript engine up to rounding, and bit for bit the same on every machine.
 */
export function wasmEngine(memory: Float64Memory): LinearAlgebraEngine {
  const kernels = kernelsOn(memory);

  const count = (multiplications: number) => countOperation(kernels, multiplications);

  return Object.freeze<LinearAlgebraEngine>({
    name: 'wasm',

    gemm(m, n, k, alpha, a, b, beta, c) {
      count(m * n * k);
      packedProduct(memory, kernels, m, n, k, alpha, a, b, beta, c, FULL);
    },

    syrk(n, k, alpha, a, beta, c) {
      count((n * n * k) / 2);
      const transposed = { offset: a.offset, rowStride: a.columnStride, columnStride: a.rowStride };
      packedProduct(memory, kernels, n, n, k, alpha, a, transposed, beta, rows(n, c), LOWER);
    },

    cholesky(n, a) {
      count((n * n * n) / 6);
      return withPacking(memory, kernels, n, n, () => kernels.cholesky(n, a, n));
    },

    triangularSolve(n, m, l, b, transpose) {
      count((n * n * m) / 2);
      withPacking(memory, kernels, Math.max(n, m), n, () => {
        if (transpose) {
          // L⁻ᵀB: reversing rows and columns makes the upper triangular Lᵀ lower.
          kernels.solveTransposed(m, n, lastRow(b, n, m), 1, -m, lastEntry(l, n), -1, -n);
        } else {
          kernels.solveTransposed(m, n, b, 1, m, l, n, 1);
        }
      });
    },

    triangularMultiply(n, m, l, b, transpose) {
      count((n * n * m) / 2);
      withPacking(memory, kernels, Math.max(n, m), n, () => {
        if (transpose) kernels.multiplyTriangular(m, n, b, 1, m, l, n, 1);
        else kernels.multiplyTriangular(m, n, lastRow(b, n, m), 1, -m, lastEntry(l, n), -1, -n);
      });
    },

    choleskyInverse(n, l, part) {
      count((n * n * n) / 3);
      withPacking(memory, kernels, n, n, () => kernels.choleskyInverse(n, l, n));
      if (part !== 'lower') kernels.mirrorLower(n, l);
    },

    mirrorLower: (n, a) => kernels.mirrorLower(n, a),

    symmetricEigen(n, a, w) {
      if (n === 0) return 0;
      const numbers = kernels.symmetricEigenWorkspace(n);
      return memory.withBlock(8 * numbers, (work) => {
        const failed = withPacking(memory, kernels, n, n, () => kernels.symmetricEigen(n, a, w, work));
        if (failed !== 0) return failed;
        // The part of the workspace after the eigenvectors is free again.
        const order = work + 8 * n * n;
        memory.int32(order, n).set(sortAscending(memory.float64(w, n)));
        kernels.placeEigenvectors(n, work, order, a);
        return 0;
      });
    },
  });
}

const lastRow = (b: number, n: number, m: number) => b + 8 * (n - 1) * m;
const lastEntry = (l: number, n: number) => l + 8 * (n * n - 1);

/** Sorts in place; returns where each value was. */
function sortAscending(values: Float64Array): Int32Array {
  const before = values.slice();
  const order = Int32Array.from(before.keys()).sort((i, j) => before[i]! - before[j]! || i - j);
  order.forEach((from, to) => {
    values[to] = before[from]!;
  });
  return order;
}

/** Two entries at a time in WebAssembly SIMD, the same bits on every machine. */
export function wasmElementaryFunctions(memory: Float64Memory): ElementaryFunctions {
  const kernels = kernelsOn(memory);
  return Object.freeze<ElementaryFunctions>({
    exponential: (n, x, y) => kernels.exponential(n, x, y),
    logarithm: (n, x, y) => kernels.logarithm(n, x, y),
    hyperbolicTangent: (n, x, y) => kernels.hyperbolicTangent(n, x, y),
  });
}
