import { addScaled, at, dot, lanes, multiplyAdd } from './vectors';

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

/** Product for contiguous rows: one dot product per row, four at a time so that x is read a quarter as often. */
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

/** Product for contiguous columns: y accumulates multiples of them, four at a time so that y is read and written a quarter as often. */
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

/** y ← A·x for a symmetric A, n×n: its upper triangle is read once, four rows at a time, for both halves of the product. */
export function symmetricVector(n: i32, a: usize, stride: i32, x: usize, y: usize): void {
  memory.fill(y, 0, n << 3);
  const rowBytes = stride << 3;
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    diagonalBlock(a + i * rowBytes + (i << 3), rowBytes, at(x, i), at(y, i));
    fourRows(n - i - 4, a + i * rowBytes + ((i + 4) << 3), rowBytes, at(x, i), at(y, i));
  }
  for (; i < n; i++) {
    const row: usize = at(a + i * rowBytes, i);
    const xi = load<f64>(at(x, i));
    const rest = n - i - 1;
    const yi = load<f64>(at(y, i)) + load<f64>(row) * xi;
    store<f64>(at(y, i), yi + dot(rest, row + 8, at(x, i + 1)));
    addScaled(rest, xi, row + 8, at(y, i + 1));
  }
}

function diagonalBlock(a: usize, rowBytes: i32, x: usize, y: usize): void {
  for (let r = 0; r < 4; r++) {
    for (let c = r; c < 4; c++) {
      const entry = load<f64>(at(a + r * rowBytes, c));
      store<f64>(at(y, r), load<f64>(at(y, r)) + entry * load<f64>(at(x, c)));
      if (c > r) store<f64>(at(y, c), load<f64>(at(y, c)) + entry * load<f64>(at(x, r)));
    }
  }
}

/** The `length` columns right of a diagonal block, in steps of two pairs as in `multiplyTile`; x and y point at the block's own entries. */
function fourRows(length: i32, a: usize, rowBytes: i32, x: usize, y: usize): void {
  const x0 = v128.load_splat<f64>(x);
  const x1 = v128.load_splat<f64>(x, 8);
  const x2 = v128.load_splat<f64>(x, 16);
  const x3 = v128.load_splat<f64>(x, 24);
  let a0 = a;
  let a1: usize = a0 + rowBytes;
  let a2: usize = a1 + rowBytes;
  let a3: usize = a2 + rowBytes;
  let px: usize = x + 32;
  let py: usize = y + 32;
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let s2 = f64x2.splat(0);
  let s3 = f64x2.splat(0);
  let j = 0;
  for (; j + 2 <= length; j += 4) {
    const xj = v128.load(px);
    let yj = v128.load(py);
    let entries = v128.load(a0);
    s0 = multiplyAdd(entries, xj, s0);
    yj = multiplyAdd(entries, x0, yj);
    entries = v128.load(a1);
    s1 = multiplyAdd(entries, xj, s1);
    yj = multiplyAdd(entries, x1, yj);
    entries = v128.load(a2);
    s2 = multiplyAdd(entries, xj, s2);
    yj = multiplyAdd(entries, x2, yj);
    entries = v128.load(a3);
    s3 = multiplyAdd(entries, xj, s3);
    yj = multiplyAdd(entries, x3, yj);
    v128.store(py, yj);
    if (j + 4 > length) {
      j += 2;
      px += 16;
      py += 16;
      a0 += 16;
      a1 += 16;
      a2 += 16;
      a3 += 16;
      break;
    }
    const xk = v128.load(px, 16);
    let yk = v128.load(py, 16);
    entries = v128.load(a0, 16);
    s0 = multiplyAdd(entries, xk, s0);
    yk = multiplyAdd(entries, x0, yk);
    entries = v128.load(a1, 16);
    s1 = multiplyAdd(entries, xk, s1);
    yk = multiplyAdd(entries, x1, yk);
    entries = v128.load(a2, 16);
    s2 = multiplyAdd(entries, xk, s2);
    yk = multiplyAdd(entries, x2, yk);
    entries = v128.load(a3, 16);
    s3 = multiplyAdd(entries, xk, s3);
    yk = multiplyAdd(entries, x3, yk);
    v128.store(py, yk, 16);
    px += 32;
    py += 32;
    a0 += 32;
    a1 += 32;
    a2 += 32;
    a3 += 32;
  }
  let t0 = lanes(s0);
  let t1 = lanes(s1);
  let t2 = lanes(s2);
  let t3 = lanes(s3);
  if (j < length) {
    const xj = load<f64>(px);
    t0 += load<f64>(a0) * xj;
    t1 += load<f64>(a1) * xj;
    t2 += load<f64>(a2) * xj;
    t3 += load<f64>(a3) * xj;
    const s01 = load<f64>(a0) * load<f64>(x) + load<f64>(a1) * load<f64>(x, 8);
    const s23 = load<f64>(a2) * load<f64>(x, 16) + load<f64>(a3) * load<f64>(x, 24);
    store<f64>(py, load<f64>(py) + s01 + s23);
  }
  store<f64>(y, load<f64>(y) + t0);
  store<f64>(y, load<f64>(y, 8) + t1, 8);
  store<f64>(y, load<f64>(y, 16) + t2, 16);
  store<f64>(y, load<f64>(y, 24) + t3, 24);
}
