import { exp } from '../core/elementary/index.ts';
import type { RadialProfile } from '../engine/tensors/ops.ts';

/** The radial basis function with variance 1, as a function of s = r². */
export const rbfProfile: RadialProfile & { readonly name: 'rbf' } = {
  name: 'rbf',
  compiled: 'rbf',
  value: (s) => {
    for (let i = 0; i < s.length; i++) s[i] = exp(-0.5 * s[i]!);
  },
  slope: (s) => {
    for (let i = 0; i < s.length; i++) s[i] = -0.5 * exp(-0.5 * s[i]!);
  },
};
