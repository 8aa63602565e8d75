import { checkAllPairs } from '../../core/observations.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { type Basis, featuresOf, symmetricBasisOf } from '../../kernels/structure.ts';
import type { CovarianceStructure } from './covariance.ts';
import { denseStructure } from './dense.ts';
import { lowRankStructure } from './lowRank.ts';

/** Largest number of points whose covariance, factor and gradient fit into the 4 GiB of the float64 backend. */
const MOST_POINTS = Math.floor(Math.sqrt(2 ** 32 / (3 * 8)));

/**
 * The cheapest linear algebra that a kernel allows for this number of points and columns: with its features if they are fewer than the points, with a
 * symmetric basis if it has one, otherwise with N×N matrices.
 *
 * @throws InvalidInputError for more points than N×N matrices have memory for
 */
export function structureOf(kernel: Kernel, points: number, columns: number): CovarianceStructure {
  const features = featuresOf(kernel, columns);
  if (features !== undefined && features.rank > 0 && features.rank < points) return lowRankStructure(features);
  checkAllPairs(
    'A Gaussian process with this kernel',
    points,
    'Give it inducing inputs (inducing: 100), or a kernel of fewer features than points, such as linear.',
    MOST_POINTS,
  );
  const basis = symmetricBasisOf(kernel, columns);
  return basis === undefined ? denseStructure(kernel) : symmetricBasisStructure(kernel, basis);
}

/**
 * A kernel with k(X, X) = E² + UUᵀ at the inputs of the process. The density of complete data uses E and U, where one factor gives the gradients in
 * both; everything else is as for any kernel.
 */
function symmetricBasisStructure(kernel: Kernel, basis: Basis): CovarianceStructure {
  const dense = denseStructure(kernel);
  return {
    kind: 'symmetricBasis',
    at: (p, X, noise) => {
      const asAny = dense.at(p, X, noise);
      return {
        ...asAny,
        logDensity: (data, options) => {
          const { rows, observations, constants } = data;
          const whole = noise.per === 'all' && rows === undefined && observations.shape[1] <= observations.shape[0];
          if (!whole || constants === undefined) return asAny.logDensity(data, options);
          const { basis: E, features } = basis.at(p, X);
          const white = basis.white?.(p);
          const variance = white === undefined ? noise.variance : op.addScalars(noise.variance, white);
          return op.symmetricBasisLogDensity(E, features, variance, observations, options);
        },
      };
    },
  };
}
