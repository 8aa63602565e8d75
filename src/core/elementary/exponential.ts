/** A double and the two halves of its bits in the same memory. All current JavaScript engines run on little-endian machines: the low half comes first. */
const double = new Float64Array(1);
const halves = new Int32Array(double.buffer);

/** Exponent and the upper 20 bits of the fraction, without the sign. */
function highBits(x: number): number {
  double[0] = x;
  return halves[1]! & 0x7fffffff;
}

/** x·2ⁿ by adding n to the exponent: both x and the result are normal numbers. */
function timesPower(x: number, n: number): number {
  double[0] = x;
  halves[1]! += n << 20;
  return double[0]!;
}

/** 2ⁿ, −1022 ≤ n ≤ 1023. */
const powerOfTwo = (n: number): number => timesPower(1, n);

/** ⌊log₂ x⌋ for x > 0 and finite, exactly. */
export function binaryExponent(x: number): number {
  const exponent = highBits(x) >>> 20;
  // A denormal number times 2⁵⁴ is normal.
  return exponent > 0 ? exponent - 1023 : (highBits(x * 18014398509481984) >>> 20) - 1077;
}

/** Adding and subtracting this number rounds to an integer. */
const ROUNDER = 6755399441055744;
/** ln 2 in two parts; multiples of the first are exact. */
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
/** Largest |x| such that the result and the scaling by 2ⁿ are normal numbers. */
const SAFE = 708;
const OVERFLOW = 709.782712893384;
const UNDERFLOW = -745.1332191019412;

/** eʳ − 1 of the remainder r, |r| ≤ ½·ln 2, by a polynomial of degree 12 in Estrin's order. */
function ofRemainder(r: number): number {
  const r2 = r * r;
  const r4 = r2 * r2;
  const p01 = 0.5 + r * 0.16666666666666685;
  const p23 = 0.041666666666666505 + r * 0.008333333333316527;
  const p45 = 0.001388888888897745 + r * 0.0001984126989605092;
  const p67 = 2.4801587159235473e-5 + r * 2.7557236291192883e-6;
  const p89 = 2.7557391123490047e-7 + r * 2.5111293089287652e-8;
  const p03 = p01 + r2 * p23;
  const p47 = p45 + r2 * p67;
  const p8 = p89 + r2 * 2.088606211072837e-9;
  const p = p03 + (r4 * p47 + r4 * r4 * p8);
  return r + r2 * p;
}

/** eˣ with the same bits as the WebAssembly routine for arrays. Error below 1 unit in the last place. */
export function exp(x: number): number {
  const n = x * Math.LOG2E + ROUNDER - ROUNDER;
  if (Math.abs(x) <= SAFE) return timesPower(1 + ofRemainder(x - n * LN2_HIGH - n * LN2_LOW), n);
  if (x > OVERFLOW) return Number.POSITIVE_INFINITY;
  if (x < UNDERFLOW) return 0;
  if (Number.isNaN(x)) return x;
  // Two factors, so that overflowing and denormal results round only once.
  const half = n >> 1;
  return (1 + ofRemainder(x - n * LN2_HIGH - n * LN2_LOW)) * powerOfTwo(half) * powerOfTwo(n - half);
}

/** eˣ − 1 = 2ⁿ·(eʳ − 1) + (2ⁿ − 1), without cancellation near 0. Error below 2 units in the last place. */
export function expm1(x: number): number {
  if (x === 0) return x;
  if (!(Math.abs(x) < 36)) return exp(x) - 1;
  const n = x * Math.LOG2E + ROUNDER - ROUNDER;
  const scale = powerOfTwo(n);
  return scale * ofRemainder(x - n * LN2_HIGH - n * LN2_LOW) + (scale - 1);
}

const SMALLEST_NORMAL = 2.2250738585072014e-308;

/**
 * log(2^offset·x) of a normal x > 0: x = 2ᵏ·(1 + f) with √½ ≤ 1 + f < √2, and log(1 + f) = f − (½f² − s·(½f² + R(s²))),
 * s = f / (2 + f), with the polynomial R of FDLIBM's e_log.c.
 */
function ofNormal(x: number, offset: number): number {
  double[0] = x;
  const high = halves[1]!;
  // Adding 1 minus √½, as bits, makes the exponent change at √½ instead of at 1.
  const exponent = (high + 0x00095f61 + (halves[0]! >>> 0 >= 0x667f3bcd ? 1 : 0)) >>> 20;
  halves[1] = high - ((exponent - 1023) << 20);
  const f = double[0]! - 1;
  const k = exponent - 1023 + offset;
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const t1 = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373));
  const odd = 0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605106586);
  const t2 = z * (0.6666666666666735 + w * odd);
  const half = 0.5 * (f * f);
  return k * LN2_HIGH - (half - (s * (half + (t1 + t2)) + k * LN2_LOW) - f);
}

