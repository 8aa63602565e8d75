import { matrixVector } from './matrixVector';
import { multiplyTile, multiplyTiles } from './microKernel';
import { partsAlong, performParts, startInLower, startInUpper, startOf } from './team';
import { scaleVector } from './vectors';
import { blockColumns, blockDepth, blockRows, packedA, packedB, productRecord, tile } from './workspace';

/** Rows of A and columns of B in one packed sliver: the micro-kernel computes a 4×4 tile of C from one of each. */
export const SLIVER: i32 = 4;

/**
 * Copies a panel of `length` vectors of `depth` entries into slivers of four, so that the micro-kernel reads memory in
 * order: target[sliver][p][0..3] = factor · source[4·sliver + 0..3, p]. The last sliver is filled up with zeros.
 */
export function pack(
  target: usize,
  source: usize,
  length: i32,
  depth: i32,
  vectorStride: i32,
  entryStride: i32,
  factor: f64,
): void {
  const vectorBytes = vectorStride << 3;
  let i = 0;
  for (; i + SLIVER <= length; i += SLIVER) {
    const first: usize = source + i * vectorBytes;
    if (entryStride == 1) packByTransposing(target, first, depth, vectorBytes, factor);
    else if (vectorStride == 1) packByCopying(target, first, depth, entryStride << 3, factor);
    else packEntries(target, first, SLIVER, depth, vectorBytes, entryStride << 3, factor);
    target += depth << 5;
  }
  if (i < length)
    packEntries(target, source + i * vectorBytes, length - i, depth, vectorBytes, entryStride << 3, factor);
}

/** Four vectors whose entries are contiguous: 2×2 blocks are transposed in registers. */
function packByTransposing(target: usize, source: usize, depth: i32, vectorBytes: i32, factor: f64): void {
  const factors = f64x2.splat(factor);
  let p0 = source;
  let p1: usize = p0 + vectorBytes;
  let p2: usize = p1 + vectorBytes;
  let p3: usize = p2 + vectorBytes;
  let p = 0;
  for (; p + 2 <= depth; p += 2) {
    const r0 = f64x2.mul(v128.load(p0), factors);
    const r1 = f64x2.mul(v128.load(p1), factors);
    const r2 = f64x2.mul(v128.load(p2), factors);
    const r3 = f64x2.mul(v128.load(p3), factors);
    v128.store(target, f64x2.shuffle(r0, r1, 0, 2));
    v128.store(target, f64x2.shuffle(r2, r3, 0, 2), 16);
    v128.store(target, f64x2.shuffle(r0, r1, 1, 3), 32);
    v128.store(target, f64x2.shuffle(r2, r3, 1, 3), 48);
    target += 64;
    p0 += 16;
    p1 += 16;
    p2 += 16;
    p3 += 16;
  }
  if (p < depth) {
    store<f64>(target, load<f64>(p0) * factor);
    store<f64>(target, load<f64>(p1) * factor, 8);
    store<f64>(target, load<f64>(p2) * factor, 16);
    store<f64>(target, load<f64>(p3) * factor, 24);
  }
}

/** Four adjacent vectors. */
function packByCopying(target: usize, source: usize, depth: i32, entryBytes: i32, factor: f64): void {
  const factors = f64x2.splat(factor);
  for (let p = 0; p < depth; p++) {
    v128.store(target, f64x2.mul(v128.load(source), factors));
    v128.store(target, f64x2.mul(v128.load(source, 16), factors), 16);
    target += 32;
    source += entryBytes;
  }
}

function packEntries(
  target: usize,
  source: usize,
  length: i32,
  depth: i32,
  vectorBytes: i32,
  entryBytes: i32,
  factor: f64,
): void {
  for (let p = 0; p < depth; p++) {
    for (let i = 0; i < SLIVER; i++) {
      store<f64>(target + (i << 3), i < length ? load<f64>(source + i * vectorBytes) * factor : 0.0);
    }
    target += 32;
    source += entryBytes;
  }
}

/** Number of rows that are processed together once they are interleaved. */
export const GROUP: i32 = 8;
export const GROUP_BYTES: i32 = 64;

/** Copies a group of rows so that the entries of a column are adjacent: target[k][r] = source[r, k]. */
export function gatherRows(n: i32, source: usize, rowBytes: i32, columnBytes: i32, target: usize): void {
  for (let r = 0; r < GROUP; r += 2) {
    let p: usize = source + r * rowBytes;
    let q: usize = target + (r << 3);
    for (let k = 0; k < n; k++) {
      v128.store(q, v128.load64_lane(p + rowBytes, v128.load64_zero(p), 1));
      p += columnBytes;
      q += GROUP_BYTES;
    }
  }
}

/** Copies them back. */
export function scatterRows(n: i32, source: usize, target: usize, rowBytes: i32, columnBytes: i32): void {
  for (let r = 0; r < GROUP; r += 2) {
    let p: usize = source + (r << 3);
    let q: usize = target + r * rowBytes;
    for (let k = 0; k < n; k++) {
      const pair = v128.load(p);
      v128.store64_lane(q, pair, 0);
      v128.store64_lane(q + rowBytes, pair, 1);
      p += GROUP_BYTES;
      q += columnBytes;
    }
  }
}

