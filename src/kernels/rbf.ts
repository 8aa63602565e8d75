import { defineRadialKernel } from './defineRadialKernel.ts';
import { rbfProfile } from './rbfProfile.ts';

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
export const rbf = defineRadialKernel(rbfProfile);
