import type { Float64Memory } from '../memory.ts';
import type { FusedOperations } from './fusedOperations.ts';

/**
 * The operations with gradients that hold at a variance of 0 too. Otherwise ∂L/∂variance = Σ_ij g_ij·f_ij is taken from the covariance,
 * as Σ_ij g_ij·k_ij/variance, which saves a pass; but a covariance of variance 0 says nothing of f. There, the gradient is that at
 * variance 1, with no pull on the points.
 */
export function withGradientsAtZero(memory: Float64Memory, operations: FusedOperations): FusedOperations {
  /** Runs `work` with memory for a matrix, and leaves no pull. */
  function atOne<T>(entries: number, pulls: readonly (readonly [number, number])[], work: (unit: number) => T): T {
    const result = memory.withBlock(8 * (entries + 1), work);
    for (const [offset, length] of pulls) memory.float64(offset, length).fill(0);
    return result;
  }

  return Object.freeze<FusedOperations>({
    ...operations,

    radialGramGradient(n, q, x, profile, variance, k, g, dx) {
      if (variance !== 0) return operations.radialGramGradient(n, q, x, profile, variance, k, g, dx);
      return atOne(n * n, [[dx, n * q]], (unit) => {
        operations.radialGram(n, q, x, profile, 1, unit);
        return operations.radialGramGradient(n, q, x, profile, 1, unit, g, dx);
      });
    },

    radialCrossGradient(n, m, q, a, b, profile, variance, k, g, da, db) {
      if (variance !== 0) return operations.radialCrossGradient(n, m, q, a, b, profile, variance, k, g, da, db);
      const pulls = [
        [da, n * q],
        [db, m * q],
      ] as const;
      return atOne(n * m, pulls, (unit) => {
        operations.radialCross(n, m, q, a, b, profile, 1, unit);
        return operations.radialCrossGradient(n, m, q, a, b, profile, 1, unit, g, da, db);
      });
    },

    radialSumGradient(n, q, x, profile, parameters, covariance, gradient, dx, part) {
      if (parameters.variance !== 0) {
        return operations.radialSumGradient(n, q, x, profile, parameters, covariance, gradient, dx, part);
      }
      const one = { ...parameters, variance: 1 };
      return atOne(n * n, [[dx, n * q]], (unit) => {
        operations.radialSum(n, q, x, profile, one, unit);
        const slopes = operations.radialSumGradient(n, q, x, profile, one, unit, gradient, dx, part);
        return { ...slopes, lengthscales: new Float64Array(q) };
      });
    },
  });
}
