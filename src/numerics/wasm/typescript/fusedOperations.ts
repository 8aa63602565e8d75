import type { LinearAlgebraEngine } from '../../dense/engine.ts';
import type { Float64Memory } from '../../memory.ts';
import type { FusedOperations } from '../fusedOperations.ts';
import { radialSums } from '../radialSum.ts';
import { withGradientsAtZero } from '../zeroVariance.ts';
import { typescriptQuadraticOperations } from './quadraticOperations.ts';
import { typescriptRadialOperations } from './radialOperations.ts';
import { typescriptSquaredDistances } from './squaredDistances.ts';

/** The fused operations in plain TypeScript, on any engine: what the compiled ones are compared with. */
export function typescriptFusedOperations(memory: Float64Memory, engine: LinearAlgebraEngine): FusedOperations {
  const radial = typescriptRadialOperations(memory);
  return withGradientsAtZero(memory, {
    ...typescriptQuadraticOperations(memory),
    ...radial,
    ...radialSums(memory, radial, engine.mirrorLower),
    ...typescriptSquaredDistances(memory),

    lowerProduct(n, k, alpha, a, b, beta, c) {
      for (let i = 0; i < n; i++) {
        const row = { ...a, offset: a.offset + 8 * i * a.rowStride };
        engine.gemm(1, i + 1, k, alpha, row, b, beta, { offset: c + 8 * i * n, rowStride: n, columnStride: 1 });
      }
    },
  });
}
