import { angleRemainder, remainder } from './angleRemainder.ts';

/** sin(x + y), |x| ≤ π/4, y beyond the last digit of x (FDLIBM's k_sin.c). */
function sineNearZero(x: number, y: number): number {
  const z = x * x;
  const r =
    0.00833333333332249 +
    z * (-0.0001984126982985795 + z * 2.7557313707070068e-6) +
    z * (z * z) * (-2.5050760253406863e-8 + z * 1.58969099521155e-10);
  const v = z * x;
  return x - (z * (0.5 * y - v * r) - y - v * -0.16666666666666632);
}

/** cos(x + y), as above (FDLIBM's k_cos.c). */
function cosineNearZero(x: number, y: number): number {
  const z = x * x;
  const w = z * z;
  const r =
    z * (0.0416666666666666 + z * (-0.001388888888887411 + z * 2.480158728947673e-5)) +
    w * w * (-2.7557314351390663e-7 + z * (2.087572321298175e-9 + z * -1.1359647557788195e-11));
  const half = 0.5 * z;
  const first = 1 - half;
  return first + (1 - first - half + (z * r - x * y));
}

/** sin(x + quarters·π/2) */
function sineAfter(x: number, quarters: number): number {
  if (!Number.isFinite(x)) return Number.NaN;
  const turned = (angleRemainder(x) + quarters) & 3;
  const [angle, rest] = [remainder[0]!, remainder[1]!];
  const value = turned & 1 ? cosineNearZero(angle, rest) : sineNearZero(angle, rest);
  return turned & 2 ? -value : value;
}

/** sin x, x in radians. Error below 1 unit in the last place, for every finite x. */
export const sin = (x: number): number => (x === 0 ? x : sineAfter(x, 0));

/** cos x, x in radians. Error below 1 unit in the last place, for every finite x. */
export const cos = (x: number): number => sineAfter(x, 1);

/** tan x = sin x / cos x, x in radians. Error below 3 units in the last place. */
export const tan = (x: number): number => sin(x) / cos(x);
