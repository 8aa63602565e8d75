import { matrixVector } from './matrixVector';
import { multiplyTile, multiplyTiles } from './microKernel';
import { pack, SLIVER } from './packing';
import { startInLower, startInUpper, startOf } from './parts';
import { isWorthSharing, operands, partsAlong, shareOut } from './team';
import { scaleVector } from './vectors';
import { blockColumns, blockDepth, blockRows, packedA, packedB, tile } from './workspace';

/** Which entries of C a product computes: all, those with row ≥ column, those with row ≤ column. */
export const FULL: i32 = 0;
export const LOWER: i32 = 1;
export const UPPER: i32 = 2;

/** C ← alpha·A·B + beta·C over the part of C that `part` names, A m×k, B k×n, any strides (in numbers) of either sign. */
export function gemm(
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
  beta: f64,
  c: usize,
  cRow: i32,
  cColumn: i32,
  part: i32,
): void {
  const nothingToAdd = k <= 0 || alpha == 0.0;
  if (nothingToAdd || (beta != 0.0 && beta != 1.0)) scale(m, n, beta, c, cRow, cColumn, part);
  if (!nothingToAdd) multiply(m, n, k, alpha, a, aRow, aColumn, b, bRow, bColumn, c, cRow, cColumn, part, beta != 0.0);
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

/** C ← alpha·A·B, added to C with `accumulate`. Blocked as in Goto & van de Geijn (2008). */
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
  if (m <= 0 || n <= 0 || k <= 0) return;
  if (part == FULL && n == 1) {
    matrixVector(m, k, alpha, a, aRow, aColumn, b, bRow, c, cRow, accumulate);
    return;
  }
  if (part == FULL && m == 1) {
    matrixVector(n, k, alpha, b, bColumn, bRow, a, aColumn, c, cColumn, accumulate);
    return;
  }
  // A reversed C is the product with A's rows (or B's columns) reversed; a part of a reversed C is never asked for.
  if (cRow < 0) {
    c += ((m - 1) * cRow) << 3;
    a += ((m - 1) * aRow) << 3;
    cRow = -cRow;
    aRow = -aRow;
  }
  if (cColumn < 0) {
    c += ((n - 1) * cColumn) << 3;
    b += ((n - 1) * bColumn) << 3;
    cColumn = -cColumn;
    bColumn = -bColumn;
  }
  if (cColumn != 1 && cRow == 1) {
    blocks(
      n,
      m,
      k,
      alpha,
      b,
      bColumn,
      bRow,
      a,
      aColumn,
      aRow,
      c,
      cColumn,
      cRow,
      part == FULL ? FULL : 3 - part,
      accumulate,
    );
  } else {
    blocks(m, n, k, alpha, a, aRow, aColumn, b, bRow, bColumn, c, cRow, cColumn, part, accumulate);
  }
}

function blocks(
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
  if (ASC_FEATURE_THREADS) {
    const byRows = part != FULL || m >= n;
    const parts = partsAlong(byRows ? m : n, LEAST_SHARED);
    if (parts > 1 && isWorthSharing((part == FULL ? 1.0 : 0.5) * m * n * k)) {
      const product = changetype<Product>(operands());
      product.parts = parts;
      product.byRows = byRows;
      product.m = m;
      product.n = n;
      product.k = k;
      product.alpha = alpha;
      product.a = a;
      product.aRow = aRow;
      product.aColumn = aColumn;
      product.b = b;
      product.bRow = bRow;
      product.bColumn = bColumn;
      product.c = c;
      product.cRow = cRow;
      product.cColumn = cColumn;
      product.part = part;
      product.accumulate = accumulate;
      shareOut(productPart, parts);
      return;
    }
  }
  blocksWithin(0, m, 0, n, k, alpha, a, aRow, aColumn, b, bRow, bColumn, c, cRow, cColumn, part, accumulate);
}

/** Rows or columns of C that a shared part should have: each part packs the whole other operand. */
const LEAST_SHARED: i32 = 24;

