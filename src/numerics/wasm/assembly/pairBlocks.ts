import { at, lanes } from './vectors';

/** Copies what is below the diagonal in rows ib … rows − 1, columns jb … jb + width − 1, to above it. */
export function mirrorBlock(ib: i32, rows: i32, jb: i32, width: i32, k: usize, rowBytes: i32): void {
  for (let j = jb; j < min(jb + width, rows); j++) {
    const line: usize = k + j * rowBytes;
    for (let i = max(ib, j + 1); i < rows; i++) store<f64>(at(line, i), load<f64>(at(k + i * rowBytes, j)));
  }
}

/** h_j ← g_ij + g_ji. */
export function withTransposed(width: i32, row: usize, column: usize, rowBytes: i32, h: usize): void {
  for (let j = 0; j < width; j++) store<f64>(at(h, j), load<f64>(at(row, j)) + load<f64>(column + j * rowBytes));
}

/** One row, one dimension: the pull of points j = 0 … width − 1 on point i (numbered from the same start) and back. */
export function contract(width: i32, i: i32, x: usize, h: usize, dx: usize, square: usize): void {
  const own: usize = at(dx, i);
  const xi = load<f64>(at(x, i));
  const xs = f64x2.splat(xi);
  let pulls = f64x2.splat(0);
  let squares = f64x2.splat(0);
  for (let pairs = width >> 1; pairs > 0; pairs--) {
    const gap = f64x2.sub(xs, v128.load(x));
    const pull = f64x2.mul(v128.load(h), gap);
    pulls = f64x2.add(pulls, pull);
    squares = f64x2.add(squares, f64x2.mul(pull, gap));
    v128.store(dx, f64x2.add(v128.load(dx), pull));
    x += 16;
    h += 16;
    dx += 16;
  }
  let pull = lanes(pulls);
  let sum = lanes(squares);
  if (width & 1) {
    const gap = xi - load<f64>(x);
    const last = load<f64>(h) * gap;
    pull += last;
    sum += last * gap;
    store<f64>(dx, load<f64>(dx) + last);
  }
  store<f64>(own, load<f64>(own) - pull);
  store<f64>(square, load<f64>(square) + sum);
}
