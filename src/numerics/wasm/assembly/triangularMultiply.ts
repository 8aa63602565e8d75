import { FULL, multiply } from './multiply';
import { multiplyAdd } from './multiplyAdd';
import { GROUP, GROUP_BYTES, gatherRows, scatterRows } from './rowGroup';
import { currentTriangularTask, shareRows } from './triangularParts';
import { half, PANEL, ROWS } from './triangularSolve';
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

/** The columns of B are contiguous: eight rows of B in four registers. Column j needs columns k ≥ j, so j ascends. */
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
    for (let j = 0; j < n; j++) {
      const target: usize = b + (i << 3) + j * columnBytes;
      let p = target;
      let q: usize = l + j * diagonalBytes;
      let s0 = f64x2.splat(0);
      let s1 = f64x2.splat(0);
      let s2 = f64x2.splat(0);
      let s3 = f64x2.splat(0);
      for (let k = j; k < n; k++) {
        const x = v128.load_splat<f64>(q);
        s0 = multiplyAdd(x, v128.load(p), s0);
        s1 = multiplyAdd(x, v128.load(p, 16), s1);
        s2 = multiplyAdd(x, v128.load(p, 32), s2);
        s3 = multiplyAdd(x, v128.load(p, 48), s3);
        p += columnBytes;
        q += lRowBytes;
      }
      v128.store(target, s0);
      v128.store(target, s1, 16);
      v128.store(target, s2, 32);
      v128.store(target, s3, 48);
    }
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
