import { binaryExponent, powerOfTwo, timesPower } from './exponential.ts';

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

const LN2_HIGH = 0.6931471824645996;
const LN2_LOW = -1.904654299957768e-9;

/** 2^(main + rest) */
function exponentialOfTwo(main: number, rest: number): number {
  const z = main + rest;
  if (z > 1025) return Number.POSITIVE_INFINITY;
  if (z < -1080) return 0;
  const n = Math.round(z);
  const left = main - n;
  const t = Math.fround(rest + left);
  const u = t * LN2_HIGH;
  const v = (rest - (t - left)) * Math.LN2 + t * LN2_LOW;
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
