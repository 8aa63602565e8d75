import { multiplyAdd } from './vectors';

/** C ← C + A·B, or C ← A·B without `accumulate`, for a 4×4 tile: A and B packed in slivers of four, C row-major. */
export function multiplyTile(depth: i32, a: usize, b: usize, c: usize, rowBytes: i32, accumulate: bool): void {
  multiplyTiles(1, depth, a, b, c, rowBytes, accumulate);
}

/**
 * The same for `count` tiles below each other, of which one sliver of A follows the other. A step has 22 instructions, and a processor that starts six a cycle no time for more, so the loop is
 * written for what V8 makes of it: four steps, with a branch between them on purpose, as V8 moves the loads of an unrolled body without
 * one above all arithmetic, runs out of registers and spills; `a` moves at each step, since the offset of a splat costs an instruction
 * unless it is that of the other steps; and masks that change nothing tell V8 that addresses have 32 bits, which it ensures by copies.
 */
export function multiplyTiles(
  count: i32,
  depth: i32,
  a: usize,
  b: usize,
  c: usize,
  rowBytes: i32,
  accumulate: bool,
): void {
  a &= ~7;
  let end = a;
  do {
    end += depth << 5;
    let q: usize = b & ~7;
    let c00 = f64x2.splat(0);
    let c01 = f64x2.splat(0);
    let c10 = f64x2.splat(0);
    let c11 = f64x2.splat(0);
    let c20 = f64x2.splat(0);
    let c21 = f64x2.splat(0);
    let c30 = f64x2.splat(0);
    let c31 = f64x2.splat(0);
    do {
      let b0 = v128.load(q);
      let b1 = v128.load(q, 16);
      let a0 = v128.load_splat<f64>(a);
      let a1 = v128.load_splat<f64>(a, 8);
      let a2 = v128.load_splat<f64>(a, 16);
      let a3 = v128.load_splat<f64>(a, 24);
      c00 = multiplyAdd(a0, b0, c00);
      c10 = multiplyAdd(a1, b0, c10);
      c20 = multiplyAdd(a2, b0, c20);
      c30 = multiplyAdd(a3, b0, c30);
      c01 = multiplyAdd(a0, b1, c01);
      c11 = multiplyAdd(a1, b1, c11);
      c21 = multiplyAdd(a2, b1, c21);
      c31 = multiplyAdd(a3, b1, c31);
      a += 32;
      if (a == end) break;
      b0 = v128.load(q, 32);
      b1 = v128.load(q, 48);
      a0 = v128.load_splat<f64>(a);
      a1 = v128.load_splat<f64>(a, 8);
      a2 = v128.load_splat<f64>(a, 16);
      a3 = v128.load_splat<f64>(a, 24);
      c00 = multiplyAdd(a0, b0, c00);
      c10 = multiplyAdd(a1, b0, c10);
      c20 = multiplyAdd(a2, b0, c20);
      c30 = multiplyAdd(a3, b0, c30);
      c01 = multiplyAdd(a0, b1, c01);
      c11 = multiplyAdd(a1, b1, c11);
      c21 = multiplyAdd(a2, b1, c21);
      c31 = multiplyAdd(a3, b1, c31);
      a += 32;
      if (a == end) break;
      b0 = v128.load(q, 64);
      b1 = v128.load(q, 80);
      a0 = v128.load_splat<f64>(a);
      a1 = v128.load_splat<f64>(a, 8);
      a2 = v128.load_splat<f64>(a, 16);
      a3 = v128.load_splat<f64>(a, 24);
      c00 = multiplyAdd(a0, b0, c00);
      c10 = multiplyAdd(a1, b0, c10);
      c20 = multiplyAdd(a2, b0, c20);
      c30 = multiplyAdd(a3, b0, c30);
      c01 = multiplyAdd(a0, b1, c01);
      c11 = multiplyAdd(a1, b1, c11);
      c21 = multiplyAdd(a2, b1, c21);
      c31 = multiplyAdd(a3, b1, c31);
      a += 32;
      if (a == end) break;
      b0 = v128.load(q, 96);
      b1 = v128.load(q, 112);
      a0 = v128.load_splat<f64>(a);
      a1 = v128.load_splat<f64>(a, 8);
      a2 = v128.load_splat<f64>(a, 16);
      a3 = v128.load_splat<f64>(a, 24);
      c00 = multiplyAdd(a0, b0, c00);
      c10 = multiplyAdd(a1, b0, c10);
      c20 = multiplyAdd(a2, b0, c20);
      c30 = multiplyAdd(a3, b0, c30);
      c01 = multiplyAdd(a0, b1, c01);
      c11 = multiplyAdd(a1, b1, c11);
      c21 = multiplyAdd(a2, b1, c21);
      c31 = multiplyAdd(a3, b1, c31);
      a += 32;
      q += 128;
    } while (a != end);
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
    c = c3 + rowBytes;
  } while (--count);
}
