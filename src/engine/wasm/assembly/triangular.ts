import { FULL, GROUP, GROUP_BYTES, gatherRows, multiply, scatterRows } from './multiply';
import { partsAlong, sharedRecord, shareOut, startOf } from './team';
import { multiplyAdd } from './vectors';
import { scratch } from './workspace';

const BASE: i32 = 16;
/** Largest order at which a few rows of B are finished before the next: together they fit into the second-level cache. */
const PANEL: i32 = 256;
const ROWS: i32 = 128;
/** Smallest number of rows of B in a shared part: each part packs the whole triangle. */
const LEAST_SHARED: i32 = 16;

/** A split near the middle, at a multiple of 16 so that both halves keep full slivers. */
export function half(n: i32): i32 {
  return ((n >> 1) + 15) & ~15;
}

/**
 * B ← B·L⁻ᵀ in place: B m×n, L n×n lower triangular, any strides (in numbers) of either sign. L⁻¹B is (BᵀL⁻ᵀ)ᵀ; L⁻ᵀB is the same on reversed rows
 * and columns.
 */
export function solveTransposed(
  m: i32,
  n: i32,
  b: usize,
  bRow: i32,
  bColumn: i32,
  l: usize,
  lRow: i32,
  lColumn: i32,
): void {
  apply(true, m, n, b, bRow, bColumn, l, lRow, lColumn);
}

/** B ← B·L in place, otherwise the same. LᵀB is (BᵀL)ᵀ; LB is the same on reversed rows and columns. */
export function multiplyTriangular(
  m: i32,
  n: i32,
  b: usize,
  bRow: i32,
  bColumn: i32,
  l: usize,
  lRow: i32,
  lColumn: i32,
): void {
  apply(false, m, n, b, bRow, bColumn, l, lRow, lColumn);
}

/** Task for a team of threads: independent rows of B. */
@unmanaged
class RowsTask {
  solves: bool;
  parts: i32;
  m: i32;
  n: i32;
  b: usize;
  bRow: i32;
  bColumn: i32;
  l: usize;
  lRow: i32;
  lColumn: i32;
}

/** Solves, or multiplies. Halves recursively, so that nearly all work is in products. */
function apply(
  solves: bool,
  m: i32,
  n: i32,
  b: usize,
  bRow: i32,
  bColumn: i32,
  l: usize,
  lRow: i32,
  lColumn: i32,
): void {
  if (ASC_FEATURE_THREADS) {
    const parts = partsAlong(m, LEAST_SHARED, 0.5 * m * n * n);
    if (parts > 1) {
      const t = changetype<RowsTask>(sharedRecord());
      t.solves = solves;
      t.parts = parts;
      t.m = m;
      t.n = n;
      t.b = b;
      t.bRow = bRow;
      t.bColumn = bColumn;
      t.l = l;
      t.lRow = lRow;
      t.lColumn = lColumn;
      shareOut(applyToRows, parts, sharedRecord());
      return;
    }
  }
  if (n <= PANEL && m > ROWS) {
    for (let i = 0; i < m; i += ROWS) {
      apply(solves, min(ROWS, m - i), n, b + ((i * bRow) << 3), bRow, bColumn, l, lRow, lColumn);
    }
  } else if (n > BASE) {
    const n1 = half(n);
    const b2: usize = b + ((n1 * bColumn) << 3);
    const l21: usize = l + ((n1 * lRow) << 3);
    apply(solves, m, n1, b, bRow, bColumn, l, lRow, lColumn);
    if (solves) multiply(m, n - n1, n1, -1.0, b, bRow, bColumn, l21, lColumn, lRow, b2, bRow, bColumn, FULL, true);
    else multiply(m, n1, n - n1, 1.0, b2, bRow, bColumn, l21, lRow, lColumn, b, bRow, bColumn, FULL, true);
    apply(solves, m, n - n1, b2, bRow, bColumn, l21 + ((n1 * lColumn) << 3), lRow, lColumn);
  } else if (bRow == 1) {
    const lastRows = applyToColumns(solves, m, n, b, bColumn << 3, l, lRow << 3, lColumn << 3);
    for (let i = lastRows; i < m; i++) {
      applyToRow(solves, n, b + (i << 3), bColumn << 3, l, lRow << 3, lColumn << 3);
    }
  } else {
    applyInGroups(solves, m, n, b, bRow << 3, bColumn << 3, l, lRow << 3, lColumn << 3);
  }
}

