import type { Float64Memory } from '../memory.ts';
import type { FusedOperations } from './fusedOperations.ts';
import type { RadialOperations } from './radialOperations.ts';

/** The sum of a radial covariance of any profile, a bias and a noise, from the covariance alone. */
export function radialSums(
  memory: Float64Memory,
  { radialGram, radialGramGradient }: RadialOperations,
  mirrorLower: (n: number, a: number) => void,
): Pick<FusedOperations, 'radialSum' | 'radialSumGradient'> {
  return {
    radialSum(n, q, x, profile, { variance, lengthscales, bias, noise }, target) {
      memory.withBlock(8 * (n * q + 1), (scaled) => {
        divide(memory, n, q, x, lengthscales, scaled);
        radialGram(n, q, scaled, profile, variance, target);
      });
      const K = memory.float64(target, n * n);
      if (bias !== 0) for (let i = 0; i < n * n; i++) K[i]! += bias;
      if (noise !== 0) for (let i = 0; i < n * n; i += n + 1) K[i]! += noise;
    },

    radialSumGradient(n, q, x, profile, { variance, lengthscales, bias, noise }, k, g, dx, part) {
      if (part === 'lower') mirrorLower(n, g);
      return memory.withBlock(8 * (n * q + 1), (scaled) => {
        divide(memory, n, q, x, lengthscales, scaled);
        const slope = radialGramGradient(n, q, scaled, profile, variance, k, g, dx);
        const G = memory.float64(g, n * n);
        let [total, trace] = [0, 0];
        for (let i = 0; i < n * n; i++) total += G[i]!;
        for (let i = 0; i < n * n; i += n + 1) trace += G[i]!;
        const [Z, D] = [memory.float64(scaled, n * q), memory.float64(dx, n * q)];
        const dLengthscales = new Float64Array(q);
        for (let i = 0; i < n * q; i++) {
          const d = i % q;
          D[i] = D[i]! / lengthscales[d]!;
          // The pulls of all points add up to 0, so any origin may be taken: one of the points, lest far ones cost digits.
          dLengthscales[d]! -= D[i]! * (Z[i]! - Z[d]!);
        }
        // K holds the bias and the noise too.
        const offsets = (bias * total + noise * trace) / variance;
        return { variance: slope - offsets, lengthscales: dLengthscales, bias: total, noise: trace };
      });
    },
  };
}

/** Points divided by their lengthscales. */
function divide(
  memory: Float64Memory,
  n: number,
  q: number,
  points: number,
  lengthscales: ArrayLike<number>,
  target: number,
): void {
  const [X, Z] = [memory.float64(points, n * q), memory.float64(target, n * q)];
  for (let i = 0; i < n * q; i++) Z[i] = X[i]! / lengthscales[i % q]!;
}
