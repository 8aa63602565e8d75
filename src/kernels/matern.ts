import { exp } from '../core/elementary/index.ts';
import type { RadialProfile } from '../engine/tensors/ops.ts';
import { defineRadialKernel } from './defineRadialKernel.ts';

/** Matérn covariances of order ½, 3/2 and 5/2 with variance 1, as functions of s = r². */
export const maternProfiles: {
  readonly [Name in 'matern12' | 'matern32' | 'matern52']: RadialProfile & { readonly name: Name };
} = {
  matern12: {
    name: 'matern12',
    compiled: 'matern12',
    value: (s) => {
      for (let i = 0; i < s.length; i++) s[i] = exp(-Math.sqrt(s[i]!));
    },
    slope: (s) => {
      for (let i = 0; i < s.length; i++) {
        const r = Math.sqrt(s[i]!);
        s[i] = r > 0 ? (-0.5 * exp(-r)) / r : 0;
      }
    },
  },
  matern32: {
    name: 'matern32',
    compiled: 'matern32',
    value: (s) => {
      for (let i = 0; i < s.length; i++) {
        const a = Math.sqrt(3 * s[i]!);
        s[i] = (1 + a) * exp(-a);
      }
    },
    slope: (s) => {
      for (let i = 0; i < s.length; i++) s[i] = -1.5 * exp(-Math.sqrt(3 * s[i]!));
    },
  },
  matern52: {
    name: 'matern52',
    compiled: 'matern52',
    value: (s) => {
      for (let i = 0; i < s.length; i++) {
        const a = Math.sqrt(5 * s[i]!);
        s[i] = (1 + a + (a * a) / 3) * exp(-a);
      }
    },
    slope: (s) => {
      for (let i = 0; i < s.length; i++) {
        const a = Math.sqrt(5 * s[i]!);
        s[i] = (-5 / 6) * (1 + a) * exp(-a);
      }
    },
  },
};

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

/**
 * Matérn of order 3/2: k(x, x') = v(1 + √3·r)e^{−√3·r}, r² = Σ_d ((x_d − x'_d)/l_d)². Its samples are differentiable once.
 *
 * @param overrides - `variance` v > 0 (1); `lengthscale` l > 0 (1), a list for one per latent dimension (ARD)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Rasmussen & Williams 2006, eq. 4.17
 * @example
 * ```ts
 * matern32({ variance: 2, lengthscale: [1, 0.5] });
 * ```
 */
export const matern32 = defineRadialKernel(maternProfiles.matern32);

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
