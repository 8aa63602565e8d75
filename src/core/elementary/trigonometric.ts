import { polynomial } from './exponential.ts';

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

/** Remainder of the angle, at most π/4 in size, and its rounding error. */
const remainder = new Float64Array(2);

/** π/2 in parts of 33 bits, whose multiples up to 2²⁰ are exact (FDLIBM's e_rem_pio2.c). */
const PART_1 = 1.5707963267341256;
const PART_2 = 6.077100506303966e-11;
const PART_2_REST = 2.0222662487959506e-21;
const PART_3 = 2.0222662487111665e-21;
const PART_3_REST = 8.4784276603689e-32;
const TWO_OVER_PI = 0.6366197723675814;
const LARGEST = 823549;
const ROUNDER = 6755399441055744;

/**
 * Subtracts the nearest multiple of π/2 from a finite x and stores the {@link remainder}.
 *
 * @returns the multiple modulo 4
 */
function angleRemainder(x: number): number {
  if (Math.abs(x) > LARGEST) return ofLarge(x);
  const n = x * TWO_OVER_PI + ROUNDER - ROUNDER;
  const first = x - n * PART_1;
  let taken = n * PART_2;
  let left = first - taken;
  let rest = n * PART_2_REST - (first - left - taken);
  if (Math.abs(left - rest) < Math.abs(x) * 2 ** -49) {
    const second = left;
    taken = n * PART_3;
    left = second - taken;
    rest = n * PART_3_REST - (second - left - taken);
  }
  const angle = left - rest;
  remainder[0] = angle;
  remainder[1] = left - angle - rest;
  return n & 3;
}

/** Binary digits after the point: enough for the largest double and 170 more. */
const DIGITS = 1200n;
let halfTurn: bigint | undefined;

/** Argument reduction of large x with big integers: x·2^DIGITS modulo π/2·2^DIGITS. */
function ofLarge(x: number): number {
  halfTurn ??= 2n * (4n * inverseTangent(5n) - inverseTangent(239n));
  // Below 2⁵³ there are up to 33 digits after the point.
  const scaled = Math.abs(x) < 2 ** 53 ? BigInt(x * 2 ** 33) << (DIGITS - 33n) : BigInt(x) << DIGITS;
  const sign = x < 0 ? -1n : 1n;
  const multiple = (scaled + (sign * halfTurn) / 2n) / halfTurn;
  // 170 digits remain, more than three times as many as a double has.
  const left = (scaled - multiple * halfTurn) >> (DIGITS - 170n);
  remainder[0] = Number(left) * 2 ** -170;
  remainder[1] = Number(left - BigInt(Number(left))) * 2 ** -170;
  return Number(BigInt.asUintN(2, multiple));
}

/** atan(1/n)·2^DIGITS by its series, for π/4 = 4·atan(1/5) − atan(1/239) (Machin). */
function inverseTangent(n: bigint): bigint {
  let power = (1n << (DIGITS + 16n)) / n;
  let sum = power;
  for (let k = 3n; power !== 0n; k += 2n) {
    power /= -(n * n);
    sum += power / k;
  }
  return sum >> 16n;
}

/** atan at ½, 1, 3/2 and ∞, in two parts each. */
const HIGH = [0.4636476090008061, 0.7853981633974483, 0.982793723247329, 1.5707963267948966];
const LOW = [2.2698777452961687e-17, 3.061616997868383e-17, 1.3903311031230998e-17, 6.123233995736766e-17];
const PI_LOW = 1.2246467991473532e-16;

/** Coefficients of FDLIBM's s_atan.c. */
const ODD = [
  0.3333333333333293, 0.14285714272503466, 0.09090887133436507, 0.06661073137387531, 0.049768779946159324,
  0.016285820115365782,
];
const EVEN = [
  -0.19999999999876483, -0.11111110405462356, -0.0769187620504483, -0.058335701337905735, -0.036531572744216916,
];

/** atan x. Error below 1 unit in the last place. */
export function atan(x: number): number {
  const a = Math.abs(x);
  if (Number.isNaN(x) || a < 7.450580596923828e-9) return x;
  if (a < 0.4375) return x - x * series(x);
  // atan a = atan c + atan((a − c)/(1 + a·c)) for c = ½, 1, 3/2, ∞
  const at = a < 0.6875 ? 0 : a < 1.1875 ? 1 : a < 2.4375 ? 2 : 3;
  const t =
    at === 0 ? (2 * a - 1) / (2 + a) : at === 1 ? (a - 1) / (a + 1) : at === 2 ? (a - 1.5) / (1 + 1.5 * a) : -1 / a;
  return Math.sign(x) * (HIGH[at]! - (t * series(t) - LOW[at]! - t));
}

/** 1 − atan(x)/x */
function series(x: number): number {
  const z = x * x;
  const w = z * z;
  return z * polynomial(ODD, w) + w * polynomial(EVEN, w);
}

/** The angle of (x, y), −π … π. Error below 2 units in the last place. */
export function atan2(y: number, x: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  const toLeft = x < 0 || Object.is(x, -0);
  const sign = y < 0 || Object.is(y, -0) ? -1 : 1;
  const bothInfinite = Math.abs(x) === Number.POSITIVE_INFINITY && Math.abs(y) === Number.POSITIVE_INFINITY;
  const slope = y === 0 ? 0 : bothInfinite ? 1 : Math.abs(y / x);
  const angle = atan(slope);
  return sign * (toLeft ? Math.PI - (angle - PI_LOW) : angle);
}

/** asin x, NaN beyond ±1. Error below 3 units in the last place. */
export const asin = (x: number): number => (x === 0 ? x : atan2(x, Math.sqrt((1 - x) * (1 + x))));

/** acos x, NaN beyond ±1. Error below 3 units in the last place. */
export const acos = (x: number): number => atan2(Math.sqrt((1 - x) * (1 + x)), x);
