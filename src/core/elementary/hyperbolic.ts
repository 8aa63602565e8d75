import { exp, expm1 } from './exponential.ts';
import { log, log1p } from './logarithm.ts';

/** From here on 1/eˣ is lost beside eˣ. */
const SATURATED = 22;
/** From here on 1 is lost beside x². */
const LARGE = 268435456;

/** tanh x: the same bits as the compiled one for arrays. Below 0.625 by S. Moshier's Cephes (tanh.c). Error below 2 units in the last place. */
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

/** ½eˣ, also where eˣ overflows. */
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
