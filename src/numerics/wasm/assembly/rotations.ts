/** Sweeps that are collected before they are applied to the vectors, two at a time. */
export const SWEEPS: i32 = 32;

/** Columns of the vectors that are worked on together, copied to rows of 128 bytes. */
const STRIP: i32 = 16;

/**
 * Applies sweeps of plane rotations to the rows of z (n×n, row-major). Sweep s has a (cosine, sine) pair for row i at
 * `rotations` + 16·(s·n + i), for i from `first` to before `last`, a pair of i32 at `ranges` + 8·s. Both hold one
 * sweep more than SWEEPS; `strip` holds 16·n numbers.
 */
export function applyRotations(n: i32, z: usize, rotations: usize, strip: usize, ranges: usize, sweeps: i32): void {
  let low = n;
  let high = 0;
  for (let s = 0; s < sweeps; s++) {
    low = min(low, load<i32>(ranges + (s << 3)));
    high = max(high, load<i32>(ranges + (s << 3), 4));
  }
  if (sweeps & 1) {
    store<i32>(ranges + (sweeps << 3), low);
    store<i32>(ranges + (sweeps << 3), low, 4);
    sweeps++;
  }
  for (let s = 0; s < sweeps; s += 2) alignPair(n, rotations + ((s * n) << 4), ranges + (s << 3));
  for (let j = 0; j < n; j += STRIP) {
    const width = min(STRIP, n - j);
    for (let i = low; i <= high; i++) memory.copy(strip + (i << 7), z + ((i * n + j) << 3), width << 3);
    for (let s = 0; s < sweeps; s += 2) {
      const first = load<i32>(ranges + (s << 3));
      const last = load<i32>(ranges + (s << 3), 4);
      if (last <= first) continue;
      const one: usize = rotations + ((s * n) << 4);
      for (let g = 0; g < width; g += 4) rotatePair(first, last, one, one + (n << 4), strip + (g << 3));
    }
    for (let i = low; i <= high; i++) memory.copy(z + ((i * n + j) << 3), strip + (i << 7), width << 3);
  }
}

/** Fills two sweeps up to a common range with rotations by nothing. */
function alignPair(n: i32, rotations: usize, ranges: usize): void {
  const first1 = load<i32>(ranges);
  const last1 = load<i32>(ranges, 4);
  const first2 = load<i32>(ranges, 8);
  const last2 = load<i32>(ranges, 12);
  const empty2 = last2 <= first2;
  const first = empty2 ? first1 : min(first1, first2);
  const last = empty2 ? last1 : max(last1, last2);
  for (let i = first; i < last; i++) {
    const one: usize = rotations + (i << 4);
    const two: usize = one + (n << 4);
    if (i < first1 || i >= last1) {
      store<f64>(one, 1.0);
      store<f64>(one, 0.0, 8);
    }
    if (i < first2 || i >= last2) {
      store<f64>(two, 1.0);
      store<f64>(two, 0.0, 8);
    }
  }
  store<i32>(ranges, first);
  store<i32>(ranges, last, 4);
}

/**
 * Two sweeps over rows `first` to `last` of four columns, from the last row up, in one pass: the second follows one row behind the
 * first, so that every row is loaded and stored once. `a` is the row that waits for the first sweep's next rotation, `b` the one
 * that waits for the second's.
 */
function rotatePair(first: i32, last: i32, sweep1: usize, sweep2: usize, strip: usize): void {
  let p: usize = strip + (last << 7);
  let r1: usize = sweep1 + ((last - 1) << 4);
  let r2: usize = sweep2 + ((last - 1) << 4);
  let a0 = v128.load(p);
  let a1 = v128.load(p, 16);
  p -= 128;
  let c = v128.load_splat<f64>(r1);
  let s = v128.load_splat<f64>(r1, 8);
  let z0 = v128.load(p);
  let z1 = v128.load(p, 16);
  let b0 = f64x2.add(f64x2.mul(s, z0), f64x2.mul(c, a0));
  let b1 = f64x2.add(f64x2.mul(s, z1), f64x2.mul(c, a1));
  a0 = f64x2.sub(f64x2.mul(c, z0), f64x2.mul(s, a0));
  a1 = f64x2.sub(f64x2.mul(c, z1), f64x2.mul(s, a1));
  for (let i = last - 2; i >= first; i--) {
    r1 -= 16;
    p -= 128;
    z0 = v128.load(p);
    z1 = v128.load(p, 16);
    c = v128.load_splat<f64>(r1);
    s = v128.load_splat<f64>(r1, 8);
    const u0 = f64x2.add(f64x2.mul(s, z0), f64x2.mul(c, a0));
    const u1 = f64x2.add(f64x2.mul(s, z1), f64x2.mul(c, a1));
    a0 = f64x2.sub(f64x2.mul(c, z0), f64x2.mul(s, a0));
    a1 = f64x2.sub(f64x2.mul(c, z1), f64x2.mul(s, a1));
    c = v128.load_splat<f64>(r2);
    s = v128.load_splat<f64>(r2, 8);
    r2 -= 16;
    v128.store(p, f64x2.add(f64x2.mul(s, u0), f64x2.mul(c, b0)), 256);
    v128.store(p, f64x2.add(f64x2.mul(s, u1), f64x2.mul(c, b1)), 272);
    b0 = f64x2.sub(f64x2.mul(c, u0), f64x2.mul(s, b0));
    b1 = f64x2.sub(f64x2.mul(c, u1), f64x2.mul(s, b1));
  }
  c = v128.load_splat<f64>(r2);
  s = v128.load_splat<f64>(r2, 8);
  v128.store(p, f64x2.add(f64x2.mul(s, a0), f64x2.mul(c, b0)), 128);
  v128.store(p, f64x2.add(f64x2.mul(s, a1), f64x2.mul(c, b1)), 144);
  v128.store(p, f64x2.sub(f64x2.mul(c, a0), f64x2.mul(s, b0)));
  v128.store(p, f64x2.sub(f64x2.mul(c, a1), f64x2.mul(s, b1)), 16);
}
