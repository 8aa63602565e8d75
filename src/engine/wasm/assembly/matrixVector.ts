import { at, dot, lanes, multiplyAdd } from './vectors';

/** y ← alpha·M·x, added to y with `accumulate`; M rows×columns in any strides (in numbers) of either sign. */
export function matrixVector(
  rows: i32,
  columns: i32,
  alpha: f64,
  m: usize,
  row: i32,
  column: i32,
  x: usize,
  xStride: i32,
  y: usize,
  yStride: i32,
  accumulate: bool,
): void {
  if (row == -1) {
    m -= (rows - 1) << 3;
    y += ((rows - 1) * yStride) << 3;
    row = 1;
    yStride = -yStride;
  }
  if (column == -1) {
    m -= (columns - 1) << 3;
    x += ((columns - 1) * xStride) << 3;
    column = 1;
    xStride = -xStride;
  }
  if (column == 1 && xStride == 1) {
    byRows(rows, columns, alpha, m, row << 3, x, y, yStride << 3, accumulate);
  } else if (row == 1 && yStride == 1) {
    if (!accumulate) memory.fill(y, 0, rows << 3);
    byColumns(rows, columns, alpha, m, column << 3, x, xStride << 3, y);
  } else {
    for (let i = 0; i < rows; i++) {
      let s = 0.0;
      for (let j = 0; j < columns; j++)
        s += load<f64>(m + ((i * row + j * column) << 3)) * load<f64>(x + ((j * xStride) << 3));
      const entry: usize = y + ((i * yStride) << 3);
      store<f64>(entry, accumulate ? load<f64>(entry) + alpha * s : alpha * s);
    }
  }
}

/** Contiguous rows: a dot product each, four at a time so that x is read a quarter as often. */
function byRows(
  rows: i32,
  columns: i32,
  alpha: f64,
  m: usize,
  rowBytes: i32,
  x: usize,
  y: usize,
  yBytes: i32,
  accumulate: bool,
): void {
  let i = 0;
  for (; i + 4 <= rows; i += 4) {
    let p0: usize = m + i * rowBytes;
    let p1: usize = p0 + rowBytes;
    let p2: usize = p1 + rowBytes;
    let p3: usize = p2 + rowBytes;
    let q = x;
    let s0 = f64x2.splat(0);
    let s1 = f64x2.splat(0);
    let s2 = f64x2.splat(0);
    let s3 = f64x2.splat(0);
    let j = 0;
    for (; j + 2 <= columns; j += 2) {
      const v = v128.load(q);
      s0 = multiplyAdd(v128.load(p0), v, s0);
      s1 = multiplyAdd(v128.load(p1), v, s1);
      s2 = multiplyAdd(v128.load(p2), v, s2);
      s3 = multiplyAdd(v128.load(p3), v, s3);
      p0 += 16;
      p1 += 16;
      p2 += 16;
      p3 += 16;
      q += 16;
    }
    let t0 = lanes(s0);
    let t1 = lanes(s1);
    let t2 = lanes(s2);
    let t3 = lanes(s3);
    if (j < columns) {
      const v = load<f64>(q);
      t0 += load<f64>(p0) * v;
      t1 += load<f64>(p1) * v;
      t2 += load<f64>(p2) * v;
      t3 += load<f64>(p3) * v;
    }
    let entry: usize = y + i * yBytes;
    put(entry, alpha * t0, accumulate);
    entry += yBytes;
    put(entry, alpha * t1, accumulate);
    entry += yBytes;
    put(entry, alpha * t2, accumulate);
    entry += yBytes;
    put(entry, alpha * t3, accumulate);
  }
  for (; i < rows; i++) put(y + i * yBytes, alpha * dot(columns, m + i * rowBytes, x), accumulate);
}

function put(entry: usize, value: f64, accumulate: bool): void {
  store<f64>(entry, accumulate ? load<f64>(entry) + value : value);
}

/** Contiguous columns: y gathers multiples of them, four at a time so that y is read and written a quarter as often. */
function byColumns(
  rows: i32,
  columns: i32,
  alpha: f64,
  m: usize,
  columnBytes: i32,
  x: usize,
  xBytes: i32,
  y: usize,
): void {
  let j = 0;
  for (; j + 4 <= columns; j += 4) {
    const x0 = alpha * load<f64>(x + j * xBytes);
    const x1 = alpha * load<f64>(x + (j + 1) * xBytes);
    const x2 = alpha * load<f64>(x + (j + 2) * xBytes);
    const x3 = alpha * load<f64>(x + (j + 3) * xBytes);
    let p0: usize = m + j * columnBytes;
    let p1: usize = p0 + columnBytes;
    let p2: usize = p1 + columnBytes;
    let p3: usize = p2 + columnBytes;
    let q = y;
    let i = 0;
    for (; i + 2 <= rows; i += 2) {
      const s01 = f64x2.add(f64x2.mul(v128.load(p0), f64x2.splat(x0)), f64x2.mul(v128.load(p1), f64x2.splat(x1)));
      const s23 = f64x2.add(f64x2.mul(v128.load(p2), f64x2.splat(x2)), f64x2.mul(v128.load(p3), f64x2.splat(x3)));
      v128.store(q, f64x2.add(v128.load(q), f64x2.add(s01, s23)));
      p0 += 16;
      p1 += 16;
      p2 += 16;
      p3 += 16;
      q += 16;
    }
    if (i < rows) {
      const s = load<f64>(p0) * x0 + load<f64>(p1) * x1 + (load<f64>(p2) * x2 + load<f64>(p3) * x3);
      store<f64>(q, load<f64>(q) + s);
    }
  }
  for (; j < columns; j++) {
    const factor = alpha * load<f64>(x + j * xBytes);
    const p: usize = m + j * columnBytes;
    for (let i = 0; i < rows; i++) store<f64>(at(y, i), load<f64>(at(y, i)) + factor * load<f64>(at(p, i)));
  }
}
