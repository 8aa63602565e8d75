/** A double and the two halves of its bits in the same memory. All current JavaScript engines run on little-endian machines: the low half comes first. */
export const double = new Float64Array(1);
const halves = new Int32Array(double.buffer);

/** Exponent and the upper 20 bits of the fraction, without the sign. */
function highBits(x: number): number {
  double[0] = x;
  return halves[1]! & 0x7fffffff;
}

/** x·2ⁿ by adding n to the exponent: both x and the result are normal numbers. */
export function timesPower(x: number, n: number): number {
  double[0] = x;
  halves[1]! += n << 20;
  return double[0]!;
}

/** 2ⁿ, −1022 ≤ n ≤ 1023. */
export const powerOfTwo = (n: number): number => timesPower(1, n);

/** ⌊log₂ x⌋ for x > 0 and finite, exactly. */
export function binaryExponent(x: number): number {
  const exponent = highBits(x) >>> 20;
  // A denormal number times 2⁵⁴ is normal.
  return exponent > 0 ? exponent - 1023 : (highBits(x * 18014398509481984) >>> 20) - 1077;
}

/** Adding and subtracting it rounds to an integer. */
const ROUNDER = 6755399441055744;
/** ln 2 in two parts; multiples of the first are exact. */
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
/** Largest |x| for which both the result and the scaling by 2ⁿ are normal numbers. */
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

/** For larger x, 1/eˣ is below the rounding error of eˣ. */
const SATURATED = 22;
/** For larger x, 1 is below the rounding error of x². */
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
