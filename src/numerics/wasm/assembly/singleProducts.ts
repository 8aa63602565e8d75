import { multiplyAddSingle } from './multiplyAdd';
import { startOf } from './parts';
import { isWorthSharing, operands, partsAlong, shareOut } from './team';

/** Points in a group: of each coordinate the eight numbers lie side by side. */
const GROUP: i32 = 8;
/** Groups of columns that a shared part should have. */
const LEAST_SHARED: i32 = 4;

/**
 * C ← A·Bᵀ in single precision, added to C with `accumulate`: A and B are groups of eight points, of `depth` coordinates each, C is
 * row-major with rows `rowBytes` apart. Every entry is summed in the order of the coordinates.
 */
export function singleProducts(
  groups: i32,
  columnGroups: i32,
  depth: i32,
  a: usize,
  b: usize,
  c: usize,
  rowBytes: i32,
  accumulate: bool,
): void {
  if (ASC_FEATURE_THREADS) {
    const parts = partsAlong(columnGroups, LEAST_SHARED);
    if (parts > 1 && isWorthSharing(64.0 * groups * columnGroups * depth)) {
      const product = changetype<SingleProduct>(operands());
      product.parts = parts;
      product.groups = groups;
      product.columnGroups = columnGroups;
      product.depth = depth;
      product.a = a;
      product.b = b;
      product.c = c;
      product.rowBytes = rowBytes;
      product.accumulate = accumulate;
      shareOut(singlePart, parts);
      return;
    }
  }
  tiles(groups, 0, columnGroups, depth, a, b, c, rowBytes, accumulate);
}

/** Such a product as the threads of a team find it. */
@unmanaged
class SingleProduct {
  parts: i32;
  groups: i32;
  columnGroups: i32;
  depth: i32;
  a: usize;
  b: usize;
  c: usize;
  rowBytes: i32;
  accumulate: bool;
}

function singlePart(number: i32): void {
  const p = changetype<SingleProduct>(operands());
  const start = startOf(number, p.parts, p.columnGroups, 1);
  const end = startOf(number + 1, p.parts, p.columnGroups, 1);
  tiles(p.groups, start, end, p.depth, p.a, p.b, p.c, p.rowBytes, p.accumulate);
}

function tiles(
  groups: i32,
  start: i32,
  end: i32,
  depth: i32,
  a: usize,
  b: usize,
  c: usize,
  rowBytes: i32,
  accumulate: bool,
): void {
  const groupBytes = depth << 5;
  for (let j = start; j < end; j++) {
    const columns: usize = b + j * groupBytes;
    const corner: usize = c + (j << 5);
    for (let i = 0; i < groups; i++) {
      const rows: usize = a + i * groupBytes;
      const target: usize = corner + i * GROUP * rowBytes;
      singleTile(depth, rows, columns, target, rowBytes, accumulate);
      singleTile(depth, rows + 16, columns, target + 4 * rowBytes, rowBytes, accumulate);
    }
  }
}

/** A tile of four rows and eight columns; the branch between two steps is there for the reason that `multiplyTile` gives. */
function singleTile(depth: i32, a: usize, b: usize, c: usize, rowBytes: i32, accumulate: bool): void {
  let c00 = f32x4.splat(0);
  let c01 = f32x4.splat(0);
  let c10 = f32x4.splat(0);
  let c11 = f32x4.splat(0);
  let c20 = f32x4.splat(0);
  let c21 = f32x4.splat(0);
  let c30 = f32x4.splat(0);
  let c31 = f32x4.splat(0);
  do {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    let x = v128.load_splat<f32>(a);
    c00 = multiplyAddSingle(x, b0, c00);
    c01 = multiplyAddSingle(x, b1, c01);
    x = v128.load_splat<f32>(a, 4);
    c10 = multiplyAddSingle(x, b0, c10);
    c11 = multiplyAddSingle(x, b1, c11);
    x = v128.load_splat<f32>(a, 8);
    c20 = multiplyAddSingle(x, b0, c20);
    c21 = multiplyAddSingle(x, b1, c21);
    x = v128.load_splat<f32>(a, 12);
    c30 = multiplyAddSingle(x, b0, c30);
    c31 = multiplyAddSingle(x, b1, c31);
    if (depth == 1) break;
    const d0 = v128.load(b, 32);
    const d1 = v128.load(b, 48);
    x = v128.load_splat<f32>(a, 32);
    c00 = multiplyAddSingle(x, d0, c00);
    c01 = multiplyAddSingle(x, d1, c01);
    x = v128.load_splat<f32>(a, 36);
    c10 = multiplyAddSingle(x, d0, c10);
    c11 = multiplyAddSingle(x, d1, c11);
    x = v128.load_splat<f32>(a, 40);
    c20 = multiplyAddSingle(x, d0, c20);
    c21 = multiplyAddSingle(x, d1, c21);
    x = v128.load_splat<f32>(a, 44);
    c30 = multiplyAddSingle(x, d0, c30);
    c31 = multiplyAddSingle(x, d1, c31);
    a += 64;
    b += 64;
    depth -= 2;
  } while (depth);
  putRow(c, c00, c01, accumulate);
  c += rowBytes;
  putRow(c, c10, c11, accumulate);
  c += rowBytes;
  putRow(c, c20, c21, accumulate);
  c += rowBytes;
  putRow(c, c30, c31, accumulate);
}

function putRow(c: usize, left: v128, right: v128, accumulate: bool): void {
  if (accumulate) {
    left = f32x4.add(v128.load(c), left);
    right = f32x4.add(v128.load(c, 16), right);
  }
  v128.store(c, left);
  v128.store(c, right, 16);
}
