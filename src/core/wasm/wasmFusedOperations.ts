import type { Float64Memory } from '../float64/memory.ts';
import { type FusedOperations, gaussianLogDensity } from './fusedOperations.ts';
import { kernelsOn } from './instance.ts';
import { LOWER, withPacking } from './packing.ts';
import { transpose, transposeBack, withNumbers } from './transposedPoints.ts';
import { wasmRadialOperations } from './wasmRadialOperations.ts';
import { wasmSquaredDistances } from './wasmSquaredDistances.ts';

const BYTES = 8;

/** The fused operations in WebAssembly SIMD. */
export function wasmFusedOperations(memory: Float64Memory): FusedOperations {
  const kernels = kernelsOn(memory);

  return Object.freeze<FusedOperations>({
    ...wasmRadialOperations(memory),
    ...wasmSquaredDistances(memory),

    lowerProduct(n, k, alpha, a, b, beta, c) {
      withPacking(memory, kernels, n, k, () =>
        kernels.gemm(
          n,
          n,
          k,
          alpha,
          a.offset,
          a.rowStride,
          a.columnStride,
          b.offset,
          b.rowStride,
          b.columnStride,
          beta,
          c,
          n,
          1,
          LOWER,
        ),
      );
    },

    rbfCovariance(n, q, x, { variance, lengthscales, bias, noise }, triangle, target) {
      const inverses = inverted(lengthscales, q);
      withNumbers(memory, q * (n + 1), (place) => {
        const scaled = transpose(memory, kernels, n, q, x, place, inverses);
        kernels.rbfCovariance(n, q, scaled, variance, bias, noise, target, triangle === 'both');
      });
    },

    rbfCovarianceGradient(n, q, x, { variance, lengthscales, bias }, covariance, gradient, triangle, dx) {
      const inverses = inverted(lengthscales, q);
      const length = n * q + q + 4;
      const workspace = kernels.gradientWorkspace(n, length);
      return withNumbers(memory, q * (n + 1) + length + workspace, (place) => {
        const scaled = transpose(memory, kernels, n, q, x, place, inverses);
        const result = place(length);
        kernels.rbfGradient(n, q, scaled, covariance, bias, gradient, triangle === 'lower', result, place(workspace));
        transposeBack(memory, n, q, result, dx, inverses);
        const sums = memory.float64(result, length).slice(n * q);
        const [weighted, total, trace] = sums.slice(q) as unknown as [number, number, number];
        return {
          variance: weighted / variance + trace,
          lengthscales: sums.slice(0, q).map((square, d) => square * inverses[d]!),
          bias: total,
          noise: trace,
        };
      });
    },

    gaussianLogMarginal(n, columns, outputs, covariance, observations, weights) {
      return withPacking(memory, kernels, Math.max(n, columns), Math.max(n, columns), () => {
        const failedPivot = kernels.cholesky(n, covariance, n);
        if (failedPivot >= 0) {
          const pivot = memory.float64(covariance, n * n)[failedPivot * (n + 1)]!;
          return { value: Number.NaN, logDeterminant: Number.NaN, failedPivot, pivot };
        }
        const logDeterminant = 2 * sumOfLogarithms(n, memory.float64(covariance, n * n));
        const solution = memory.float64(weights, n * columns);
        solution.set(memory.float64(observations, n * columns));
        kernels.solveTransposed(columns, n, weights, 1, columns, covariance, n, 1);
        let quadratic = 0;
        for (const entry of solution) quadratic += entry * entry;
        const lastRow = weights + BYTES * (n - 1) * columns;
        const lastEntry = covariance + BYTES * (n * n - 1);
        kernels.solveTransposed(columns, n, lastRow, 1, -columns, lastEntry, -1, -n);
        kernels.choleskyInverse(n, covariance, n);
        kernels.gemm(
          n,
          n,
          columns,
          0.5,
          weights,
          columns,
          1,
          weights,
          1,
          columns,
          -0.5 * outputs,
          covariance,
          n,
          1,
          LOWER,
        );
        kernels.mirrorLower(n, covariance);
        const value = gaussianLogDensity(n, outputs, logDeterminant, quadratic);
        return { value, logDeterminant, failedPivot: -1, pivot: Number.NaN };
      });
    },
  });
}

/** Read before anything is allocated, which may detach a view. */
function inverted(lengthscales: ArrayLike<number>, q: number): Float64Array {
  return Float64Array.from({ length: q }, (_, d) => 1 / lengthscales[d]!);
}

function sumOfLogarithms(n: number, factor: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += Math.log(factor[i * (n + 1)]!);
  return sum;
}
