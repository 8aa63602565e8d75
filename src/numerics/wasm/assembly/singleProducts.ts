import { isWorthSharing, operands, shareOut } from './team';
import { multiplyAddSingle } from './vectors';

/** Points in a group: of each coordinate the eight numbers lie side by side. */
const GROUP: i32 = 8;
/** Groups of columns of a part: few enough that products stay in the cache from layer to layer, and that threads end together. */
const PART: i32 = 16;

/**
 * Products of `8·groups` points from `first` with these and all points after them, of n, in single precision: C is row-major, with rows n long that
 * begin with point `first`. The points are packed in layers of `layer` coordinates at most; a layer has groups of eight points. Every
 * product is summed in the order of the coordinates of a layer, and then layer by layer.
 */
export function singleProducts(
  first: i32,
  groups: i32,
  n: i32,
  columns: i32,
  layer: i32,
  packed: usize,
  c: usize,
): void {
  const columnGroups = (n - first) / GROUP;
  const parts = (columnGroups + PART - 1) / PART;
  if (ASC_FEATURE_THREADS) {
    if (parts > 1 && isWorthSharing(64.0 * groups * columnGroups * columns)) {
      const product = changetype<SingleProduct>(operands());
      product.first = first;
      product.groups = groups;
      product.n = n;
      product.columns = columns;
      product.layer = layer;
      product.packed = packed;
      product.c = c;
      shareOut(singlePart, parts);
      return;
    }
  }
  for (let part = 0; part < parts; part++) tiles(part, first, groups, n, columns, layer, packed, c);
}

/** Such a product as the threads of a team find it. */
@unmanaged
class SingleProduct {
  first: i32;
  groups: i32;
  n: i32;
  columns: i32;
  layer: i32;
  packed: usize;
  c: usize;
}

function singlePart(number: i32): void {
  const p = changetype<SingleProduct>(operands());
  tiles(number, p.first, p.groups, p.n, p.columns, p.layer, p.packed, p.c);
}

function tiles(part: i32, first: i32, groups: i32, n: i32, columns: i32, layer: i32, packed: usize, c: usize): void {
  const start = part * PART;
  const end = min(start + PART, (n - first) / GROUP);
  const rowBytes = n << 2;
  for (let d = 0; d < columns; d += layer) {
    const depth = min(layer, columns - d);
    const groupBytes = depth << 5;
    const own: usize = packed + ((n * d + first * depth) << 2);
    for (let j = start; j < end; j++) {
      const others: usize = own + j * groupBytes;
      for (let i = 0; i < groups; i++) {
        const rows: usize = own + i * groupBytes;
        const target: usize = c + (j << 5) + i * GROUP * rowBytes;
        singleTile(depth, rows, others, target, rowBytes, d > 0);
        singleTile(depth, rows + 16, others, target + 4 * rowBytes, rowBytes, d > 0);
      }
    }
  }
}

/** A tile of four rows and eight columns; the loop is that of `multiplyTiles`, for the reasons given there. */
function singleTile(depth: i32, a: usize, b: usize, c: usize, rowBytes: i32, accumulate: bool): void {
  let c00 = f32x4.splat(0);
  let c01 = f32x4.splat(0);
  let c10 = f32x4.splat(0);
  let c11 = f32x4.splat(0);
  let c20 = f32x4.splat(0);
  let c21 = f32x4.splat(0);
  let c30 = f32x4.splat(0);
  let c31 = f32x4.splat(0);
  a &= ~3;
  b &= ~3;
  const end: usize = a + (depth << 5);
  do {
    let b0 = v128.load(b);
    let b1 = v128.load(b, 16);
    let a0 = v128.load_splat<f32>(a);
    let a1 = v128.load_splat<f32>(a, 4);
    let a2 = v128.load_splat<f32>(a, 8);
    let a3 = v128.load_splat<f32>(a, 12);
    c00 = multiplyAddSingle(a0, b0, c00);
    c10 = multiplyAddSingle(a1, b0, c10);
    c20 = multiplyAddSingle(a2, b0, c20);
    c30 = multiplyAddSingle(a3, b0, c30);
    c01 = multiplyAddSingle(a0, b1, c01);
    c11 = multiplyAddSingle(a1, b1, c11);
    c21 = multiplyAddSingle(a2, b1, c21);
    c31 = multiplyAddSingle(a3, b1, c31);
    a += 32;
    if (a == end) break;
    b0 = v128.load(b, 32);
    b1 = v128.load(b, 48);
    a0 = v128.load_splat<f32>(a);
    a1 = v128.load_splat<f32>(a, 4);
    a2 = v128.load_splat<f32>(a, 8);
    a3 = v128.load_splat<f32>(a, 12);
    c00 = multiplyAddSingle(a0, b0, c00);
    c10 = multiplyAddSingle(a1, b0, c10);
    c20 = multiplyAddSingle(a2, b0, c20);
    c30 = multiplyAddSingle(a3, b0, c30);
    c01 = multiplyAddSingle(a0, b1, c01);
    c11 = multiplyAddSingle(a1, b1, c11);
    c21 = multiplyAddSingle(a2, b1, c21);
    c31 = multiplyAddSingle(a3, b1, c31);
    a += 32;
    if (a == end) break;
    b0 = v128.load(b, 64);
    b1 = v128.load(b, 80);
    a0 = v128.load_splat<f32>(a);
    a1 = v128.load_splat<f32>(a, 4);
    a2 = v128.load_splat<f32>(a, 8);
    a3 = v128.load_splat<f32>(a, 12);
    c00 = multiplyAddSingle(a0, b0, c00);
    c10 = multiplyAddSingle(a1, b0, c10);
    c20 = multiplyAddSingle(a2, b0, c20);
    c30 = multiplyAddSingle(a3, b0, c30);
    c01 = multiplyAddSingle(a0, b1, c01);
    c11 = multiplyAddSingle(a1, b1, c11);
    c21 = multiplyAddSingle(a2, b1, c21);
    c31 = multiplyAddSingle(a3, b1, c31);
    a += 32;
    if (a == end) break;
    b0 = v128.load(b, 96);
    b1 = v128.load(b, 112);
    a0 = v128.load_splat<f32>(a);
    a1 = v128.load_splat<f32>(a, 4);
    a2 = v128.load_splat<f32>(a, 8);
    a3 = v128.load_splat<f32>(a, 12);
    c00 = multiplyAddSingle(a0, b0, c00);
    c10 = multiplyAddSingle(a1, b0, c10);
    c20 = multiplyAddSingle(a2, b0, c20);
    c30 = multiplyAddSingle(a3, b0, c30);
    c01 = multiplyAddSingle(a0, b1, c01);
    c11 = multiplyAddSingle(a1, b1, c11);
    c21 = multiplyAddSingle(a2, b1, c21);
    c31 = multiplyAddSingle(a3, b1, c31);
    a += 32;
    b += 128;
  } while (a != end);
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