/** ln x with the same bits as the WebAssembly routine for arrays. Error below 1 unit in the last place; −∞ at ±0, NaN for negative x. */
export function log(x: number): number {
  if (x >= SMALLEST_NORMAL && x <= Number.MAX_VALUE) return ofNormal(x, 0);
  if (x === 0) return Number.NEGATIVE_INFINITY;
  // The factor 2⁵⁴ makes it normal.
  if (x > 0) return x === Number.POSITIVE_INFINITY ? x : ofNormal(x * 18014398509481984, -54);
  return Number.NaN;
}

/** ln(1 + x) without cancellation near 0, after W. Kahan: the rounding of 1 + x is undone by a factor. Error below 3 units in the last place. */
export function log1p(x: number): number {
  const u = 1 + x;
  if (u === 1 || u === Number.POSITIVE_INFINITY) return x;
  return u <= 0 ? log(u) : log(u) * (x / (u - 1));
}

/** Argument above which 1/eˣ is below the rounding error of eˣ. */
const SATURATED = 22;
/** Argument above which 1 is below the rounding error of x². */
const LARGE = 268435456;

/**
 * tanh x with the same bits as the WebAssembly routine for arrays. Below 0.625 it follows S. Moshier's Cephes (tanh.c). Error below 2 units in the
 * last place.
 */
export function tanh(x: number): number {
  const a = Math.abs(x);
  if (Number.isNaN(x) || x === 0) return x;
  if (a >= 0.625) {
    const clamped = Math.min(a, SATURATED);
    return Math.sign(x) * (1 + -2 / (exp(clamped + clamped) + 1));
  }
  const z = x * x;
  const p = -1614.6876844170845 + z * (-99.28772310019185 + z * -0.9643991794250523);
  const q = 4844.063053251255 + z * (2235.4883906010045 + z * (112.81167849163293 + z));
  return Math.sign(x) * (a + (a * z * p) / q);
}

/** sinh x = ½(eˣ − e⁻ˣ). Error below 5 units in the last place. */
export function sinh(x: number): number {
  const a = Math.abs(x);
  if (a >= SATURATED) return Math.sign(x) * halfExponential(a);
  const t = expm1(a);
  return x === 0 ? x : Math.sign(x) * 0.5 * (t + t / (t + 1));
}

/** cosh x = ½(eˣ + e⁻ˣ). Error below 2 units in the last place. */
export function cosh(x: number): number {
  const a = Math.abs(x);
  if (a >= SATURATED) return halfExponential(a);
  const e = exp(a);
  return 0.5 * e + 0.5 / e;
}

/** ½eˣ, even where eˣ overflows. */
function halfExponential(x: number): number {
  if (x < 709) return 0.5 * exp(x);
  const root = exp(0.5 * x);
  return 0.5 * root * root;
}

/** The inverse of sinh. Error below 4 units in the last place. */
export function asinh(x: number): number {
  const a = Math.abs(x);
  if (x === 0 || !Number.isFinite(x)) return x;
  if (a > LARGE) return Math.sign(x) * (log(a) + Math.LN2);
  const square = x * x;
  return Math.sign(x) * log1p(a + square / (1 + Math.sqrt(1 + square)));
}

/** The inverse of cosh, NaN below 1. Error below 4 units in the last place. */
export function acosh(x: number): number {
  if (x > LARGE) return log(x) + Math.LN2;
  if (x < 1) return Number.NaN;
  const t = x - 1;
  return log1p(t + Math.sqrt(t * (x + 1)));
}

/** The inverse of tanh, ±∞ at ±1 and NaN beyond. Error below 4 units in the last place. */
export function atanh(x: number): number {
  const a = Math.abs(x);
  return x === 0 ? x : Math.sign(x) * 0.5 * log1p((2 * a) / (1 - a));
}

/** x² */
export const square = (x: number): number => x * x;

/**
 * xʸ, with the special values of `**`. Error below 1 unit in the last place.
 *
 * 2^(y·log₂ x), the logarithm and the product in two parts each, with the polynomials of FDLIBM's e_pow.c (Copyright (C) 2004 by Sun
 * Microsystems, Inc. All rights reserved. Permission to use, copy, modify, and distribute this software is freely granted, provided that
 * this notice is preserved).
 */
export function pow(x: number, y: number): number {
  if (y === 0) return 1;
  if (y === 1) return x;
  if (y === 2) return x * x;
  if (y === -1) return 1 / x;
  const a = Math.abs(x);
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (Math.abs(y) === Number.POSITIVE_INFINITY) return a === 1 ? Number.NaN : a > 1 === y > 0 ? Math.abs(y) : 0;
  const isOdd = Math.abs(y) < 2 ** 53 && Math.abs(y % 2) === 1;
  const sign = isOdd && (x < 0 || Object.is(x, -0)) ? -1 : 1;
  if (a === 0 || a === Number.POSITIVE_INFINITY) return sign * ((a === 0) === y > 0 ? 0 : Number.POSITIVE_INFINITY);
  if (x < 0 && !Number.isInteger(y)) return Number.NaN;
  if (a === 1) return sign;
  return sign * ofFinite(a, y);
}

