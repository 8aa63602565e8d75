import { exp, log } from '../core/elementary/index.ts';
import * as op from '../engine/tensors/ops.ts';
import { defineRadialKernel, type RadialFunction } from './defineKernel.ts';

/** The radial basis function with variance 1, as a function of s = r². */
export const rbfProfile: RadialFunction<'rbf'> = {
  name: 'rbf',
  compiled: 'rbf',
  value: (s) => {
    for (let i = 0; i < s.length; i++) s[i] = exp(-0.5 * s[i]!);
  },
  slope: (s) => {
    for (let i = 0; i < s.length; i++) s[i] = -0.5 * exp(-0.5 * s[i]!);
  },
  spectrum: (s, q) => op.exp(op.sub((q / 2) * log(2 * Math.PI), op.mul(0.5, s))),
};

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
