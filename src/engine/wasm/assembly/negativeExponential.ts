import { at, multiplyAdd } from './vectors';

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
/** 64/ln 2: what exponents are multiplied with before they come here, so that none of their digits is lost in taking whole steps away. */
export const STEPS_PER_UNIT: f64 = 92.33248261689366;
/** Adding it rounds to an integer, which is then in the low bits. */
const ROUNDER: f64 = 6755399441055744.0;
/** −700 in steps: what is below counts as it, 10⁻³⁰⁴, so that all results are normal numbers. */
const LEAST: f64 = -64632.73783182556;

/**
 * x ← 2^((x + y)/64), `n` entries, a multiple of 2. Sums above 0, where only rounding takes exponents that are not positive, count as 0. With
 * x + y = 64·e + k + f it is 2^e·2^(k/64)·2^(f/64), the last a polynomial of degree 5 for |f| ≤ ½: half of the arithmetic of `exponential`, within
 * 1.5 units of the last place.
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
  // Pseudo-minimum and pseudo-maximum leave NaN where it stands.
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
