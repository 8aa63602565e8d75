import type { LinearAlgebraEngine } from '../../dense/engine.ts';
import type { Float64Memory } from '../../memory.ts';
import type { FusedOperations } from '../fusedOperations.ts';
import { withGradientsAtZero } from '../zeroVariance.ts';
import { typescriptExpectations } from './expectations.ts';
import { typescriptQuadraticOperations } from './quadraticOperations.ts';
import { typescriptRadialOperations } from './radialOperations.ts';
import { typescriptSquaredDistances } from './squaredDistances.ts';

/** The fused operations in plain TypeScript, on any engine: what the compiled ones are compared with. */
export function typescriptFusedOperations(memory: Float64Memory, engine: LinearAlgebraEngine): FusedOperations {
  return withGradientsAtZero(memory, {
    ...typescriptQuadraticOperations(memory),
    ...typescriptRadialOperations(memory),
    ...typescriptSquaredDistances(memory),
    ...typescriptExpectations(memory),

    lowerProduct(n, k, alpha, a, b, beta, c) {
      for (let i = 0; i < n; i++) {
        const row = { ...a, offset: a.offset + 8 * i * a.rowStride };
        engine.gemm(1, i + 1, k, alpha, row, b, beta, { offset: c + 8 * i * n, rowStride: n, columnStride: 1 });
      }
    },

    rbfCovariance(n, q, x, { variance, lengthscales, bias, noise }, target) {
      const [X, K] = [memory.float64(x, n * q), memory.float64(target, n * n)];
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < i; j++) {
          let sum = 0;
          for (let d = 0; d < q; d++) sum += ((X[i * q + d]! - X[j * q + d]!) / lengthscales[d]!) ** 2;
          const entry = variance * Math.exp(-0.5 * sum) + bias;
          K[i * n + j] = entry;
          K[j * n + i] = entry;
        }
        K[i * n + i] = variance + bias + noise;
      }
    },

    rbfCovarianceGradient(n, q, x, { variance, lengthscales, bias }, covariance, gradient, dx) {
      const [X, DX] = [memory.float64(x, n * q), memory.float64(dx, n * q)];
      const [K, G] = [memory.float64(covariance, n * n), memory.float64(gradient, n * n)];
      const dLengthscales = new Float64Array(q);
      DX.fill(0);
      let weighted = 0;
      let total = 0;
      let trace = 0;
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < i; j++) {
          const g = G[i * n + j]! + G[j * n + i]!;
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
  });
}
