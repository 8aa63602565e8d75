import { FULL, multiply } from './multiply';
import { GROUP, GROUP_BYTES, gatherRows, scatterRows } from './rowGroup';
import { currentTriangularTask, shareRows } from './triangularParts';
import { multiplyAdd } from './vectors';
import { scratch } from './workspace';

const BASE: i32 = 16;
/** Up to this order a few rows of B are finished before the next: together they fit the second-level cache. */
export const PANEL: i32 = 256;
export const ROWS: i32 = 128;

/** A split near the middle, at a multiple of 16 so that both halves keep full slivers. */
export function half(n: i32): i32 {
  return ((n >> 1) + 15) & ~15;
}

/**
 * B ← B·L⁻ᵀ in place: B m×n, L n×n lower triangular, any strides (in numbers) of either sign. Halves recursively, so that
 * nearly all work is in products. L⁻¹B is (BᵀL⁻ᵀ)ᵀ; L⁻ᵀB is the same on reversed rows and columns.
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
  if (ASC_FEATURE_THREADS) {
    if (shareRows(solvePart, m, n, b, bRow, bColumn, l, lRow, lColumn)) return;
  }
  if (n <= PANEL && m > ROWS) {
    for (let i = 0; i < m; i += ROWS) {
      solveTransposed(min(ROWS, m - i), n, b + ((i * bRow) << 3), bRow, bColumn, l, lRow, lColumn);
    }
  } else if (n > BASE) {
    const n1 = half(n);
    const b2: usize = b + ((n1 * bColumn) << 3);
    const l21: usize = l + ((n1 * lRow) << 3);
    solveTransposed(m, n1, b, bRow, bColumn, l, lRow, lColumn);
    multiply(m, n - n1, n1, -1.0, b, bRow, bColumn, l21, lColumn, lRow, b2, bRow, bColumn, FULL, true);
    solveTransposed(m, n - n1, b2, bRow, bColumn, l21 + ((n1 * lColumn) << 3), lRow, lColumn);
  } else if (bRow == 1) {
    solveColumns(m, n, b, bColumn << 3, l, lRow << 3, lColumn << 3);
  } else {
    solveRows(m, n, b, bRow << 3, bColumn << 3, l, lRow << 3, lColumn << 3);
  }
}

function solvePart(number: i32): void {
  const t = currentTriangularTask();
  const start = t.start(number, ROWS);
  const rows = t.start(number + 1, ROWS) - start;
  solveTransposed(rows, t.n, t.b + ((start * t.bRow) << 3), t.bRow, t.bColumn, t.l, t.lRow, t.lColumn);
}

/** The columns of B are contiguous: two columns of eight rows of B in eight registers. */
function solveColumns(m: i32, n: i32, b: usize, columnBytes: i32, l: usize, lRowBytes: i32, lColumnBytes: i32): void {
  let i = 0;
  for (; i + 8 <= m; i += 8) {
    const first: usize = b + (i << 3);
    let j = 0;
    for (; j + 2 <= n; j += 2) solvePair(j, first, columnBytes, l + j * lRowBytes, lRowBytes, lColumnBytes);
    for (let r = 0; j < n && r < 8; r += 2) solveTwo(j, first + (r << 3), columnBytes, l + j * lRowBytes, lColumnBytes);
  }
  for (; i + 2 <= m; i += 2) {
    for (let j = 0; j < n; j++) solveTwo(j, b + (i << 3), columnBytes, l + j * lRowBytes, lColumnBytes);
  }
  if (i < m) {
    for (let j = 0; j < n; j++) {
      const target: usize = b + (i << 3) + j * columnBytes;
      const row: usize = l + j * lRowBytes;
      let s = load<f64>(target);
      for (let k = 0; k < j; k++) s -= load<f64>(b + (i << 3) + k * columnBytes) * load<f64>(row + k * lColumnBytes);
      store<f64>(target, s / load<f64>(row + j * lColumnBytes));
    }
  }
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

/** The rows of B lie apart: groups of them are solved where they lie side by side. */
function solveRows(
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
    solveColumns(GROUP, n, group, GROUP_BYTES, l, lRowBytes, lColumnBytes);
    scatterRows(n, group, rows, rowBytes, columnBytes);
  }
  for (; i < m; i++) {
    const p: usize = b + i * rowBytes;
    for (let j = 0; j < n; j++) {
      const row: usize = l + j * lRowBytes;
      let s = load<f64>(p + j * columnBytes);
      for (let k = 0; k < j; k++) s -= load<f64>(p + k * columnBytes) * load<f64>(row + k * lColumnBytes);
      store<f64>(p + j * columnBytes, s / load<f64>(row + j * lColumnBytes));
    }
  }
}
