import type { Float64Memory } from '../memory.ts';
import type { FusedOperations } from './fusedOperations.ts';
import { kernelsOn } from './instance.ts';
import { LOWER, packedProduct, rows } from './packing.ts';
import { GRAM_WORKSPACE, PROFILE_NUMBERS } from './radialKernels.ts';
import type { RadialProfile } from './radialOperations.ts';
import { radialSums } from './radialSum.ts';
import { transpose, transposeBack, withNumbers } from './transposedPoints.ts';
import { wasmQuadraticOperations } from './wasmQuadraticOperations.ts';
import { wasmRadialOperations } from './wasmRadialOperations.ts';
import { wasmSquaredDistances } from './wasmSquaredDistances.ts';
import { withGradientsAtZero } from './zeroVariance.ts';

/** The fused operations in WebAssembly SIMD. */
export function wasmFusedOperations(memory: Float64Memory): FusedOperations {
  const kernels = kernelsOn(memory);
  const radial = wasmRadialOperations(memory, kernels);
  const general = radialSums(memory, radial, (n, a) => kernels.mirrorLower(n, a));

  return withGradientsAtZero(memory, {
    ...wasmQuadraticOperations(memory, kernels),
    ...radial,
    ...wasmSquaredDistances(memory, kernels),

    lowerProduct(n, k, alpha, a, b, beta, c) {
      packedProduct(memory, kernels, n, n, k, alpha, a, b, beta, rows(n, c), LOWER);
    },

    radialSum(n, q, x, profile, parameters, target, part) {
      if (!isRbf(profile)) return general.radialSum(n, q, x, profile, parameters, target, part);
      const { variance, lengthscales, bias, noise } = parameters;
      const inverses = inverted(lengthscales, q);
      const [number, diagonal] = [PROFILE_NUMBERS.rbf, variance + bias + noise];
      const rows = GRAM_WORKSPACE * kernels.threads;
      withNumbers(memory, q * (n + 1) + rows, (place) => {
        const scaled = transpose(memory, kernels, n, q, x, place, inverses);
        kernels.radialGram(number, n, q, scaled, variance, bias, diagonal, target, part !== 'lower', place(rows));
      });
    },

    radialSumGradient(n, q, x, profile, parameters, covariance, gradient, dx, part) {
      if (!isRbf(profile)) {
        return general.radialSumGradient(n, q, x, profile, parameters, covariance, gradient, dx, part);
      }
      const { variance, lengthscales, bias } = parameters;
      const inverses = inverted(lengthscales, q);
      const length = n * q + q + 4;
      const workspace = kernels.gradientWorkspace(n, length);
      return withNumbers(memory, q * (n + 1) + length + workspace, (place) => {
        const scaled = transpose(memory, kernels, n, q, x, place, inverses);
        const result = place(length);
        const symmetric = part === 'lower';
        kernels.rbfGradient(n, q, scaled, covariance, bias, gradient, symmetric, result, place(workspace));
        transposeBack(memory, n, q, result, dx, inverses);
        const sums = memory.float64(result, length);
        const squares = n * q;
        const trace = sums[squares + q + 2]!;
        const slopes = new Float64Array(q);
        for (let d = 0; d < q; d++) slopes[d] = sums[squares + d]! * inverses[d]!;
        return {
          variance: sums[squares + q]! / variance + trace,
          lengthscales: slopes,
          bias: sums[squares + q + 1]!,
          noise: trace,
        };
      });
    },
  });
}

/** The rbf has a gradient of its own, which reads exponentials out of K in place of computing them again. */
const isRbf = ({ compiled }: RadialProfile) => compiled === 'rbf';

/** Read before anything is allocated, which may detach a view. */
function inverted(lengthscales: ArrayLike<number>, q: number): Float64Array {
  const inverses = new Float64Array(q);
  for (let d = 0; d < q; d++) inverses[d] = 1 / lengthscales[d]!;
  return inverses;
}
