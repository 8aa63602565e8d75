import { polynomial } from '../../core/elementary/exponential.ts';
import { exp, log, log1p } from '../../core/elementary/index.ts';
import { lgamma } from './gamma.ts';

/**
 * The error function erf(x) = 2/√π · ∫₀ˣ e^(−t²) dt, in double precision.
 *
 * Rational approximations on four intervals, of the form of W. J. Cody (Math. Comp. 23, 1969), with the coefficients of
 * FDLIBM's s_erf.c: Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Permission to use, copy, modify, and
 * distribute this software is freely granted, provided that this notice is preserved.
 *
 * @param x - any real number
 * @returns a value in [−1, 1], relative error below 1 unit in the last place
 */
export function erf(x: number): number {
  const a = Math.abs(x);
  if (a < 0.84375) {
    if (a < 2 ** -28) return x + EFX * x;
    const z = x * x;
    return x + x * (polynomial(PP, z) / polynomial(QQ, z));
  }
  const sign = x < 0 ? -1 : 1;
  if (a < 1.25) return sign * (ERX + polynomial(PA, a - 1) / polynomial(QA, a - 1));
  if (a >= 6) return sign;
  if (Number.isNaN(x)) return x;
  const s = 1 / (a * a);
  const ratio = a < 1 / 0.35 ? polynomial(RA, s) / polynomial(SA, s) : polynomial(RB, s) / polynomial(SB, s);
  return sign * (1 - exp(-a * a - 0.5625 + ratio) / a);
}

/**
 * log erfc(x) = log(1 − erf(x)), which does not underflow: from the same approximations, and the asymptotic series beyond 28.
 *
 * @param x - any real number
 */
export function logErfc(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x < 1.25) return log(1 - erf(x));
  const s = 1 / (x * x);
  if (x >= 28) return -x * x - log(x * Math.sqrt(Math.PI)) + log1p(polynomial(TAIL, s) * s);
  const ratio = x < 1 / 0.35 ? polynomial(RA, s) / polynomial(SA, s) : polynomial(RB, s) / polynomial(SB, s);
  return -x * x - 0.5625 + ratio - log(x);
}

/** erfc(x)·x·√π·exp(x²) = 1 − 1/(2x²) + 3/(4x⁴) − …, without the 1. */
const TAIL = [-0.5, 0.75, -1.875, 6.5625, -29.53125];
/** 2/√π − 1 */
const EFX = 0.1283791670955126;
/** erf(1) rounded to float32; the second interval approximates the difference to it. */
const ERX = 0.8450629115104675;
const PP = [
  0.12837916709551256, -0.3250421072470015, -0.02848174957559851, -0.005770270296489442, -2.3763016656650163e-5,
];
const QQ = [
  1, 0.39791722395915535, 0.0650222499887673, 0.005081306281875766, 0.00013249473800432164, -3.960228278775368e-6,
];
const PA = [
  -0.0023621185607526594, 0.41485611868374833, -0.3722078760357013, 0.31834661990116175, -0.11089469428239668,
  0.035478304325618236, -0.002166375594868791,
];
const QA = [
  1, 0.10642088040084423, 0.540397917702171, 0.07182865441419627, 0.12617121980876164, 0.01363708391202905,
  0.011984499846799107,
];
const RA = [
  -0.009864944034847148, -0.6938585727071818, -10.558626225323291, -62.375332450326006, -162.39666946257347,
  -184.60509290671104, -81.2874355063066, -9.814329344169145,
];
const SA = [
  1, 19.651271667439257, 137.65775414351904, 434.56587747522923, 645.3872717332679, 429.00814002756783,
  108.63500554177944, 6.570249770319282, -0.0604244152148581,
];
const RB = [
  -0.0098649429247001, -0.799283237680523, -17.757954917754752, -160.63638485582192, -637.5664433683896,
  -1025.0951316110772, -483.5191916086514,
];
const SB = [
  1, 30.33806074348246, 325.7925129965739, 1536.729586084437, 3199.8582195085955, 2553.0504064331644,
  474.52854120695537, -22.44095244658582,
];

/**
 * The quantile function of the standard normal distribution: z with Φ(z) = p.
 *
 * Rational approximations on three intervals, algorithm AS 241 (PPND16) of Wichura, Applied Statistics 37 (1988).
 *
 * @param p - in (0, 1)
 * @returns z, relative error below 1e-15; ∓Infinity at 0 and 1
 */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return (q * polynomial(A, r)) / polynomial(B, r);
  }
  const tail = Math.min(p, 1 - p);
  if (!(tail > 0)) return tail === 0 ? Math.sign(q) * Infinity : Number.NaN;
  const r = Math.sqrt(-log(tail));
  const z = r <= 5 ? polynomial(C, r - 1.6) / polynomial(D, r - 1.6) : polynomial(E, r - 5) / polynomial(F, r - 5);
  return q < 0 ? -z : z;
}

/**
 * The quantile function of the beta distribution, by bisection of the regularized incomplete beta function.
 *
 * @param p - in (0, 1)
 * @param a - above 0
 * @param b - above 0
 */
export function betaQuantile(p: number, a: number, b: number): number {
  let lower = 0;
  let upper = 1;
  for (let middle = 0.5; middle > lower && middle < upper; middle = (lower + upper) / 2) {
    if (incompleteBeta(middle, a, b) < p) lower = middle;
    else upper = middle;
  }
  return upper;
}

/** The regularized incomplete beta function I_x(a, b), by its continued fraction (Abramowitz & Stegun 26.5.8). */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  if (x <= 0) return 0;
  const front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)) / a;
  // Evaluated by the modified Lentz method.
  const nonZero = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return front * fraction;
}

const A = [
  3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
  33430.57558358813, 2509.0809287301227,
];
const B = [
  1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271, 28729.085735721943,
  5226.495278852854,
];
const C = [
  1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684, 0.2417807251774506,
  0.022723844989269184, 0.0007745450142783414,
];
const D = [
  1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
  0.0005475938084995345, 1.0507500716444169e-9,
];
const E = [
  6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
  0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
];
const F = [
  1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 1.8463183175100548e-5,
  1.421511758316446e-7, 2.0442631033899397e-15,
];
