import { exp, log } from '../core/elementary/index.ts';
import { lgamma } from '../engine/special/gamma.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import { positive } from '../model/parameter.ts';
import {
  constantDiagonal,
  defineKernel,
  defineRadialKernel,
  type RadialFunction,
  scaledSquaredDistances,
} from './defineKernel.ts';
import type { Spectrum } from './kernel.ts';

/**
 * Rational quadratic: k(x, x') = v(1 + r²/(2α))^{−α}, r² = Σ_d ((x_d − x'_d)/l_d)²: a mixture of rbf kernels of all lengthscales, which tends to one
 * rbf for α → ∞.
 *
 * @param overrides - `variance` v > 0 (1); `lengthscale` l > 0 (1), a list for one per latent dimension (ARD); `alpha` α > 0 (1)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Rasmussen & Williams 2006, eq. 4.19
 * @example
 * ```ts
 * rationalQuadratic({ lengthscale: 0.5, alpha: 2 });
 * ```
 */
export const rationalQuadratic = defineKernel<'variance' | 'lengthscale' | 'alpha', object, 'rationalQuadratic'>({
  name: 'rationalQuadratic',
  parameters: { variance: positive(1), lengthscale: positive(1), alpha: positive(1) },
  covariance: (p, A, B) => {
    const r2 = scaledSquaredDistances(A, B, p.lengthscale);
    const exponent = op.mul(op.neg(p.alpha), op.log1p(op.div(r2, op.mul(2, p.alpha))));
    return op.mul(p.variance, op.exp(exponent)) as Tensor2D;
  },
  diagonal: (p, A) => constantDiagonal(p.variance, A),
});

/** S(ω) = 2^q·π^{q/2}·Γ(ν + q/2)/Γ(ν)·(2ν)^ν·(2ν + s)^{−(ν + q/2)} of order ν (Rasmussen & Williams 2006, eq. 4.15). */
const spectrumOf =
  (nu: number): Spectrum =>
  (s, q) => {
    const power = nu + q / 2;
    const constant = q * log(2) + (q / 2) * log(Math.PI) + lgamma(power) - lgamma(nu) + nu * log(2 * nu);
    return op.exp(op.sub(constant, op.mul(power, op.log(op.add(2 * nu, s)))));
  };

/** Matérn covariances of order ½, 3/2 and 5/2 with variance 1, as functions of s = r². */
export const maternProfiles: {
  readonly [Name in 'matern12' | 'matern32' | 'matern52']: RadialFunction<Name>;
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
    spectrum: spectrumOf(0.5),
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
    spectrum: spectrumOf(1.5),
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
    spectrum: spectrumOf(2.5),
  },
};

/**
 * Matérn of order ½ (Ornstein–Uhlenbeck, exponential): k(x, x') = v·e^{−r}, r² = Σ_d ((x_d − x'_d)/l_d)². Its samples are continuous
 * and nowhere differentiable. It has no derivative where points coincide; 0 is used there.
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
