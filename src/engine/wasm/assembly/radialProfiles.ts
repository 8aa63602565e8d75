import { exponential, logarithm } from './exponential';
import { at } from './vectors';

// The profiles f of a radial covariance f(s), s = ‖x − x'‖², by the numbers that `radialKernels.ts` gives them.
const THIN_PLATE_1: i32 = 1;
const THIN_PLATE_2: i32 = 2;
const THIN_PLATE_3: i32 = 3;
const THIN_PLATE_4: i32 = 4;
const MATERN_12: i32 = 5;
const MATERN_32: i32 = 6;
const MATERN_52: i32 = 7;
const RBF: i32 = 8;

/** Factor of the squared distances in their computation: an rbf uses −s/2, which saves a pass; the others use s. */
export function distanceFactor(profile: i32): f64 {
  return profile === RBF ? -0.5 : 1.0;
}

/** s ← f(s) for a number of pairs of squared distances times `distanceFactor`, at least one; `work` has the same size. */
export function profileValues(profile: i32, pairs: i32, s: usize, work: usize): void {
  switch (profile) {
    case THIN_PLATE_1: {
      timesRoot(pairs, s);
      return;
    }
    case THIN_PLATE_2: {
      logarithm(pairs << 1, s, work);
      halfLogarithm(pairs, s, work, true, 0.0);
      return;
    }
    case THIN_PLATE_3: {
      scaledRoot(pairs, 1.0, s, s);
      return;
    }
    case THIN_PLATE_4: {
      logarithm(pairs << 1, s, work);
      halfLogarithm(pairs, s, work, false, 0.0);
      return;
    }
    case MATERN_12: {
      decay(pairs, 1.0, s, work);
      polynomialTimes(pairs, 1.0, 0.0, 0.0, s, work);
      return;
    }
    case MATERN_32: {
      decay(pairs, 3.0, s, work);
      polynomialTimes(pairs, 1.0, 1.0, 0.0, s, work);
      return;
    }
    case MATERN_52: {
      decay(pairs, 5.0, s, work);
      polynomialTimes(pairs, 1.0, 1.0, 1.0 / 3.0, s, work);
      return;
    }
    case RBF: {
      exponential(pairs << 1, s, s);
      return;
    }
    default:
      unreachable();
  }
}

/** s ← f′(s) for the same, finite everywhere: 0 at s = 0 if there is no derivative. */
export function profileSlopes(profile: i32, pairs: i32, s: usize, work: usize): void {
  switch (profile) {
    case THIN_PLATE_1: {
      scaledRoot(pairs, 2.25, s, s);
      return;
    }
    case THIN_PLATE_2: {
      logarithm(pairs << 1, s, work);
      halfLogarithm(pairs, s, work, false, 1.0);
      return;
    }
    case THIN_PLATE_3: {
      halfReciprocal(pairs, true, s);
      return;
    }
    case THIN_PLATE_4: {
      halfReciprocal(pairs, false, s);
      return;
    }
    case MATERN_12: {
      decay(pairs, 1.0, s, work);
      halfReciprocalTimes(pairs, s, work);
      return;
    }
    case MATERN_32: {
      decay(pairs, 3.0, s, work);
      polynomialTimes(pairs, -1.5, 0.0, 0.0, s, work);
      return;
    }
    case MATERN_52: {
      decay(pairs, 5.0, s, work);
      polynomialTimes(pairs, -5.0 / 6.0, -5.0 / 6.0, 0.0, s, work);
      return;
    }
    case RBF: {
      exponential(pairs << 1, s, s);
      scale(pairs, -0.5, s);
      return;
    }
    default:
      unreachable();
  }
}

/** s ← factor·s. */
function scale(pairs: i32, factor: f64, s: usize): void {
  const factors = f64x2.splat(factor);
  do {
    v128.store(s, f64x2.mul(factors, v128.load(s)));
    s += 16;
  } while (--pairs);
}

/** s ← s·√s. */
function timesRoot(pairs: i32, s: usize): void {
  do {
    const x = v128.load(s);
    v128.store(s, f64x2.mul(x, f64x2.sqrt(x)));
    s += 16;
  } while (--pairs);
}

/** root ← √(factor·s). */
function scaledRoot(pairs: i32, factor: f64, s: usize, root: usize): void {
  const factors = f64x2.splat(factor);
  do {
    v128.store(root, f64x2.sqrt(f64x2.mul(factors, v128.load(s))));
    s += 16;
    root += 16;
  } while (--pairs);
}

/** s ← ½·(l + shift), with `times` ½·s·(l + shift), where s > 0; l = log s is an input. */
function halfLogarithm(pairs: i32, s: usize, l: usize, times: bool, shift: f64): void {
  const half = f64x2.splat(0.5);
  const shifts = f64x2.splat(shift);
  do {
    const x = v128.load(s);
    const weight = times ? f64x2.mul(half, x) : half;
    const value = f64x2.mul(weight, f64x2.add(v128.load(l), shifts));
    v128.store(s, v128.bitselect(value, x, f64x2.gt(x, f64x2.splat(0))));
    s += 16;
    l += 16;
  } while (--pairs);
}

/** s ← 1/(2s), or 1/(2·√s), where s > 0. */
function halfReciprocal(pairs: i32, ofRoot: bool, s: usize): void {
  const half = f64x2.splat(0.5);
  do {
    const x = v128.load(s);
    const value = f64x2.div(half, ofRoot ? f64x2.sqrt(x) : x);
    v128.store(s, v128.bitselect(value, x, f64x2.gt(x, f64x2.splat(0))));
    s += 16;
  } while (--pairs);
}

/** s ← a = √(factor·s), e ← exp(−a). */
function decay(pairs: i32, factor: f64, s: usize, e: usize): void {
  scaledRoot(pairs, factor, s, s);
  for (let i = 0; i < pairs << 1; i += 2) v128.store(at(e, i), f64x2.neg(v128.load(at(s, i))));
  exponential(pairs << 1, e, e);
}

/** a ← (c0 + c1·a + c2·a²)·e. */
function polynomialTimes(pairs: i32, c0: f64, c1: f64, c2: f64, a: usize, e: usize): void {
  const constants = f64x2.splat(c0);
  const slopes = f64x2.splat(c1);
  const squares = f64x2.splat(c2);
  do {
    const x = v128.load(a);
    const polynomial = f64x2.add(constants, f64x2.mul(x, f64x2.add(slopes, f64x2.mul(squares, x))));
    v128.store(a, f64x2.mul(polynomial, v128.load(e)));
    a += 16;
    e += 16;
  } while (--pairs);
}

/** a ← −e/(2a), 0 where a is not positive. */
function halfReciprocalTimes(pairs: i32, a: usize, e: usize): void {
  const half = f64x2.splat(-0.5);
  do {
    const x = v128.load(a);
    const value = f64x2.div(f64x2.mul(half, v128.load(e)), x);
    v128.store(a, v128.and(value, f64x2.gt(x, f64x2.splat(0))));
    a += 16;
    e += 16;
  } while (--pairs);
}
