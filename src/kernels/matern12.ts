import { defineRadialKernel } from './defineRadialKernel.ts';
import { maternProfiles } from './maternProfiles.ts';

/**
 * Matérn of order ½ (Ornstein–Uhlenbeck, exponential): k(x, x') = v·e^{−r}, r² = Σ_d ((x_d − x'_d)/l_d)². Its samples are continuous
 * and nowhere differentiable. It has no derivative where points coincide; 0 is taken there.
 *
 * @param overrides - `variance` v > 0 (1); `lengthscale` l > 0 (1), a list for one per latent dimension (ARD)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Rasmussen & Williams 2006, eq. 4.17
 * @example
 * ```ts
 * matern12({ lengthscale: 0.5 });
 * ```
 */
export const matern12 = defineRadialKernel(maternProfiles.matern12);
