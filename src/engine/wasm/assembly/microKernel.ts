import { performParts } from './team';
import { multiplyAdd } from './vectors';

/** Points in a group: of each coordinate the eight numbers lie side by side. */
const GROUP: i32 = 8;
/** Groups of columns of a part: few enough that products stay in the cache from layer to layer, and that threads end together. */
const PART: i32 = 16;

/** Points `first` … first + 8·groups − 1 of n, whose products with these and all points after them go to C. */
@unmanaged
export class SingleProducts {
  first: i32;
  groups: i32;
  n: i32;
  columns: i32;
  /** Coordinates of a layer, at most. */
  layer: i32;
  packed: usize;
  c: usize;
}

/**
 * Products of points in single precision: C is row-major, with rows n long that begin with point `first`. The points are packed in layers; a layer has groups of eight points. Every
 * product is summed in the order of the coordinates of a layer, and then layer by layer.
 */
export function singleProducts(p: SingleProducts): void {
  const columnGroups = (p.n - p.first) / GROUP;
  const multiplications = 64.0 * p.groups * columnGroups * p.columns;
  performParts(singlePart, (columnGroups + PART - 1) / PART, changetype<usize>(p), multiplications);
}

function singlePart(part: i32, record: usize): void {
  const p = changetype<SingleProducts>(record);
  const n = p.n;
  const first = p.first;
  const columns = p.columns;
  const groups = p.groups;
  const start = part * PART;
  const end = min(start + PART, (n - first) / GROUP);
  const rowBytes = n << 2;
  for (let d = 0; d < columns; d += p.layer) {
    const depth = min(p.layer, columns - d);
    const groupBytes = depth << 5;
    const own: usize = p.packed + ((n * d + first * depth) << 2);
    for (let j = start; j < end; j++) {
      const others: usize = own + j * groupBytes;
      for (let i = 0; i < groups; i++) {
        const rows: usize = own + i * groupBytes;
        const target: usize = p.c + (j << 5) + i * GROUP * rowBytes;
        // The four numbers that a step of the second tile takes lie 16 bytes after those of the first.
        multiplyTiles<f32>(1, depth, rows, others, target, rowBytes, d > 0);
        multiplyTiles<f32>(1, depth, rows + 16, others, target + 4 * rowBytes, rowBytes, d > 0);
      }
    }
  }
}

/** The next function for a single tile of doubles. */
export function multiplyTile(depth: i32, a: usize, b: usize, c: usize, rowBytes: i32, accumulate: bool): void {
  multiplyTiles<f64>(1, depth, a, b, c, rowBytes, accumulate);
}

/**
 * C ← C + A·B, or C ← A·B without `accumulate`, for `count` tiles below each other: of 4×4 doubles, or of 4×8 numbers in single precision. C is row-major;
 * a step takes 32 bytes of A, of which the first four numbers count, and 32 bytes of B, and one sliver of A follows the other. A step has 22 instructions, and a processor that starts six a cycle no time for more, so the loop is
 * written for what V8 makes of it: four steps, with a branch between them on purpose, as V8 moves the loads of an unrolled body without
 * one above all arithmetic, runs out of registers and spills; `a` moves at each step, since the offset of a splat costs an instruction
 * unless it is that of the other steps; and masks that change nothing tell V8 that addresses have 32 bits, which it ensures by copies.
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
