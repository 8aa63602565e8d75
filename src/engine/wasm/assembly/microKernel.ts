import { multiplyAdd } from './vectors';

/** The same as the next function for a single tile of doubles. */
export function multiplyTile(depth: i32, a: usize, b: usize, c: usize, rowBytes: i32, accumulate: bool): void {
  multiplyTiles<f64>(1, depth, a, b, c, rowBytes, accumulate);
}

/**
 * C ← C + A·B, or C ← A·B without `accumulate`, for `count` tiles below each other: of 4×4 doubles, or of 4×8 numbers in single precision. C is
 * row-major. A step reads 32 bytes of A, using the first four numbers, and 32 bytes of B; the slivers of A are adjacent. A step has 22 instructions,
 * which leaves no slack on a processor that starts six per cycle, so the loop is written for V8's code generator. It consists of four steps with
 * deliberate branches between them: in an unrolled body without branches, V8 moves all loads above the arithmetic, runs out of registers and spills.
 * `a` advances at each step, since a splat with a different offset costs an extra instruction. Masks without effect show V8 that addresses have 32
 * bits, which it would otherwise ensure by copies.
 */
export function multiplyTiles<T>(
  count: i32,
  depth: i32,
  a: usize,
  b: usize,
  c: usize,
  rowBytes: i32,
  accumulate: bool,
): void {
  a &= ~(sizeof<T>() - 1);
  let end = a;
  do {
    end += depth << 5;
    let q: usize = b & ~(sizeof<T>() - 1);
    let c00 = v128.splat<T>(0);
    let c01 = v128.splat<T>(0);
    let c10 = v128.splat<T>(0);
    let c11 = v128.splat<T>(0);
    let c20 = v128.splat<T>(0);
    let c21 = v128.splat<T>(0);
    let c30 = v128.splat<T>(0);
    let c31 = v128.splat<T>(0);
    do {
      let b0 = v128.load(q);
      let b1 = v128.load(q, 16);
      let a0 = v128.load_splat<T>(a);
      let a1 = v128.load_splat<T>(a, sizeof<T>());
      let a2 = v128.load_splat<T>(a, 2 * sizeof<T>());
      let a3 = v128.load_splat<T>(a, 3 * sizeof<T>());
      c00 = multiplyAdd<T>(a0, b0, c00);
      c10 = multiplyAdd<T>(a1, b0, c10);
      c20 = multiplyAdd<T>(a2, b0, c20);
      c30 = multiplyAdd<T>(a3, b0, c30);
      c01 = multiplyAdd<T>(a0, b1, c01);
      c11 = multiplyAdd<T>(a1, b1, c11);
      c21 = multiplyAdd<T>(a2, b1, c21);
      c31 = multiplyAdd<T>(a3, b1, c31);
      a += 32;
      if (a == end) break;
      b0 = v128.load(q, 32);
      b1 = v128.load(q, 48);
      a0 = v128.load_splat<T>(a);
      a1 = v128.load_splat<T>(a, sizeof<T>());
      a2 = v128.load_splat<T>(a, 2 * sizeof<T>());
      a3 = v128.load_splat<T>(a, 3 * sizeof<T>());
      c00 = multiplyAdd<T>(a0, b0, c00);
      c10 = multiplyAdd<T>(a1, b0, c10);
      c20 = multiplyAdd<T>(a2, b0, c20);
      c30 = multiplyAdd<T>(a3, b0, c30);
      c01 = multiplyAdd<T>(a0, b1, c01);
      c11 = multiplyAdd<T>(a1, b1, c11);
      c21 = multiplyAdd<T>(a2, b1, c21);
      c31 = multiplyAdd<T>(a3, b1, c31);
      a += 32;
      if (a == end) break;
      b0 = v128.load(q, 64);
      b1 = v128.load(q, 80);
      a0 = v128.load_splat<T>(a);
      a1 = v128.load_splat<T>(a, sizeof<T>());
      a2 = v128.load_splat<T>(a, 2 * sizeof<T>());
      a3 = v128.load_splat<T>(a, 3 * sizeof<T>());
      c00 = multiplyAdd<T>(a0, b0, c00);
      c10 = multiplyAdd<T>(a1, b0, c10);
      c20 = multiplyAdd<T>(a2, b0, c20);
      c30 = multiplyAdd<T>(a3, b0, c30);
      c01 = multiplyAdd<T>(a0, b1, c01);
      c11 = multiplyAdd<T>(a1, b1, c11);
      c21 = multiplyAdd<T>(a2, b1, c21);
      c31 = multiplyAdd<T>(a3, b1, c31);
      a += 32;
      if (a == end) break;
      b0 = v128.load(q, 96);
      b1 = v128.load(q, 112);
      a0 = v128.load_splat<T>(a);
      a1 = v128.load_splat<T>(a, sizeof<T>());
      a2 = v128.load_splat<T>(a, 2 * sizeof<T>());
      a3 = v128.load_splat<T>(a, 3 * sizeof<T>());
      c00 = multiplyAdd<T>(a0, b0, c00);
      c10 = multiplyAdd<T>(a1, b0, c10);
      c20 = multiplyAdd<T>(a2, b0, c20);
      c30 = multiplyAdd<T>(a3, b0, c30);
      c01 = multiplyAdd<T>(a0, b1, c01);
      c11 = multiplyAdd<T>(a1, b1, c11);
      c21 = multiplyAdd<T>(a2, b1, c21);
      c31 = multiplyAdd<T>(a3, b1, c31);
      a += 32;
      q += 128;
    } while (a != end);
    const c1: usize = c + rowBytes;
    const c2: usize = c1 + rowBytes;
    const c3: usize = c2 + rowBytes;
    if (accumulate) {
      c00 = v128.add<T>(v128.load(c), c00);
      c01 = v128.add<T>(v128.load(c, 16), c01);
      c10 = v128.add<T>(v128.load(c1), c10);
      c11 = v128.add<T>(v128.load(c1, 16), c11);
      c20 = v128.add<T>(v128.load(c2), c20);
      c21 = v128.add<T>(v128.load(c2, 16), c21);
      c30 = v128.add<T>(v128.load(c3), c30);
      c31 = v128.add<T>(v128.load(c3, 16), c31);
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
