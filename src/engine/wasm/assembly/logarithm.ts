import { at } from './vectors';

/** Entries that are looked through together, and then found in the first-level cache. */
const BLOCK: i32 = 256;

const LN2_HIGH: f64 = 6.9314718036912381649e-1;
const LN2_LOW: f64 = 1.90821492927058770002e-10;
const SMALLEST_NORMAL: f64 = 2.2250738585072014e-308;

/**
 * log(2^offset·x) for normal positive x, two at a time: x = 2ᵏ·(1 + f) with
 * √½ ≤ 1 + f < √2, and log(1 + f) = f − (½f² − s·(½f² + R(s²))), s = f / (2 + f), with the polynomial R of FDLIBM's e_log.c. @inline
 */
function logarithmPair(x: v128, offset: f64): v128 {
  // Bits of 1 less those of √½: what is added to make the exponent field jump at √½ instead of at 1.
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
    const pairs = ordinaryPairs(min(n - i, BLOCK) >> 1, at(x, i));
    if (pairs > 0) {
      logarithmPairs(pairs, at(x, i), at(y, i));
      i += pairs << 1;
    } else {
      store<f64>(at(y, i), logarithmAnywhere(load<f64>(at(x, i))));
      i++;
    }
  }
}

/** How many pairs, of the first few, need no special care. */
function ordinaryPairs(most: i32, x: usize): i32 {
  const lowest = f64x2.splat(SMALLEST_NORMAL);
  const highest = f64x2.splat(f64.MAX_VALUE);
  let pair = 0;
  while (pair < most && isOrdinary(v128.load(at(x, pair << 1)), lowest, highest)) pair++;
  return pair;
}

function isOrdinary(pair: v128, lowest: v128, highest: v128): bool {
  return i64x2.all_true(v128.and(f64x2.ge(pair, lowest), f64x2.le(pair, highest)));
}

/** No condition before the body of the loop: V8 keeps constants in registers only then, which halves the time. */
function logarithmPairs(pairs: i32, x: usize, y: usize): void {
  do {
    v128.store(y, logarithmPair(v128.load(x), 0.0));
    x += 16;
    y += 16;
  } while (--pairs);
}
