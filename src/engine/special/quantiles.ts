import { exp, log, log1p } from '../../core/elementary/index.ts';
import { polynomial } from '../../core/elementary/polynomial.ts';
import { lgamma } from './gamma.ts';

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
