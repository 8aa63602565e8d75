import { matrixVector } from './matrixVector';
import { multiplyTile } from './microKernel';
import { pack, SLIVER } from './packing';
import { scaleVector } from './vectors';

/** Which entries of C a product computes: all, those with row ≥ column, those with row ≤ column. */
export const FULL: i32 = 0;
export const LOWER: i32 = 1;
export const UPPER: i32 = 2;

// The packing workspace, given anew before every call from outside: [one tile | a block of A | a panel of B].
let tile: usize = 0;
let packedA: usize = 0;
let packedB: usize = 0;
let blockRows: i32 = 0;
let blockColumns: i32 = 0;
let blockDepth: i32 = 0;

/**
 * Says where to pack: `offset` to 128 + 8·depth·(rows + columns) free bytes, 16-byte aligned. Rows and columns are multiples of
 * four; with fewer than the matrices have, the product is formed in blocks.
 */
export function usePacking(offset: usize, rows: i32, columns: i32, depth: i32): void {
  tile = offset;
  packedA = offset + 128;
  packedB = packedA + ((rows * depth) << 3);
  blockRows = rows;
  blockColumns = columns;
  blockDepth = depth;
}

/** Where 8·n numbers are free between products, n the order of a triangular matrix that is worked on. */
export function scratch(): usize {
  return packedA;
}

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
  for (let jc = 0; jc < n; jc += blockColumns) {
    const columns = min(blockColumns, n - jc);
    for (let pc = 0; pc < k; pc += blockDepth) {
      const depth = min(blockDepth, k - pc);
      pack(packedB, b + ((pc * bRow + jc * bColumn) << 3), columns, depth, bColumn, bRow, 1.0);
      for (let ic = 0; ic < m; ic += blockRows) {
        const rows = min(blockRows, m - ic);
        if (part == LOWER && ic + rows <= jc) continue;
        if (part == UPPER && jc + columns <= ic) continue;
        pack(packedA, a + ((ic * aRow + pc * aColumn) << 3), rows, depth, aRow, aColumn, alpha);
        block(ic, jc, rows, columns, depth, c, cRow, cColumn, part, accumulate || pc > 0);
      }
    }
  }
}

/** One packed block of A times one packed panel of B, into C from row `ic` and column `jc` on. */
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
    for (let ir = 0; ir < rows; ir += SLIVER) {
      const i = ic + ir;
      const height = min(SLIVER, rows - ir);
      if (part == LOWER && i + height <= j) continue;
      if (part == UPPER && j + width <= i) continue;
      const onDiagonal = (part == LOWER && i < j + width - 1) || (part == UPPER && j < i + height - 1);
      const sliverA: usize = packedA + ((ir * depth) << 3);
      const corner: usize = c + ((i * cRow + j * cColumn) << 3);
      if (cColumn == 1 && height == SLIVER && width == SLIVER && !onDiagonal) {
        multiplyTile(depth, sliverA, sliverB, corner, cRow << 3, accumulate);
      } else {
        multiplyTile(depth, sliverA, sliverB, tile, 32, false);
        copyTile(i, j, height, width, corner, cRow << 3, cColumn << 3, part, accumulate);
      }
    }
  }
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