function applyToRows(part: i32, record: usize): void {
  const t = changetype<RowsTask>(record);
  // A single last row would be a product with a vector, which is summed differently: it is processed together with other rows.
  const unit = t.m % GROUP == 1 ? ROWS : GROUP;
  const start = startOf(part, t.parts, t.m, unit);
  const rows = startOf(part + 1, t.parts, t.m, unit) - start;
  apply(t.solves, rows, t.n, t.b + ((start * t.bRow) << 3), t.bRow, t.bColumn, t.l, t.lRow, t.lColumn);
}

/** Processes the rows of B in groups, whose copies are adjacent. */
function applyInGroups(
  solves: bool,
  m: i32,
  n: i32,
  b: usize,
  rowBytes: i32,
  columnBytes: i32,
  l: usize,
  lRowBytes: i32,
  lColumnBytes: i32,
): void {
  const group = scratch();
  let i = 0;
  for (; i + GROUP <= m; i += GROUP) {
    const rows: usize = b + i * rowBytes;
    gatherRows(n, rows, rowBytes, columnBytes, group);
    applyToColumns(solves, GROUP, n, group, GROUP_BYTES, l, lRowBytes, lColumnBytes);
    scatterRows(n, group, rows, rowBytes, columnBytes);
  }
  for (; i < m; i++) applyToRow(solves, n, b + i * rowBytes, columnBytes, l, lRowBytes, lColumnBytes);
}

/** One row of B. */
function applyToRow(
  solves: bool,
  n: i32,
  row: usize,
  columnBytes: i32,
  l: usize,
  lRowBytes: i32,
  lColumnBytes: i32,
): void {
  for (let j = 0; j < n; j++) {
    const target: usize = row + j * columnBytes;
    const diagonal: usize = l + j * (lRowBytes + lColumnBytes);
    if (solves) {
      const factors: usize = l + j * lRowBytes;
      let s = load<f64>(target);
      for (let k = 0; k < j; k++) s -= load<f64>(row + k * columnBytes) * load<f64>(factors + k * lColumnBytes);
      store<f64>(target, s / load<f64>(diagonal));
    } else {
      let s = 0.0;
      for (let k = 0; k < n - j; k++) s += load<f64>(target + k * columnBytes) * load<f64>(diagonal + k * lRowBytes);
      store<f64>(target, s);
    }
  }
}

/** For contiguous columns of B: two columns of eight rows of B in eight registers. Returns the index of the first remaining row. */
function applyToColumns(
  solves: bool,
  m: i32,
  n: i32,
  b: usize,
  columnBytes: i32,
  l: usize,
  lRowBytes: i32,
  lColumnBytes: i32,
): i32 {
  let i = 0;
  for (; i + 8 <= m; i += 8) {
    const first: usize = b + (i << 3);
    if (solves) solveEight(n, first, columnBytes, l, lRowBytes, lColumnBytes);
    else multiplyEight(n, first, columnBytes, l, lRowBytes, lColumnBytes);
  }
  if (solves) {
    for (; i + 2 <= m; i += 2) {
      for (let j = 0; j < n; j++) solveTwo(j, b + (i << 3), columnBytes, l + j * lRowBytes, lColumnBytes);
    }
  }
  return i;
}

function solveEight(n: i32, first: usize, columnBytes: i32, l: usize, lRowBytes: i32, lColumnBytes: i32): void {
  let j = 0;
  for (; j + 2 <= n; j += 2) solvePair(j, first, columnBytes, l + j * lRowBytes, lRowBytes, lColumnBytes);
  for (let r = 0; j < n && r < 8; r += 2) solveTwo(j, first + (r << 3), columnBytes, l + j * lRowBytes, lColumnBytes);
}

