import { expect, it } from 'vitest';
import { maternProfiles } from '../../src/kernels/matern.ts';
import { rbfProfile } from '../../src/kernels/rbf.ts';
import { thinPlate } from '../../src/kernels/thinPlateSpline.ts';

/** Definitions as functions of r, and the profile of s = r². */
const cases = [
  { profile: thinPlate(1, 'corrected').profile, of: (r: number) => r ** 3 },
  { profile: thinPlate(2, 'corrected').profile, of: (r: number) => r ** 2 * Math.log(r) },
  { profile: thinPlate(3, 'corrected').profile, of: (r: number) => r },
  { profile: thinPlate(4, 'corrected').profile, of: (r: number) => Math.log(r) },
  { profile: maternProfiles.matern12, of: (r: number) => Math.exp(-r) },
  { profile: maternProfiles.matern32, of: (r: number) => (1 + Math.sqrt(3) * r) * Math.exp(-Math.sqrt(3) * r) },
  {
    profile: maternProfiles.matern52,
    of: (r: number) => (1 + Math.sqrt(5) * r + (5 * r * r) / 3) * Math.exp(-Math.sqrt(5) * r),
  },
  { profile: rbfProfile, of: (r: number) => Math.exp(-0.5 * r * r) },
].map(({ profile, of }) => ({ name: profile.name, profile, of }));

it.each(cases)(
  'the profile $name has the values of its definition, and the slope is their derivative in r²',
  (given) => {
    const { profile, of } = given;
    const at = [0.04, 0.3, 1, 2.5, 7];
    const values = Float64Array.from(at);
    profile.value(values);
    const slopes = Float64Array.from(at);
    profile.slope(slopes);
    at.forEach((s, i) => {
      expect(values[i]).toBeCloseTo(of(Math.sqrt(s)), 13);
      const h = 1e-5 * s;
      const derivative = (of(Math.sqrt(s + h)) - of(Math.sqrt(s - h))) / (2 * h);
      expect(Math.abs(slopes[i]! - derivative)).toBeLessThan(1e-8 * (1 + Math.abs(derivative)));
    });
  },
);

it.each(cases)('the slope of $name at 0 is finite', ({ profile }) => {
  const slope = new Float64Array(1);
  profile.slope(slope);
  expect(Number.isFinite(slope[0])).toBe(true);
});
