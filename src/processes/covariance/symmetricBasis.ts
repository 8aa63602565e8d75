import * as op from '../../engine/tensors/ops.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { Basis } from '../../kernels/structure/index.ts';
import type { CovarianceStructure } from './covariance.ts';
import { denseStructure } from './dense.ts';

/**
 * A kernel with k(X, X) = E² + UUᵀ at the inputs of the process. The density of complete data uses E and U, where one factor gives the gradients in
 * both; everything else is as for any kernel.
 */
export function symmetricBasisStructure(kernel: Kernel, basis: Basis): CovarianceStructure {
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
