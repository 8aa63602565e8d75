import { at, multiplyAdd } from './vectors';

/** Number of entries that are checked and then computed together, so that they stay in the first-level cache. */
const BLOCK: i32 = 256;

/** Adding this number rounds to an integer, which is then in the low bits. */
const ROUNDER: f64 = 6755399441055744.0;
const LOG2_E: f64 = 1.4426950408889634;
/** ln 2 in two parts, the first with so few bits that its multiples are exact. */
const LN2_HIGH: f64 = 0.69314718036912381649;
const LN2_LOW: f64 = 1.90821492927058770002e-10;
/** Largest |x| such that the result and the scaling by 2ⁿ are normal numbers. */
const SAFE: f64 = 708.0;
const OVERFLOW: f64 = 709.782712893384;
const UNDERFLOW: f64 = -745.1332191019412;

/** exp of the remainder r, |r| ≤ ½·ln 2, by a polynomial of degree 12 in Estrin's order. @inline */
function ofRemainder(r: v128): v128 {
  const r2 = f64x2.mul(r, r);
  const r4 = f64x2.mul(r2, r2);
  const p01 = f64x2.add(f64x2.splat(0.5), f64x2.mul(r, f64x2.splat(0.166666666666666851703837)));
  const p23 = f64x2.add(
    f64x2.splat(0.0416666666666665047591422),
    f64x2.mul(r, f64x2.splat(0.00833333333331652721664984)),
  );
  const p45 = f64x2.add(
    f64x2.splat(0.00138888888889774492207962),
    f64x2.mul(r, f64x2.splat(0.000198412698960509205564975)),
  );
  const p67 = f64x2.add(
    f64x2.splat(2.4801587159235472998791e-5),
    f64x2.mul(r, f64x2.splat(2.75572362911928827629423e-6)),
  );
  const p89 = f64x2.add(
    f64x2.splat(2.75573911234900471893338e-7),
    f64x2.mul(r, f64x2.splat(2.51112930892876518610661e-8)),
  );
  const p03 = f64x2.add(p01, f64x2.mul(r2, p23));
  const p47 = f64x2.add(p45, f64x2.mul(r2, p67));
  const p8 = f64x2.add(p89, f64x2.mul(r2, f64x2.splat(2.08860621107283687536341e-9)));
  const p = f64x2.add(p03, f64x2.add(f64x2.mul(r4, p47), f64x2.mul(f64x2.mul(r4, r4), p8)));
  return f64x2.add(f64x2.splat(1), f64x2.add(r, f64x2.mul(r2, p)));
}

/**
 * exp(x) for |x| ≤ 708, two at a time: x = n·ln 2 + r, and n is added to the exponent of exp(r). Adding 1.5·2⁵² rounds to n and leaves
 * it in the low bits, from where it is shifted; there is no fast conversion to 64-bit integers. @inline
 */
export function exponentialPair(x: v128): v128 {
  const shifted = f64x2.add(f64x2.mul(x, f64x2.splat(LOG2_E)), f64x2.splat(ROUNDER));
  const n = f64x2.sub(shifted, f64x2.splat(ROUNDER));
  const r = f64x2.sub(f64x2.sub(x, f64x2.mul(n, f64x2.splat(LN2_HIGH))), f64x2.mul(n, f64x2.splat(LN2_LOW)));
  return i64x2.add(ofRemainder(r), i64x2.shl(shifted, 52));
}

/** exp(x) anywhere: two factors 2ⁿ, so that results beyond 2¹⁰²³ and denormal results round once, at the end. */
function exponentialAnywhere(x: f64): f64 {
  if (x != x) return x;
  if (x > OVERFLOW) return Infinity;
  if (x < UNDERFLOW) return 0.0;
  const n = nearest(x * LOG2_E);
  const r = x - n * LN2_HIGH - n * LN2_LOW;
  const half = <i32>n >> 1;
  return f64x2.extract_lane(ofRemainder(f64x2.splat(r)), 0) * power(half) * power(<i32>n - half);
}

function power(exponent: i32): f64 {
  return reinterpret<f64>((<u64>(exponent + 1023)) << 52);
}

