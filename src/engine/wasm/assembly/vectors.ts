export function lanes(v: v128): f64 {
  return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1);
}

/** x·y + z in vectors of type T, rounded twice: the same bits on every machine, unlike a fused multiply-add. @inline */
export function multiplyAdd<T = f64>(x: v128, y: v128, z: v128): v128 {
  return v128.add<T>(v128.mul<T>(x, y), z);
}

/** Address of entry i. */
export function at(p: usize, i: i32): usize {
  return p + (i << 3);
}

/** xᵀy, both contiguous. */
export function dot(n: i32, x: usize, y: usize): f64 {
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 = multiplyAdd(v128.load(x), v128.load(y), s0);
    s1 = multiplyAdd(v128.load(x, 16), v128.load(y, 16), s1);
    x += 32;
    y += 32;
  }
  let s = lanes(f64x2.add(s0, s1));
  for (; i < n; i++) {
    s += load<f64>(x) * load<f64>(y);
    x += 8;
    y += 8;
  }
  return s;
}

/** y ← y + factor·x, both contiguous. */
export function addScaled(n: i32, factor: f64, x: usize, y: usize): void {
  const factors = f64x2.splat(factor);
  let i = 0;
  for (; i + 2 <= n; i += 2) {
    v128.store(y, multiplyAdd(factors, v128.load(x), v128.load(y)));
    x += 16;
    y += 16;
  }
  if (i < n) store<f64>(y, load<f64>(y) + factor * load<f64>(x));
}

/** x ← factor·x, contiguous. */
export function scaleVector(n: i32, factor: f64, x: usize): void {
  const factors = f64x2.splat(factor);
  let i = 0;
  for (; i + 2 <= n; i += 2) {
    v128.store(x, f64x2.mul(factors, v128.load(x)));
    x += 16;
  }
  if (i < n) store<f64>(x, factor * load<f64>(x));
}
