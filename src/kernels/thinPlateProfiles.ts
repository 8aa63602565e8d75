import { log, square } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import type { RadialProfile } from '../tensors/ops.ts';

/** Which constant c stands in front of η: the one of the thin plate, or the one that the paper prints. */
export type ThinPlateConstant = 'corrected' | 'printed';

/**
 * η of the thin plate of order 2 as a function of s = r², without its constant: r^{4−q}, times ln r for q = 2 and 4; η(0) = 0.
 *
 * Slopes are η′(r)/(2r), taken as 0 at r = 0 where they are infinite.
 */
const profiles: Readonly<Record<number, RadialProfile>> = {
  1: {
    name: 'thinPlate1',
    compiled: 'thinPlate1',
    value: (s) => {
      for (let i = 0; i < s.length; i++) s[i]! *= Math.sqrt(s[i]!);
    },
    slope: (s) => {
      for (let i = 0; i < s.length; i++) s[i] = 1.5 * Math.sqrt(s[i]!);
    },
  },
  2: {
    name: 'thinPlate2',
    compiled: 'thinPlate2',
    value: (s) => {
      for (let i = 0; i < s.length; i++) if (s[i]! > 0) s[i]! *= 0.5 * log(s[i]!);
    },
    slope: (s) => {
      for (let i = 0; i < s.length; i++) if (s[i]! > 0) s[i] = 0.5 * (log(s[i]!) + 1);
    },
  },
  3: {
    name: 'thinPlate3',
    compiled: 'thinPlate3',
    value: (s) => {
      for (let i = 0; i < s.length; i++) s[i] = Math.sqrt(s[i]!);
    },
    slope: (s) => {
      for (let i = 0; i < s.length; i++) if (s[i]! > 0) s[i] = 0.5 / Math.sqrt(s[i]!);
    },
  },
  4: {
    name: 'thinPlate4',
    compiled: 'thinPlate4',
    value: (s) => {
      for (let i = 0; i < s.length; i++) if (s[i]! > 0) s[i] = 0.5 * log(s[i]!);
    },
    slope: (s) => {
      for (let i = 0; i < s.length; i++) if (s[i]! > 0) s[i] = 0.5 / s[i]!;
    },
  },
};

/**
 * c·η of the thin plate spline of order 2 in q dimensions.
 *
 * c = (−1)^{q/2+1}/(8·π^{q/2}·(2 − q/2)!) for q = 2 and 4, Γ(q/2 − 2)/(16·π^{q/2}) otherwise: Δ²η is the delta function. The paper
 * prints √π where π^{q/2} belongs in the first.
 *
 * @throws InvalidInputError for q outside 1 … 4, where r^{4−q} is no thin plate of order 2
 * @see Jiang et al. 2014, eqs. 8–10
 */
export function thinPlate(q: number, constant: ThinPlateConstant): { profile: RadialProfile; factor: number } {
  const profile = profiles[q];
  if (profile === undefined) {
    throw new InvalidInputError(
      `A thin plate spline of order 2 exists in 1 to 4 dimensions, but the points have ${q} columns. Choose fewer latent ` +
        'dimensions, or let it see some of them with select(thinPlateSpline(), columns).',
    );
  }
  return { profile, factor: FACTORS[constant][q]! };
}

/** By q, from 1. */
const FACTORS: Record<ThinPlateConstant, Readonly<Record<number, number>>> = {
  corrected: { 1: 1 / 12, 2: 1 / (8 * Math.PI), 3: -1 / (8 * Math.PI), 4: -1 / (8 * square(Math.PI)) },
  printed: { 1: 1 / 12, 2: 1 / (8 * Math.sqrt(Math.PI)), 3: -1 / (8 * Math.PI), 4: -1 / (8 * Math.sqrt(Math.PI)) },
};