/** y ← exp(x), n entries; y may be x. Error below 1 ulp everywhere, denormal results included. */
export function exponential(n: i32, x: usize, y: usize): void {
  for (let i = 0; i < n; ) {
    const pairs = ordinaryPairs(min(n - i, BLOCK) >> 1, at(x, i));
    if (pairs > 0) {
      exponentialPairs(pairs, at(x, i), at(y, i));
      i += pairs << 1;
    } else {
      store<f64>(at(y, i), exponentialAnywhere(load<f64>(at(x, i))));
      i++;
    }
  }
}

/** Number of leading pairs that need no special care. */
function ordinaryPairs(most: i32, x: usize): i32 {
  const limit = f64x2.splat(SAFE);
  let pair = 0;
  while (pair < most && i64x2.all_true(f64x2.le(f64x2.abs(v128.load(at(x, pair << 1))), limit))) pair++;
  return pair;
}

/** Has no condition before the loop: only then does V8 keep constants in registers, which halves the time. */
function exponentialPairs(pairs: i32, x: usize, y: usize): void {
  do {
    v128.store(y, exponentialPair(v128.load(x)));
    x += 16;
    y += 16;
  } while (--pairs);
}

/** Argument above which tanh rounds to ±1. */
const SATURATED: f64 = 22.0;
/** Argument below which a rational approximation keeps the relative error small; above it, 1 − 2/(e²ˣ + 1) is accurate. */
const SMALL: f64 = 0.625;

/** tanh(x), two at a time: the small case follows Moshier's Cephes (tanh.c); both cases share one division. @inline */
function tanhPair(x: v128): v128 {
  const modulus = f64x2.abs(x);
  const isSmall = f64x2.lt(modulus, f64x2.splat(SMALL));

  const z = f64x2.mul(x, x);
  const p1 = f64x2.add(f64x2.splat(-9.92877231001918586564e1), f64x2.mul(z, f64x2.splat(-9.64399179425052238628e-1)));
  const p = f64x2.add(f64x2.splat(-1.61468768441708447952e3), f64x2.mul(z, p1));
  const q2 = f64x2.add(f64x2.splat(1.12811678491632931402e2), z);
  const q1 = f64x2.add(f64x2.splat(2.23548839060100448583e3), f64x2.mul(z, q2));
  const q = f64x2.add(f64x2.splat(4.84406305325125486048e3), f64x2.mul(z, q1));

  const clamped = f64x2.pmin(modulus, f64x2.splat(SATURATED));
  const e = exponentialPair(f64x2.add(clamped, clamped));

  const numerator = v128.bitselect(f64x2.mul(f64x2.mul(modulus, z), p), f64x2.splat(-2), isSmall);
  const denominator = v128.bitselect(q, f64x2.add(e, f64x2.splat(1)), isSmall);
  const base = v128.bitselect(modulus, f64x2.splat(1), isSmall);
  const positive = f64x2.add(base, f64x2.div(numerator, denominator));
  const signed = v128.bitselect(x, positive, f64x2.splat(-0.0));
  return v128.bitselect(signed, x, f64x2.eq(x, x));
}

/** y ← tanh(x), n entries; y may be x. Error below 2 ulp; denormal arguments and −0 are returned as they are. */
export function hyperbolicTangent(n: i32, x: usize, y: usize): void {
  let pairs = n >> 1;
  if (pairs > 0) {
    // No condition before the body, so that V8 keeps the constants in registers.
    do {
      v128.store(y, tanhPair(v128.load(x)));
      x += 16;
      y += 16;
    } while (--pairs);
  }
  if (n & 1) store<f64>(y, f64x2.extract_lane(tanhPair(f64x2.splat(load<f64>(x))), 0));
}

