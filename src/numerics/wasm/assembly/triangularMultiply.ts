import { FULL, multiply } from './multiply';
import { GROUP, GROUP_BYTES, gatherRows, scatterRows } from './rowGroup';
import { currentTriangularTask, shareRows } from './triangularParts';
import { half, PANEL, ROWS } from './triangularSolve';
import { multiplyAdd } from './vectors';
import { scratch } from './workspace';

const BASE: i32 = 16;

/**
 * B ← B·L in place: B m×n, L n×n lower triangular, any strides (in numbers) of either sign. LᵀB is (BᵀL)ᵀ; LB is the same on
 * reversed rows and columns.
 */
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
  if (ASC_FEATURE_THREADS) {
    if (shareRows(multiplyPart, m, n, b, bRow, bColumn, l, lRow, lColumn)) return;
  }
  if (n <= PANEL && m > ROWS) {
    for (let i = 0; i < m; i += ROWS) {
      multiplyTriangular(min(ROWS, m - i), n, b + ((i * bRow) << 3), bRow, bColumn, l, lRow, lColumn);
    }
  } else if (n > BASE) {
    const n1 = half(n);
    const b2: usize = b + ((n1 * bColumn) << 3);
    const l21: usize = l + ((n1 * lRow) << 3);
    multiplyTriangular(m, n1, b, bRow, bColumn, l, lRow, lColumn);
    multiply(m, n1, n - n1, 1.0, b2, bRow, bColumn, l21, lRow, lColumn, b, bRow, bColumn, FULL, true);
    multiplyTriangular(m, n - n1, b2, bRow, bColumn, l21 + ((n1 * lColumn) << 3), lRow, lColumn);
  } else if (bRow == 1) {
    multiplyColumns(m, n, b, bColumn << 3, l, lRow << 3, lColumn << 3);
  } else {
    multiplyRows(m, n, b, bRow << 3, bColumn << 3, l, lRow << 3, lColumn << 3);
  }
}

function multiplyPart(number: i32): void {
  const t = currentTriangularTask();
  const start = t.start(number, ROWS);
  const rows = t.start(number + 1, ROWS) - start;
  multiplyTriangular(rows, t.n, t.b + ((start * t.bRow) << 3), t.bRow, t.bColumn, t.l, t.lRow, t.lColumn);
}

/** The columns of B are contiguous: two columns of eight rows of B in eight registers. Column j needs columns k ≥ j, so j ascends. */
function multiplyColumns(
  m: i32,
  n: i32,
  b: usize,
  columnBytes: i32,
  l: usize,
  lRowBytes: i32,
  lColumnBytes: i32,
): void {
  const diagonalBytes = lRowBytes + lColumnBytes;
  let i = 0;
  for (; i + 8 <= m; i += 8) {
    let p: usize = b + (i << 3);
    let q = l;
    let j = 0;
    for (; j + 2 <= n; j += 2) {
      multiplyPair(n - j, p, columnBytes, q, lRowBytes, lColumnBytes);
      p += columnBytes << 1;
      q += diagonalBytes << 1;
    }
    if (j < n) multiplyLast(p, load<f64>(q));
  }
  for (; i < m; i++) {
    for (let j = 0; j < n; j++) {
      const target: usize = b + (i << 3) + j * columnBytes;
      const diagonal: usize = l + j * diagonalBytes;
      let s = 0.0;
      for (let k = 0; k < n - j; k++) s += load<f64>(target + k * columnBytes) * load<f64>(diagonal + k * lRowBytes);
      store<f64>(target, s);
    }
  }
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

/** The last column, of an odd number of them. The sum begins at zero as that of the others does. */
function multiplyLast(b: usize, diagonal: f64): void {
  const x = f64x2.splat(diagonal);
  const zero = f64x2.splat(0);
  for (let i: usize = 0; i < 64; i += 16) v128.store(b + i, multiplyAdd(x, v128.load(b + i), zero));
}

/** The rows of B lie apart: groups of them are multiplied where they lie side by side. */
function multiplyRows(
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
    multiplyColumns(GROUP, n, group, GROUP_BYTES, l, lRowBytes, lColumnBytes);
    scatterRows(n, group, rows, rowBytes, columnBytes);
  }
  for (; i < m; i++) {
    const p: usize = b + i * rowBytes;
    for (let j = 0; j < n; j++) {
      const diagonal: usize = l + j * (lRowBytes + lColumnBytes);
      let s = 0.0;
      for (let k = 0; k < n - j; k++) s += load<f64>(p + (j + k) * columnBytes) * load<f64>(diagonal + k * lRowBytes);
      store<f64>(p + j * columnBytes, s);
    }
  }
}