/** Entries of C that a product computes: all, those with row ≥ column, or those with row ≤ column. */
export const FULL: i32 = 0;
export const LOWER: i32 = 1;
export const UPPER: i32 = 2;

/** C ← alpha·A·B over the `part` of C, added to C with `accumulate`: A m×k, B k×n, any strides (in numbers) of either sign. */
@unmanaged
export class Product {
  alpha: f64;
  m: i32;
  n: i32;
  k: i32;
  a: usize;
  aRow: i32;
  aColumn: i32;
  b: usize;
  bRow: i32;
  bColumn: i32;
  c: usize;
  cRow: i32;
  cColumn: i32;
  part: i32;
  accumulate: bool;
  /** Set by the routine, like the two fields below: partition of C. */
  byRows: bool;
  parts: i32;
}

/** C ← alpha·A·B + beta·C, the rest as in the product at the beginning of the workspace. */
export function gemm(beta: f64): void {
  const p = changetype<Product>(productRecord);
  const nothingToAdd = p.k <= 0 || p.alpha == 0.0;
  if (nothingToAdd || (beta != 0.0 && beta != 1.0)) scale(p.m, p.n, beta, p.c, p.cRow, p.cColumn, p.part);
  p.accumulate = beta != 0.0;
  if (!nothingToAdd) perform(p);
}

function scale(m: i32, n: i32, factor: f64, c: usize, row: i32, column: i32, part: i32): void {
  for (let i = 0; i < m; i++) {
    const start = part == UPPER ? i : 0;
    const end = part == LOWER ? min(i + 1, n) : n;
    const entries: usize = c + ((i * row + start * column) << 3);
    if (column == 1 && factor == 0.0) memory.fill(entries, 0, max(end - start, 0) << 3);
    else if (column == 1) scaleVector(end - start, factor, entries);
    else scaleEntries(end - start, factor, entries, column << 3);
  }
}

function scaleEntries(length: i32, factor: f64, entry: usize, bytes: i32): void {
  for (let j = 0; j < length; j++) {
    store<f64>(entry, factor == 0.0 ? 0.0 : factor * load<f64>(entry));
    entry += bytes;
  }
}

/** A product with these arguments, for routines that consist of products. */
export function multiply(
  m: i32,
  n: i32,
  k: i32,
  alpha: f64,
  a: usize,
  aRow: i32,
  aColumn: i32,
  b: usize,
  bRow: i32,
  bColumn: i32,
  c: usize,
  cRow: i32,
  cColumn: i32,
  part: i32,
  accumulate: bool,
): void {
  const p = changetype<Product>(productRecord);
  p.alpha = alpha;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = a;
  p.aRow = aRow;
  p.aColumn = aColumn;
  p.b = b;
  p.bRow = bRow;
  p.bColumn = bColumn;
  p.c = c;
  p.cRow = cRow;
  p.cColumn = cColumn;
  p.part = part;
  p.accumulate = accumulate;
  perform(p);
}

/** Blocked as in Goto & van de Geijn (2008). */
function perform(p: Product): void {
  if (p.m <= 0 || p.n <= 0 || p.k <= 0) return;
  if (p.part == FULL && p.n == 1) {
    matrixVector(p.m, p.k, p.alpha, p.a, p.aRow, p.aColumn, p.b, p.bRow, p.c, p.cRow, p.accumulate);
    return;
  }
  if (p.part == FULL && p.m == 1) {
    matrixVector(p.n, p.k, p.alpha, p.b, p.bColumn, p.bRow, p.a, p.aColumn, p.c, p.cColumn, p.accumulate);
    return;
  }
  // A reversed C is the product with A's rows (or B's columns) reversed; no routine needs a part of a reversed C.
  if (p.cRow < 0) {
    p.c += ((p.m - 1) * p.cRow) << 3;
    p.a += ((p.m - 1) * p.aRow) << 3;
    p.cRow = -p.cRow;
    p.aRow = -p.aRow;
  }
  if (p.cColumn < 0) {
    p.c += ((p.n - 1) * p.cColumn) << 3;
    p.b += ((p.n - 1) * p.bColumn) << 3;
    p.cColumn = -p.cColumn;
    p.bColumn = -p.bColumn;
  }
  if (p.cColumn != 1 && p.cRow == 1) transpose(p);
  p.byRows = p.part != FULL || p.m >= p.n;
  const multiplications = (p.part == FULL ? 1.0 : 0.5) * p.m * p.n * p.k;
  p.parts = partsAlong(p.byRows ? p.m : p.n, LEAST_SHARED, multiplications);
  performParts(productPart, p.parts, changetype<usize>(p), multiplications);
}