/** 2^(k/64) for k < 64. */
const POWERS: usize = memory.data<f64>([
  1.0, 1.0108892860517005, 1.0218971486541166, 1.0330248790212284, 1.0442737824274138, 1.0556451783605572,
  1.0671404006768237, 1.0787607977571199, 1.0905077326652577, 1.102382583307841, 1.1143867425958924, 1.1265216186082418,
  1.1387886347566916, 1.1511892299529827, 1.1637248587775775, 1.1763969916502812, 1.189207115002721, 1.202156731452703,
  1.215247359980469, 1.22848053610687, 1.241857812073484, 1.255380757024691, 1.2690509571917332, 1.2828700160787783,
  1.2968395546510096, 1.3109612115247644, 1.3252366431597413, 1.339667524053303, 1.3542555469368927, 1.3690024229745905,
  1.383909881963832, 1.3989796725383112, 1.4142135623730951, 1.42961333839197, 1.4451808069770467, 1.460917794180647,
  1.4768261459394993, 1.4929077282912648, 1.5091644275934228, 1.5255981507445384, 1.5422108254079407, 1.559004400237837,
  1.5759808451078865, 1.593142151342267, 1.6104903319492543, 1.6280274218573478, 1.645755478153965, 1.6636765803267364,
  1.681792830507429, 1.7001063537185235, 1.718619298122478, 1.7373338352737062, 1.7562521603732995, 1.7753764925265212,
  1.7947090750031072, 1.8142521755003989, 1.8340080864093424, 1.8539791250833855, 1.8741676341103, 1.8945759815869656,
  1.9152065613971474, 1.9360617934922943, 1.9571441241754002, 1.978456026387951,
]);
const STEPS: i32 = 64;
/** 64/ln 2: exponents are multiplied by it in advance, so that none of their digits are lost when whole steps are subtracted. */
export const STEPS_PER_UNIT: f64 = 92.33248261689366;
/** −700 in steps: smaller exponents are replaced by it, 10⁻³⁰⁴, so that all results are normal numbers. */
const LEAST: f64 = -64632.73783182556;

/**
 * x ← 2^((x + y)/64), `n` entries, a multiple of 2. Sums above 0, which can only be rounding errors of nonpositive exponents, count as 0. With x + y
 * = 64·e + k + f it is 2^e·2^(k/64)·2^(f/64), the last a polynomial of degree 5 for |f| ≤ ½: half of the arithmetic of `exponential`, within 1.5
 * units of the last place.
 */
export function negativeExponential(n: i32, x: usize, y: usize): void {
  let pairs = n >> 1;
  // No condition before the body of the loop, as in `exponential`.
  do {
    v128.store(x, ofPair(f64x2.add(v128.load(x), v128.load(y))));
    x += 16;
    y += 16;
  } while (--pairs);
}

/** @inline */
function ofPair(given: v128): v128 {
  // Pseudo-minimum and pseudo-maximum keep NaN.
  const x = f64x2.pmax(f64x2.pmin(given, f64x2.splat(0)), f64x2.splat(LEAST));
  const shifted = f64x2.add(x, f64x2.splat(ROUNDER));
  const f = f64x2.sub(x, f64x2.sub(shifted, f64x2.splat(ROUNDER)));
  const first = at(POWERS, i32x4.extract_lane(shifted, 0) & (STEPS - 1));
  const second = at(POWERS, i32x4.extract_lane(shifted, 2) & (STEPS - 1));
  const power = v128.load64_lane(second, v128.load64_zero(first), 1);
  const scale = i64x2.add(power, i64x2.shl(v128.andnot(shifted, i64x2.splat(STEPS - 1)), 46));
  return multiplyAdd(scale, lessOne(f), scale);
}

/** 2^(f/64) − 1 for |f| ≤ ½: coefficients (ln 2/64)^k/k!. @inline */
function lessOne(f: v128): v128 {
  const f2 = f64x2.mul(f, f);
  const p1 = multiplyAdd(f, f64x2.splat(5.86490495505617e-5), f64x2.splat(0.010830424696249145));
  const p3 = multiplyAdd(f, f64x2.splat(5.732851688640402e-10), f64x2.splat(2.1173137155464776e-7));
  return f64x2.mul(f, multiplyAdd(f2, multiplyAdd(f2, f64x2.splat(1.2417843701716925e-12), p3), p1));
}

const SMALLEST_NORMAL: f64 = 2.2250738585072014e-308;

/**
 * log(2^offset·x) for normal positive x, two at a time: x = 2ᵏ·(1 + f) with
 * √½ ≤ 1 + f < √2, and log(1 + f) = f − (½f² − s·(½f² + R(s²))), s = f / (2 + f), with the polynomial R of FDLIBM's e_log.c. @inline
 */
