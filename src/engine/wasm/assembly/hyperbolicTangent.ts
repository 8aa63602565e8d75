import { exponentialPair } from './exponential';

/** From here on tanh rounds to ±1. */
const SATURATED: f64 = 22.0;
/** Below it a rational approximation keeps the relative error small, above it 1 − 2/(e²ˣ + 1) does. */
const SMALL: f64 = 0.625;

/** tanh(x), two at a time: the small case is that of Moshier's Cephes (tanh.c); both cases share one division. @inline */
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