/** Cᵀ ← alpha·BᵀAᵀ. */
function transpose(p: Product): void {
  const m = p.m;
  const a = p.a;
  const aRow = p.aRow;
  const aColumn = p.aColumn;
  const cRow = p.cRow;
  p.m = p.n;
  p.n = m;
  p.a = p.b;
  p.aRow = p.bColumn;
  p.aColumn = p.bRow;
  p.b = a;
  p.bRow = aColumn;
  p.bColumn = aRow;
  p.cRow = p.cColumn;
  p.cColumn = cRow;
  if (p.part != FULL) p.part = LOWER + UPPER - p.part;
}

/** Smallest number of rows or columns of C in a shared part: each part packs the whole other operand. */
const LEAST_SHARED: i32 = 24;

/** The blocks of C in some of its rows or columns. */
function productPart(number: i32, record: usize): void {
  const p = changetype<Product>(record);
  const part = p.part;
  const extent = p.byRows ? p.m : p.n;
  const start = cut(number, p.parts, extent, part);
  const end = cut(number + 1, p.parts, extent, part);
  const i0 = p.byRows ? start : 0;
  const i1 = p.byRows ? end : p.m;
  const j0 = p.byRows ? (part == UPPER ? start : 0) : start;
  const j1 = p.byRows ? (part == LOWER ? end : p.n) : end;
  for (let jc = j0; jc < j1; jc += blockColumns) {
    const columns = min(blockColumns, j1 - jc);
    for (let pc = 0; pc < p.k; pc += blockDepth) {
      const depth = min(blockDepth, p.k - pc);
      pack(packedB, p.b + ((pc * p.bRow + jc * p.bColumn) << 3), columns, depth, p.bColumn, p.bRow, 1.0);
      for (let ic = i0; ic < i1; ic += blockRows) {
        const rows = min(blockRows, i1 - ic);
        if (part == LOWER && ic + rows <= jc) continue;
        if (part == UPPER && jc + columns <= ic) continue;
        pack(packedA, p.a + ((ic * p.aRow + pc * p.aColumn) << 3), rows, depth, p.aRow, p.aColumn, p.alpha);
        block(p, ic, jc, rows, columns, depth, p.accumulate || pc > 0);
      }
    }
  }
}

function cut(number: i32, parts: i32, extent: i32, part: i32): i32 {
  if (part == LOWER) return startInLower(number, parts, extent, SLIVER);
  if (part == UPPER) return startInUpper(number, parts, extent, SLIVER);
  return startOf(number, parts, extent, SLIVER);
}

/**
 * One packed block of A times one packed panel of B, into C from row `ic` and column `jc` on. In a column of tiles, the tiles between rows `from` and
 * `to` are needed in full.
 */
function block(p: Product, ic: i32, jc: i32, rows: i32, columns: i32, depth: i32, accumulate: bool): void {
  const cRow = p.cRow;
  const cColumn = p.cColumn;
  const part = p.part;
  for (let jr = 0; jr < columns; jr += SLIVER) {
    const j = jc + jr;
    const width = min(SLIVER, columns - jr);
    const sliverB: usize = packedB + ((jr * depth) << 3);
    const from = part == LOWER ? wholeSlivers(j + 2 * SLIVER - 2 - ic) : 0;
    const to = cColumn != 1 || width < SLIVER ? 0 : wholeSlivers(part == UPPER ? min(rows, j + 1 - ic) : rows);
    for (let ir = 0; ir < rows; ir += SLIVER) {
      const i = ic + ir;
      const sliverA: usize = packedA + ((ir * depth) << 3);
      const corner: usize = p.c + ((i * cRow + j * cColumn) << 3);
      if (ir == from && from < to) {
        multiplyTiles<f64>((to - from) / SLIVER, depth, sliverA, sliverB, corner, cRow << 3, accumulate);
        ir = to - SLIVER;
        continue;
      }
      const height = min(SLIVER, rows - ir);
      if (part == LOWER && i + height <= j) continue;
      if (part == UPPER && j + width <= i) break;
      multiplyTile(depth, sliverA, sliverB, tile, 32, false);
      copyTile(i, j, height, width, corner, cRow << 3, cColumn << 3, part, accumulate);
    }
  }
}

/** The largest multiple of a sliver's rows up to a nonnegative length, 0 for negative ones. @inline */
function wholeSlivers(length: i32): i32 {
  return max(length, 0) & ~(SLIVER - 1);
}

/** Copies the entries of C from a tile at the border or on the diagonal. */
function copyTile(
  i: i32,
  j: i32,
  height: i32,
  width: i32,
  corner: usize,
  rowBytes: i32,
  columnBytes: i32,
  part: i32,
  accumulate: bool,
): void {
  for (let r = 0; r < height; r++) {
    for (let s = 0; s < width; s++) {
      if (part == LOWER && i + r < j + s) continue;
      if (part == UPPER && j + s < i + r) continue;
      const entry: usize = corner + r * rowBytes + s * columnBytes;
      const value = load<f64>(tile + (((r << 2) + s) << 3));
      store<f64>(entry, accumulate ? load<f64>(entry) + value : value);
    }
  }
}
