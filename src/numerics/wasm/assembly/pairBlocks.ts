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

/** The same of a symmetric g, of which the row alone is read. */
export function doubled(width: i32, row: usize, h: usize): void {
  let j = 0;
  for (; j + 2 <= width; j += 2) {
    const pair = v128.load(at(row, j));
    v128.store(at(h, j), f64x2.add(pair, pair));
  }
  if (j < width) store<f64>(at(h, j), load<f64>(at(row, j)) + load<f64>(at(row, j)));
}

/** One row, one dimension: the pull of points j = 0 … width − 1 on point i (numbered from the same start) and back. */
export function contract(width: i32, i: i32, x: usize, h: usize, dx: usize, square: usize): void {
  const xi = load<f64>(at(x, i));
  const xs = f64x2.splat(xi);
  let pulls = f64x2.splat(0);
  let squares = f64x2.splat(0);
  let j = 0;
  for (; j + 2 <= width; j += 2) {
    const gap = f64x2.sub(xs, v128.load(at(x, j)));
    const pull = f64x2.mul(v128.load(at(h, j)), gap);
    pulls = f64x2.add(pulls, pull);
    squares = f64x2.add(squares, f64x2.mul(pull, gap));
    v128.store(at(dx, j), f64x2.add(v128.load(at(dx, j)), pull));
  }
  let pull = lanes(pulls);
  let sum = lanes(squares);
  if (j < width) {
    const gap = xi - load<f64>(at(x, j));
    const last = load<f64>(at(h, j)) * gap;
    pull += last;
    sum += last * gap;
    store<f64>(at(dx, j), load<f64>(at(dx, j)) + last);
  }
  store<f64>(at(dx, i), load<f64>(at(dx, i)) - pull);
  store<f64>(square, load<f64>(square) + sum);
}
