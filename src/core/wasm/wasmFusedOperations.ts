import type { Float64Memory } from '../float64/memory.ts';
import { type FusedOperations, gaussianLogDensity } from './fusedOperations.ts';
import { kernelsOn } from './instance.ts';
import { LOWER, withPacking } from './packing.ts';

const BYTES = 8;
/** Numbers that the gradient kernel takes for a row of a block. */
const ROW = 32;

/** The fused operations in WebAssembly SIMD. */
export function wasmFusedOperations(memory: Float64Memory): FusedOperations {
  const kernels = kernelsOn(memory);

  /** Runs `work` with `count` numbers of workspace; `place(length)` hands out one part after the other. */
  function withNumbers<T>(count: number, work: (place: (length: number) => number) => T): T {
    return memory.withBlock(BYTES * count, (start) => {
      let next = start;
      return work((length) => {
        const offset = next;
        next += BYTES * length;
        return offset;
      });
    });
  }

  /** Target (q×n) ← the columns of X (n×q), each times its factor. */
  function transpose(
    n: number,
    q: number,
    x: number,
    factors: Float64Array,
    place: (length: number) => number,
  ): number {
    const scales = place(q);
    const target = place(n * q);
    memory.float64(scales, q).set(factors);
    kernels.transposeScaled(n, q, x, scales, target);
    return target;
  }

  /** X (n×q) ← the transpose of what is given (q×n), column d times factor_d. */
  function transposeBack(n: number, q: number, transposed: number, factors: Float64Array, x: number): void {
    const from = memory.float64(transposed, n * q);
    const to = memory.float64(x, n * q);
    for (let d = 0; d < q; d++) {
      const factor = factors[d]!;
      for (let i = 0; i < n; i++) to[i * q + d] = factor * from[d * n + i]!;
    }
  }

  return Object.freeze<FusedOperations>({
    squaredDistances(n, m, q, a, b, target) {
      withNumbers(q * (n + m + 2), (place) => {
        const ones = new Float64Array(q).fill(1);
        kernels.squaredDistances(n, m, q, transpose(n, q, a, ones, place), transpose(m, q, b, ones, place), target);
      });
    },

    squaredDistancesGradient(n, m, q, a, b, weights, da, db) {
      withNumbers(2 * q * (n + m + 1), (place) => {
        const ones = new Float64Array(q).fill(1);
        const [at, bt] = [transpose(n, q, a, ones, place), transpose(m, q, b, ones, place)];
        const [dat, dbt] = [place(n * q), place(m * q)];
        kernels.squaredDistancesGradient(n, m, q, at, bt, weights, dat, dbt);
        transposeBack(n, q, dat, ones, da);
        transposeBack(m, q, dbt, ones, db);
      });
    },

    rbfCovariance(n, q, x, { variance, lengthscales, bias, noise }, triangle, target) {
      const inverses = inverted(lengthscales, q);
      withNumbers(q * (n + 1), (place) => {
        const scaled = transpose(n, q, x, inverses, place);
        kernels.rbfCovariance(n, q, scaled, variance, bias, noise, target, triangle === 'both');
      });
    },

    rbfCovarianceGradient(n, q, x, { variance, lengthscales, bias }, covariance, gradient, triangle, dx) {
      const inverses = inverted(lengthscales, q);
      return withNumbers(q * (2 * n + 2) + 4 + ROW, (place) => {
        const scaled = transpose(n, q, x, inverses, place);
        const [dxt, squares, sums, row] = [place(n * q), place(q), place(4), place(ROW)];
        const lower = triangle === 'lower';
        kernels.rbfGradient(n, q, scaled, covariance, bias, gradient, lower, dxt, squares, sums, row);
        transposeBack(n, q, dxt, inverses, dx);
        const [weighted, total, trace] = memory.float64(sums, 3) as unknown as [number, number, number];
        return {
          variance: weighted / variance + trace,
          lengthscales: memory.float64(squares, q).map((square, d) => square * inverses[d]!),
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
