import { exp } from '../core/elementary/index.ts';
import type { RadialProfile } from '../tensors/ops.ts';

/** The Matérn covariances of order ½, 3/2 and 5/2 with variance 1, as functions of s = r². */
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
