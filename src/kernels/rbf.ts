import * as op from '../tensors/ops.ts';
import { rbfProfile } from './rbfProfile.ts';
import { stationaryKernel } from './stationary.ts';

/**
 * Radial basis function (squared exponential): k(x, x') = v·exp(−r²/2), r² = Σ_d ((x_d − x'_d)/l_d)². Its samples are smooth.
 *
 * @param overrides - `variance` v > 0 (1); `lengthscale` l > 0 (1), a list for one per latent dimension (ARD)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Rasmussen & Williams 2006, eq. 4.9
 * @example
 * ```ts
 * rbf({ variance: 2, lengthscale: [1, 0.5] });
 * ```
 */
export const rbf = stationaryKernel(rbfProfile, (p, X, { bias = op.scalar(0), noise = op.scalar(0) }) =>
  op.rbfGramMatrix(X, p.variance, p.lengthscale, bias, noise),
);