function logarithmPair(x: v128, offset: f64): v128 {
  // Bits of 1 minus the bits of √½: adding them makes the exponent field jump at √½ instead of at 1.
  const shifted = i64x2.add(x, i64x2.splat(0x3ff0000000000000 - 0x3fe6a09e667f3bcd));
  const mantissa = v128.and(shifted, i64x2.splat(0x000fffffffffffff));
  const f = f64x2.sub(i64x2.add(mantissa, i64x2.splat(0x3fe6a09e667f3bcd)), f64x2.splat(1));
  // The exponent field as the low bits of 2⁵² + exponent.
  const biased = v128.or(i64x2.shr_u(shifted, 52), i64x2.splat(0x4330000000000000));
  const k = f64x2.add(f64x2.sub(biased, f64x2.splat(4503599627370496.0 + 1023.0)), f64x2.splat(offset));
  const s = f64x2.div(f, f64x2.add(f64x2.splat(2), f));
  const z = f64x2.mul(s, s);
  const w = f64x2.mul(z, z);
  const even = f64x2.add(f64x2.splat(2.222219843214978396e-1), f64x2.mul(w, f64x2.splat(1.531383769920937332e-1)));
  const t1 = f64x2.mul(w, f64x2.add(f64x2.splat(3.999999999940941908e-1), f64x2.mul(w, even)));
  const odd = f64x2.add(f64x2.splat(1.818357216161805012e-1), f64x2.mul(w, f64x2.splat(1.479819860511658591e-1)));
  const odd2 = f64x2.add(f64x2.splat(2.857142874366239149e-1), f64x2.mul(w, odd));
  const t2 = f64x2.mul(z, f64x2.add(f64x2.splat(6.66666666666673513e-1), f64x2.mul(w, odd2)));
  const half = f64x2.mul(f64x2.splat(0.5), f64x2.mul(f, f));
  const tail = f64x2.add(f64x2.mul(s, f64x2.add(half, f64x2.add(t1, t2))), f64x2.mul(k, f64x2.splat(LN2_LOW)));
  return f64x2.sub(f64x2.mul(k, f64x2.splat(LN2_HIGH)), f64x2.sub(f64x2.sub(half, tail), f));
}

function logarithmAnywhere(x: f64): f64 {
  if (x == 0.0) return -Infinity;
  if (!(x > 0.0)) return NaN;
  if (x == Infinity) return x;
  const denormal = x < SMALLEST_NORMAL;
  // Times 2⁵⁴, which makes it normal.
  const normal = denormal ? x * 18014398509481984.0 : x;
  return f64x2.extract_lane(logarithmPair(f64x2.splat(normal), denormal ? -54.0 : 0.0), 0);
}

/** y ← log(x), n entries; y may be x. Error below 1 ulp everywhere, denormal arguments included. */
export function logarithm(n: i32, x: usize, y: usize): void {
  for (let i = 0; i < n; ) {
    const pairs = ordinaryArguments(min(n - i, BLOCK) >> 1, at(x, i));
    if (pairs > 0) {
      logarithmPairs(pairs, at(x, i), at(y, i));
      i += pairs << 1;
    } else {
      store<f64>(at(y, i), logarithmAnywhere(load<f64>(at(x, i))));
      i++;
    }
  }
}

/** Number of leading pairs that need no special care. */
function ordinaryArguments(most: i32, x: usize): i32 {
  const lowest = f64x2.splat(SMALLEST_NORMAL);
  const highest = f64x2.splat(f64.MAX_VALUE);
  let pair = 0;
  while (pair < most && isOrdinary(v128.load(at(x, pair << 1)), lowest, highest)) pair++;
  return pair;
}

function isOrdinary(pair: v128, lowest: v128, highest: v128): bool {
  return i64x2.all_true(v128.and(f64x2.ge(pair, lowest), f64x2.le(pair, highest)));
}

/** Has no condition before the loop: only then does V8 keep constants in registers, which halves the time. */
function logarithmPairs(pairs: i32, x: usize, y: usize): void {
  do {
    v128.store(y, logarithmPair(v128.load(x), 0.0));
    x += 16;
    y += 16;
  } while (--pairs);
}
