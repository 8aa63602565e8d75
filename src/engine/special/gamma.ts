import { log, log1p, pow, sin, tan } from '../../core/elementary/index.ts';

/**
 * The logarithm of the gamma function and its first two derivatives, in double precision for every real argument.
 * Formulas: Abramowitz & Stegun, Handbook of Mathematical Functions, chapter 6.
 */

/** Coefficients of (−1)^k·z^k in log Γ(2 + z) are (ζ(k) − 1)/k (A&S 6.1.33 after log(1 + z)); they fall like 2^−k. */
const ZETA_MINUS_ONE = Array.from({ length: 40 }, (_, k) => (k < 2 ? 0 : zetaMinusOne(k)));
const EULER = 0.5772156649015329;
const HALF_LOG_TWO_PI = 0.9189385332046728;
/** Smallest argument at which the asymptotic series are exact to the last digit. */
const ASYMPTOTIC = 12;
/** Bernoulli numbers B_2, B_4, …, B_18. */
const BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798];

/**
 * log |Γ(x)|.
 *
 * Relative error below 1e-14, also near the zeros at 1 and 2; near the zeros on the negative axis the absolute error is.
 *
 * @param x - any real number; +Infinity at 0, −1, −2, …
 */
export function lgamma(x: number): number {
  if (x >= ASYMPTOTIC) return lgammaAsymptotic(x);
  if (x >= 0.5) return lgammaNearTwo(x);
  if (Number.isNaN(x)) return x;
  if (x > 0) return lgammaNearTwo(x + 1) - log(x);
  if (Number.isInteger(x) || x === Number.NEGATIVE_INFINITY) return Number.POSITIVE_INFINITY;
  return log(Math.PI / Math.abs(sinPi(x))) - lgamma(1 - x);
}

/**
 * The digamma function ψ(x) = d log Γ(x) / dx.
 *
 * @param x - any real number; NaN at 0, −1, −2, …
 */
export function digamma(x: number): number {
  if (x <= 0) {
    if (Number.isInteger(x) || x === Number.NEGATIVE_INFINITY) return Number.NaN;
    return digamma(1 - x) - Math.PI / tanPi(x);
  }
  let shift = 0;
  let y = x;
  for (; y < ASYMPTOTIC; y++) shift += 1 / y;
  // A&S 6.3.18
  const r = 1 / (y * y);
  let series = 0;
  for (let k = BERNOULLI.length; k >= 1; k--) series = r * (BERNOULLI[k - 1]! / (2 * k) + series);
  return log(y) - 0.5 / y - series - shift;
}

/**
 * The trigamma function ψ′(x), the second derivative of log Γ(x).
 *
 * @param x - any real number; +Infinity at 0, −1, −2, …
 */
export function trigamma(x: number): number {
  if (x <= 0) {
    if (Number.isInteger(x)) return Number.POSITIVE_INFINITY;
    const s = sinPi(x) / Math.PI;
    return 1 / (s * s) - trigamma(1 - x);
  }
  let shift = 0;
  let y = x;
  for (; y < ASYMPTOTIC; y++) shift += 1 / (y * y);
  // A&S 6.4.12
  const r = 1 / (y * y);
  let series = 0;
  for (let k = BERNOULLI.length; k >= 1; k--) series = r * (BERNOULLI[k - 1]! + series);
  return (1 + 0.5 / y + series) / y + shift;
}

/** Stirling's series, A&S 6.1.40. */
function lgammaAsymptotic(x: number): number {
  if (x === Number.POSITIVE_INFINITY) return x;
  const r = 1 / (x * x);
  let series = 0;
  for (let k = BERNOULLI.length; k >= 1; k--) series = BERNOULLI[k - 1]! / (2 * k * (2 * k - 1)) + r * series;
  return (x - 0.5) * log(x) - x + HALF_LOG_TWO_PI + series / x;
}

/** log Γ(x) for 0.5 ≤ x < 12: recurrence to 1.5 ≤ x ≤ 2.5, where the Taylor series about 2 converges like 4^−k. */
function lgammaNearTwo(x: number): number {
  let y = x;
  let product = 1;
  for (; y > 2.5; ) product *= --y;
  const below = y < 1.5;
  const z = below ? y - 1 : y - 2;
  let series = 0;
  for (let k = ZETA_MINUS_ONE.length - 1; k >= 2; k--) series = ZETA_MINUS_ONE[k]! / k - z * series;
  const value = z * (1 - EULER) + z * z * series;
  if (below) return value - log1p(z);
  return product === 1 ? value : value + log(product);
}

/** sin πx without the rounding of πx. */
function sinPi(x: number): number {
  const nearest = Math.round(x);
  const s = sin(Math.PI * (x - nearest));
  return nearest % 2 === 0 ? s : -s;
}

const tanPi = (x: number): number => tan(Math.PI * (x - Math.round(x)));

/** ζ(k) − 1 = Σ_{n≥2} n^−k: the terms below 16, and the tail by the Euler–Maclaurin formula. */
function zetaMinusOne(k: number): number {
  const from = 16;
  let sum = pow(from, 1 - k) / (k - 1) + 0.5 * pow(from, -k);
  let term = k * pow(from, -k - 1);
  sum += term / 12;
  term *= ((k + 1) * (k + 2)) / (from * from);
  sum -= term / 720;
  term *= ((k + 3) * (k + 4)) / (from * from);
  sum += term / 30240;
  term *= ((k + 5) * (k + 6)) / (from * from);
  sum -= term / 1209600;
  term *= ((k + 7) * (k + 8)) / (from * from);
  sum += term / 47900160;
  for (let n = from - 1; n >= 2; n--) sum += pow(n, -k);
  return sum;
}
