import type { Float64Memory } from '../../float64/memory.ts';
import type { LinearAlgebraEngine } from '../../linalg/engine.ts';
import { type FusedOperations, gaussianLogDensity } from '../fusedOperations.ts';
import { typescriptRadialOperations } from './radialOperations.ts';
import { typescriptSquaredDistances } from './squaredDistances.ts';

/** The fused operations in plain TypeScript, on any engine: what the compiled ones are compared with. */
export function typescriptFusedOperations(memory: Float64Memory, engine: LinearAlgebraEngine): FusedOperations {
  return Object.freeze<FusedOperations>({
    ...typescriptRadialOperations(memory),
    ...typescriptSquaredDistances(memory),

    lowerProduct(n, k, alpha, a, b, beta, c) {
      for (let i = 0; i < n; i++) {
        const row = { ...a, offset: a.offset + 8 * i * a.rowStride };
        engine.gemm(1, i + 1, k, alpha, row, b, beta, { offset: c + 8 * i * n, rowStride: n, columnStride: 1 });
      }
    },

    rbfCovariance(n, q, x, { variance, lengthscales, bias, noise }, triangle, target) {
      const [X, K] = [memory.float64(x, n * q), memory.float64(target, n * n)];
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < i; j++) {
          let sum = 0;
          for (let d = 0; d < q; d++) sum += ((X[i * q + d]! - X[j * q + d]!) / lengthscales[d]!) ** 2;
          const entry = variance * Math.exp(-0.5 * sum) + bias;
          K[i * n + j] = entry;
          if (triangle === 'both') K[j * n + i] = entry;
        }
        K[i * n + i] = variance + bias + noise;
      }
    },

    rbfCovarianceGradient(n, q, x, { variance, lengthscales, bias }, covariance, gradient, triangle, dx) {
      const [X, DX] = [memory.float64(x, n * q), memory.float64(dx, n * q)];
      const [K, G] = [memory.float64(covariance, n * n), memory.float64(gradient, n * n)];
      const dLengthscales = new Float64Array(q);
      DX.fill(0);
      let weighted = 0;
      let total = 0;
      let trace = 0;
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < i; j++) {
          const g = G[i * n + j]! + (triangle === 'lower' ? G[i * n + j]! : G[j * n + i]!);
          const h = g * (K[i * n + j]! - bias);
          total += g;
          weighted += h;
          for (let d = 0; d < q; d++) {
            const gap = (X[i * q + d]! - X[j * q + d]!) / lengthscales[d]!;
            const pull = (h * gap) / lengthscales[d]!;
            DX[i * q + d]! -= pull;
            DX[j * q + d]! += pull;
            dLengthscales[d]! += pull * gap;
          }
        }
        trace += G[i * n + i]!;
      }
      return { variance: weighted / variance + trace, lengthscales: dLengthscales, bias: total + trace, noise: trace };
    },

    gaussianLogMarginal(n, columns, outputs, covariance, observations, weights) {
      const failedPivot = engine.cholesky(n, covariance);
      let logDeterminant = 0;
      const factor = memory.float64(covariance, n * n);
      if (failedPivot >= 0) {
        const pivot = factor[failedPivot * (n + 1)]!;
        return { value: Number.NaN, logDeterminant: Number.NaN, failedPivot, pivot };
      }
      for (let i = 0; i < n; i++) logDeterminant += 2 * Math.log(factor[i * (n + 1)]!);
      memory.float64(weights, n * columns).set(memory.float64(observations, n * columns));
      engine.triangularSolve(n, columns, covariance, weights, false);
      let quadratic = 0;
      for (const entry of memory.float64(weights, n * columns)) quadratic += entry * entry;
      engine.triangularSolve(n, columns, covariance, weights, true);
      engine.choleskyInverse(n, covariance);
      const solution = { offset: weights, rowStride: columns, columnStride: 1 };
      engine.syrk(n, columns, 0.5, solution, -0.5 * outputs, covariance);
      const G = memory.float64(covariance, n * n);
      for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) G[j * n + i] = G[i * n + j]!;
      const value = gaussianLogDensity(n, outputs, logDeterminant, quadratic);
      return { value, logDeterminant, failedPivot: -1, pivot: Number.NaN };
    },
  });
}
