import { multiplyAdd } from './multiplyAdd';

/**
 * C ← C + A·B, or C ← A·B without `accumulate`, for a 4×4 tile: A and B packed in slivers of four, C row-major with rows
 * `rowBytes` apart. The loop does two steps, with a branch between them on purpose: V8 moves the loads of an unrolled body
 * without one above all arithmetic, runs out of registers and spills, which costs a third of the speed.
 */
export function multiplyTile(depth: i32, a: usize, b: usize, c: usize, rowBytes: i32, accumulate: bool): void {
  let c00 = f64x2.splat(0);
  let c01 = f64x2.splat(0);
  let c10 = f64x2.splat(0);
  let c11 = f64x2.splat(0);
  let c20 = f64x2.splat(0);
  let c21 = f64x2.splat(0);
  let c30 = f64x2.splat(0);
  let c31 = f64x2.splat(0);
  do {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    let x = v128.load_splat<f64>(a);
    c00 = multiplyAdd(x, b0, c00);
    c01 = multiplyAdd(x, b1, c01);
    x = v128.load_splat<f64>(a, 8);
    c10 = multiplyAdd(x, b0, c10);
    c11 = multiplyAdd(x, b1, c11);
    x = v128.load_splat<f64>(a, 16);
    c20 = multiplyAdd(x, b0, c20);
    c21 = multiplyAdd(x, b1, c21);
    x = v128.load_splat<f64>(a, 24);
    c30 = multiplyAdd(x, b0, c30);
    c31 = multiplyAdd(x, b1, c31);
    if (depth == 1) break;
    const d0 = v128.load(b, 32);
    const d1 = v128.load(b, 48);
    x = v128.load_splat<f64>(a, 32);
    c00 = multiplyAdd(x, d0, c00);
    c01 = multiplyAdd(x, d1, c01);
    x = v128.load_splat<f64>(a, 40);
    c10 = multiplyAdd(x, d0, c10);
    c11 = multiplyAdd(x, d1, c11);
    x = v128.load_splat<f64>(a, 48);
    c20 = multiplyAdd(x, d0, c20);
    c21 = multiplyAdd(x, d1, c21);
    x = v128.load_splat<f64>(a, 56);
    c30 = multiplyAdd(x, d0, c30);
    c31 = multiplyAdd(x, d1, c31);
    a += 64;
    b += 64;
    depth -= 2;
  } while (depth);
  const c1: usize = c + rowBytes;
  const c2: usize = c1 + rowBytes;
  const c3: usize = c2 + rowBytes;
  if (accumulate) {
    c00 = f64x2.add(v128.load(c), c00);
    c01 = f64x2.add(v128.load(c, 16), c01);
    c10 = f64x2.add(v128.load(c1), c10);
    c11 = f64x2.add(v128.load(c1, 16), c11);
    c20 = f64x2.add(v128.load(c2), c20);
    c21 = f64x2.add(v128.load(c2, 16), c21);
    c30 = f64x2.add(v128.load(c3), c30);
    c31 = f64x2.add(v128.load(c3, 16), c31);
  }
  v128.store(c, c00);
  v128.store(c, c01, 16);
  v128.store(c1, c10);
  v128.store(c1, c11, 16);
  v128.store(c2, c20);
  v128.store(c2, c21, 16);
  v128.store(c3, c30);
  v128.store(c3, c31, 16);
}
