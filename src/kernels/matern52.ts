import { defineRadialKernel } from './defineRadialKernel.ts';
import { maternProfiles } from './maternProfiles.ts';

/**
 * Matérn of order 5/2: k(x, x') = v(1 + √5·r + 5r²/3)e^{−√5·r}, r² = Σ_d ((x_d − x'_d)/l_d)². Its samples are differentiable twice.
 *
 * @param overrides - `variance` v > 0 (1); `lengthscale` l > 0 (1), a list for one per latent dimension (ARD)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Rasmussen & Williams 2006, eq. 4.17
 * @example
 * ```ts
 * matern52({ variance: 2, lengthscale: [1, 0.5] });
 * ```
 */
export const matern52 = defineRadialKernel(maternProfiles.matern52);