/** Columns j and j + 1 of eight rows; `l` is row j of L. @inline */
function solvePair(j: i32, first: usize, columnBytes: i32, l: usize, lRowBytes: i32, lColumnBytes: i32): void {
  const target: usize = first + j * columnBytes;
  const next: usize = target + columnBytes;
  let s0 = v128.load(target);
  let s1 = v128.load(target, 16);
  let s2 = v128.load(target, 32);
  let s3 = v128.load(target, 48);
  let t0 = v128.load(next);
  let t1 = v128.load(next, 16);
  let t2 = v128.load(next, 32);
  let t3 = v128.load(next, 48);
  let p = first;
  let q = l;
  for (; p != target; p += columnBytes) {
    const x = f64x2.neg(v128.load_splat<f64>(q));
    const y = f64x2.neg(v128.load_splat<f64>(q + lRowBytes));
    const b0 = v128.load(p);
    const b1 = v128.load(p, 16);
    const b2 = v128.load(p, 32);
    const b3 = v128.load(p, 48);
    s0 = multiplyAdd(x, b0, s0);
    s1 = multiplyAdd(x, b1, s1);
    s2 = multiplyAdd(x, b2, s2);
    s3 = multiplyAdd(x, b3, s3);
    t0 = multiplyAdd(y, b0, t0);
    t1 = multiplyAdd(y, b1, t1);
    t2 = multiplyAdd(y, b2, t2);
    t3 = multiplyAdd(y, b3, t3);
    q += lColumnBytes;
  }
  const inverse = f64x2.splat(1.0 / load<f64>(q));
  s0 = f64x2.mul(s0, inverse);
  s1 = f64x2.mul(s1, inverse);
  s2 = f64x2.mul(s2, inverse);
  s3 = f64x2.mul(s3, inverse);
  v128.store(target, s0);
  v128.store(target, s1, 16);
  v128.store(target, s2, 32);
  v128.store(target, s3, 48);
  q += lRowBytes;
  const y = f64x2.neg(v128.load_splat<f64>(q));
  const nextInverse = f64x2.splat(1.0 / load<f64>(q + lColumnBytes));
  v128.store(next, f64x2.mul(multiplyAdd(y, s0, t0), nextInverse));
  v128.store(next, f64x2.mul(multiplyAdd(y, s1, t1), nextInverse), 16);
  v128.store(next, f64x2.mul(multiplyAdd(y, s2, t2), nextInverse), 32);
  v128.store(next, f64x2.mul(multiplyAdd(y, s3, t3), nextInverse), 48);
}

/** Column j of two rows. */
function solveTwo(j: i32, first: usize, columnBytes: i32, l: usize, lColumnBytes: i32): void {
  const target: usize = first + j * columnBytes;
  let s = v128.load(target);
  for (let p = first; p != target; p += columnBytes) {
    s = multiplyAdd(f64x2.neg(v128.load_splat<f64>(l)), v128.load(p), s);
    l += lColumnBytes;
  }
  v128.store(target, f64x2.mul(s, f64x2.splat(1.0 / load<f64>(l))));
}

/** Multiplies eight rows; column j needs columns k ≥ j, so j ascends. */
function multiplyEight(n: i32, p: usize, columnBytes: i32, q: usize, lRowBytes: i32, lColumnBytes: i32): void {
  let j = 0;
  for (; j + 2 <= n; j += 2) {
    multiplyPair(n - j, p, columnBytes, q, lRowBytes, lColumnBytes);
    p += columnBytes << 1;
    q += (lRowBytes + lColumnBytes) << 1;
  }
  if (j < n) multiplyLast(p, load<f64>(q));
}

/** Columns j and j + 1 of eight rows, of `rest` columns from j on. @inline */
function multiplyPair(rest: i32, b: usize, columnBytes: i32, l: usize, lRowBytes: i32, lColumnBytes: i32): void {
  const zero = f64x2.splat(0);
  const x = v128.load_splat<f64>(l);
  let s0 = multiplyAdd(x, v128.load(b), zero);
  let s1 = multiplyAdd(x, v128.load(b, 16), zero);
  let s2 = multiplyAdd(x, v128.load(b, 32), zero);
  let s3 = multiplyAdd(x, v128.load(b, 48), zero);
  let t0 = zero;
  let t1 = zero;
  let t2 = zero;
  let t3 = zero;
  const next: usize = b + columnBytes;
  let p = next;
  let q: usize = l + lRowBytes;
  while (--rest) {
    const x = v128.load_splat<f64>(q);
    const y = v128.load_splat<f64>(q + lColumnBytes);
    const b0 = v128.load(p);
    const b1 = v128.load(p, 16);
    const b2 = v128.load(p, 32);
    const b3 = v128.load(p, 48);
    s0 = multiplyAdd(x, b0, s0);
    s1 = multiplyAdd(x, b1, s1);
    s2 = multiplyAdd(x, b2, s2);
    s3 = multiplyAdd(x, b3, s3);
    t0 = multiplyAdd(y, b0, t0);
    t1 = multiplyAdd(y, b1, t1);
    t2 = multiplyAdd(y, b2, t2);
    t3 = multiplyAdd(y, b3, t3);
    p += columnBytes;
    q += lRowBytes;
  }
  v128.store(b, s0);
  v128.store(b, s1, 16);
  v128.store(b, s2, 32);
  v128.store(b, s3, 48);
  v128.store(next, t0);
  v128.store(next, t1, 16);
  v128.store(next, t2, 32);
  v128.store(next, t3, 48);
}

/** The last column, if their number is odd. The sum begins at zero like the others. */
function multiplyLast(b: usize, diagonal: f64): void {
  const x = f64x2.splat(diagonal);
  const zero = f64x2.splat(0);
  for (let i: usize = 0; i < 64; i += 16) v128.store(b + i, multiplyAdd(x, v128.load(b + i), zero));
}
