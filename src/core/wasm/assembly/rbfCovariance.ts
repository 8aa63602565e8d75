import { exponential } from './exponential';
import { distancesFromPoint } from './squaredDistances';
import { at } from './vectors';

const BLOCK: i32 = 64;

/**
 * K_ij ← variance·exp(−½·‖x_i − x_j‖²) + bias, + noise where i = j: n×n, row-major; the points divided by their
 * lengthscales and given dimension by dimension (q×n). Block by block, so that exponents never leave the first-level cache; blocks
 * below the diagonal are copied above it with `mirror`, else the upper triangle is left alone.
 */
export function rbfCovariance(
  n: i32,
  q: i32,
  x: usize,
  variance: f64,
  bias: f64,
  noise: f64,
  k: usize,
  mirror: bool,
): void {
  const rowBytes = n << 3;
  for (let ib = 0; ib < n; ib += BLOCK) {
    const rows = min(ib + BLOCK, n);
    for (let jb = 0; jb <= ib; jb += BLOCK) {
      for (let i = ib; i < rows; i++) {
        const width = min(BLOCK, i - jb);
        const entries: usize = at(k + i * rowBytes, jb);
        distancesFromPoint(width, q, at(x, i), rowBytes, at(x, jb), rowBytes, -0.5, entries);
        exponential(width, entries, entries);
        scaleAndShift(width, variance, bias, entries);
      }
      if (mirror) mirrorBlock(ib, rows, jb, k, rowBytes);
    }
    for (let i = ib; i < rows; i++) store<f64>(at(k + i * rowBytes, i), variance + bias + noise);
  }
}

function scaleAndShift(length: i32, factor: f64, shift: f64, x: usize): void {
  const factors = f64x2.splat(factor);
  const shifts = f64x2.splat(shift);
  let i = 0;
  for (; i + 2 <= length; i += 2) {
    v128.store(at(x, i), f64x2.add(f64x2.mul(factors, v128.load(at(x, i))), shifts));
  }
  if (i < length) store<f64>(at(x, i), factor * load<f64>(at(x, i)) + shift);
}

function mirrorBlock(ib: i32, rows: i32, jb: i32, k: usize, rowBytes: i32): void {
  for (let j = jb; j < min(jb + BLOCK, rows); j++) {
    const line: usize = k + j * rowBytes;
    for (let i = max(ib, j + 1); i < rows; i++) store<f64>(at(line, i), load<f64>(at(k + i * rowBytes, j)));
  }
}