/** Beyond it, every power overflows or vanishes, unless the base is 1. */
const LARGEST_EXPONENT = 2 ** 65;

function ofFinite(a: number, exponent: number): number {
  const y = Math.min(Math.max(exponent, -LARGEST_EXPONENT), LARGEST_EXPONENT);
  const { high, low } = binaryLogarithm(a);
  const upper = Math.fround(y);
  const rest = (y - upper) * high + y * low;
  const main = upper * high;
  return exponentialOfTwo(main, rest);
}

/** 2/(3·ln 2) in two parts. */
const CP = 0.9617966939259756;
const CP_HIGH = 0.9617967009544373;
const CP_LOW = -7.028461650952758e-9;
/** log₂ 1.5 in two parts. */
const BASE_HIGH = 0.5849624872207642;
const BASE_LOW = 1.350039202129749e-8;

/** log₂ a in two parts. The first part, here and below, has only the 24 bits of a float32, so that products of such parts are exact. */
function binaryLogarithm(a: number): { readonly high: number; readonly low: number } {
  let n = binaryExponent(a);
  // Twice, because of denormal numbers.
  let m = n < -1022 ? timesPower(a * 2 ** 54, -(n + 54)) : timesPower(a, -n);
  // 1 ≤ m < 2; the base is 1 or 1.5, whichever is closer.
  const isNearTwo = m >= 1.7320507764816284;
  if (isNearTwo) {
    n++;
    m *= 0.5;
  }
  const isNearBase = !isNearTwo && m >= 1.2247447967529297;
  const base = isNearBase ? 1.5 : 1;
  // s = (m − base)/(m + base), exactly in two parts.
  const u = m - base;
  const v = 1 / (m + base);
  const ratio = u * v;
  const ratioHigh = Math.fround(ratio);
  const sumHigh = Math.fround(m + base);
  const sumLow = m - (sumHigh - base);
  const ratioLow = v * (u - ratioHigh * sumHigh - ratioHigh * sumLow);
  // log m by its series in s².
  const s2 = ratio * ratio;
  let r =
    s2 *
    s2 *
    (0.5999999999999946 +
      s2 *
        (0.4285714285785502 +
          s2 *
            (0.33333332981837743 + s2 * (0.272728123808534 + s2 * (0.23066074577556175 + s2 * 0.20697501780033842)))));
  r += ratioLow * (ratioHigh + ratio);
  const squareHigh = ratioHigh * ratioHigh;
  const tHigh = Math.fround(3 + squareHigh + r);
  const tLow = r - (tHigh - 3 - squareHigh);
  const productHigh = ratioHigh * tHigh;
  const productLow = ratioLow * tHigh + tLow * ratio;
  const pHigh = Math.fround(productHigh + productLow);
  const pLow = productLow - (pHigh - productHigh);
  const zHigh = CP_HIGH * pHigh;
  const zLow = CP_LOW * pHigh + pLow * CP + (isNearBase ? BASE_LOW : 0);
  const offset = isNearBase ? BASE_HIGH : 0;
  const high = Math.fround(zHigh + zLow + offset + n);
  return { high, low: zLow - (high - n - offset - zHigh) };
}

const LN2_LEADING = 0.6931471824645996;
const LN2_REST = -1.904654299957768e-9;

/** 2^(main + rest) */
function exponentialOfTwo(main: number, rest: number): number {
  const z = main + rest;
  if (z > 1025) return Number.POSITIVE_INFINITY;
  if (z < -1080) return 0;
  const n = Math.round(z);
  const left = main - n;
  const t = Math.fround(rest + left);
  const u = t * LN2_LEADING;
  const v = (rest - (t - left)) * Math.LN2 + t * LN2_REST;
  const sum = u + v;
  const w = v - (sum - u);
  const s = sum * sum;
  const t1 =
    sum -
    s *
      (0.16666666666666602 +
        s *
          (-0.0027777777777015593 +
            s * (6.613756321437934e-5 + s * (-1.6533902205465252e-6 + s * 4.1381367970572385e-8))));
  const value = 1 - ((sum * t1) / (t1 - 2) - (w + sum * w) - sum);
  // Two factors, so that results outside the normal range round only once.
  const half = n >> 1;
  return value * powerOfTwo(half) * powerOfTwo(n - half);
}

/** A polynomial with coefficients in ascending order of powers, by Horner's rule. */
export function polynomial(coefficients: readonly number[], x: number): number {
  let value = 0;
  for (let k = coefficients.length - 1; k >= 0; k--) value = coefficients[k]! + x * value;
  return value;
}