/** A product as the threads of a team find it. */
@unmanaged
class Product {
  alpha: f64;
  parts: i32;
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
  byRows: bool;
  accumulate: bool;
}

function productPart(number: i32): void {
  const p = changetype<Product>(operands());
  const extent = p.byRows ? p.m : p.n;
  const start = cut(number, p.parts, extent, p.part);
  const end = cut(number + 1, p.parts, extent, p.part);
  blocksWithin(
    p.byRows ? start : 0,
    p.byRows ? end : p.m,
    p.byRows ? (p.part == UPPER ? start : 0) : start,
    p.byRows ? (p.part == LOWER ? end : p.n) : end,
    p.k,
    p.alpha,
    p.a,
    p.aRow,
    p.aColumn,
    p.b,
    p.bRow,
    p.bColumn,
    p.c,
    p.cRow,
    p.cColumn,
    p.part,
    p.accumulate,
  );
}

function cut(number: i32, parts: i32, extent: i32, part: i32): i32 {
  if (part == LOWER) return startInLower(number, parts, extent, SLIVER);
  if (part == UPPER) return startInUpper(number, parts, extent, SLIVER);
  return startOf(number, parts, extent, SLIVER);
}

/** The blocks of C in rows i0 … i1 − 1 and columns j0 … j1 − 1. */
function blocksWithin(
  i0: i32,
  i1: i32,
  j0: i32,
  j1: i32,
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
  for (let jc = j0; jc < j1; jc += blockColumns) {
    const columns = min(blockColumns, j1 - jc);
    for (let pc = 0; pc < k; pc += blockDepth) {
      const depth = min(blockDepth, k - pc);
      pack(packedB, b + ((pc * bRow + jc * bColumn) << 3), columns, depth, bColumn, bRow, 1.0);
      for (let ic = i0; ic < i1; ic += blockRows) {
        const rows = min(blockRows, i1 - ic);
        if (part == LOWER && ic + rows <= jc) continue;
        if (part == UPPER && jc + columns <= ic) continue;
        pack(packedA, a + ((ic * aRow + pc * aColumn) << 3), rows, depth, aRow, aColumn, alpha);
        block(ic, jc, rows, columns, depth, c, cRow, cColumn, part, accumulate || pc > 0);
      }
    }
  }
}

/**
 * One packed block of A times one packed panel of B, into C from row `ic` and column `jc` on. Tiles of which all entries are wanted
 * lie between rows `from` and `to` of a column of tiles.
 */
function block(
  ic: i32,
  jc: i32,
  rows: i32,
  columns: i32,
  depth: i32,
  c: usize,
  cRow: i32,
  cColumn: i32,
  part: i32,
  accumulate: bool,
): void {
  for (let jr = 0; jr < columns; jr += SLIVER) {
    const j = jc + jr;
    const width = min(SLIVER, columns - jr);
    const sliverB: usize = packedB + ((jr * depth) << 3);
    const from = part == LOWER ? wholeSlivers(j + 2 * SLIVER - 2 - ic) : 0;
    const to = cColumn != 1 || width < SLIVER ? 0 : wholeSlivers(part == UPPER ? min(rows, j + 1 - ic) : rows);
    for (let ir = 0; ir < rows; ir += SLIVER) {
      const i = ic + ir;
      const sliverA: usize = packedA + ((ir * depth) << 3);
      const corner: usize = c + ((i * cRow + j * cColumn) << 3);
      if (ir == from && from < to) {
        multiplyTiles((to - from) / SLIVER, depth, sliverA, sliverB, corner, cRow << 3, accumulate);
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

/** The largest multiple of a sliver's rows up to a length that is not negative, 0 for others. @inline */
function wholeSlivers(length: i32): i32 {
  return max(length, 0) & ~(SLIVER - 1);
}

/** Puts what belongs to C of a tile at the border or on the diagonal in its place. */
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
