import type { Float64Memory } from '../memory.ts';
import { RADIAL } from './engineModule.ts';
import type { FusedOperations } from './fusedOperations.ts';
import { kernelsOn } from './instance.ts';
import { LOWER, packedProduct, rows } from './packing.ts';
import type { RadialProfile } from './radialOperations.ts';
import { radialSums } from './radialSum.ts';
import { wasmQuadraticOperations } from './wasmQuadraticOperations.ts';
import { GRAM_WORKSPACE, PROFILE_NUMBERS, wasmRadialOperations } from './wasmRadialOperations.ts';
import { wasmSquaredDistances } from './wasmSquaredDistances.ts';
import { placeRecord, transpose, transposeBack, withNumbers } from './workspace.ts';
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
      const diagonal = variance + bias + noise;
      const rows = GRAM_WORKSPACE * kernels.threads;
      withNumbers(memory, q * (n + 1) + rows, (place) => {
        const scaled = transpose(memory, kernels, n, q, x, place, inverses);
        const points = { profile: PROFILE_NUMBERS.rbf, n, q, x: scaled };
        const covariance = { variance, shift: bias, diagonal, k: target, mirrored: part !== 'lower' };
        kernels.radialGram(placeRecord(memory, place, RADIAL, { ...points, ...covariance, work: place(rows) }));
      });
    },

    radialSumGradient(n, q, x, profile, parameters, covariance, gradient, dx, part) {
      if (!isRbf(profile)) {
        return general.radialSumGradient(n, q, x, profile, parameters, covariance, gradient, dx, part);
      }
      const { variance, lengthscales, bias } = parameters;
      const inverses = inverted(lengthscales, q);
      const length = n * q + q + 4;
      const workspace = kernels.gradientWorkspace(n, q);
      return withNumbers(memory, q * (n + 1) + length + workspace, (place) => {
        const scaled = transpose(memory, kernels, n, q, x, place, inverses);
        const [result, work] = [place(length), place(workspace)];
        const how = { readsEntries: true, symmetric: part === 'lower' };
        const given = { n, q, x: scaled, k: covariance, shift: bias, g: gradient, dx: result, work };
        kernels.radialGradient(placeRecord(memory, place, RADIAL, { ...given, ...how }));
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
