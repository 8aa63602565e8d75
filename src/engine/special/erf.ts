import { exp, log, log1p } from '../../core/elementary/index.ts';
import { polynomial } from '../../core/elementary/polynomial.ts';

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
