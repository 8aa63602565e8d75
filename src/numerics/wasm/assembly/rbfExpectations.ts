import { exponential } from './exponential';
import { at, scaleVector } from './vectors';

/**
 * Ψ1_nm ← Π_d (1 + s_nd/l_d²)^−½·exp(−½·(μ_nd − z_md)²/(l_d² + s_nd)), n×m: means μ and variances s are n×q, the inducing inputs
 * z are given dimension by dimension (q×m), and lengthscales as their squares.
 */
export function expectedRbf(
  n: i32,
  m: i32,
  q: i32,
  mean: usize,
  variance: usize,
  z: usize,
  squares: usize,
  target: usize,
): void {
  for (let i = 0; i < n; i++) {
    expectedRow(m, q, at(mean, i * q), at(variance, i * q), z, squares, at(target, i * m));
  }
}

/** One row of Ψ1. */
export function expectedRow(m: i32, q: i32, mean: usize, variance: usize, z: usize, squares: usize, row: usize): void {
  memory.fill(row, 0, m << 3);
  let factor = 1.0;
  for (let d = 0; d < q; d++) {
    const square = load<f64>(at(squares, d));
    const s = load<f64>(at(variance, d));
    factor *= square / (square + s);
    addSquares(m, load<f64>(at(mean, d)), at(z, d * m), -0.5 / (square + s), row);
  }
  exponential(m, row, row);
  scaleVector(m, sqrt(factor), row);
}

/** row ← row + factor·(x − z)². */
function addSquares(m: i32, x: f64, z: usize, factor: f64, row: usize): void {
  const point = f64x2.splat(x);
  const factors = f64x2.splat(factor);
  let j = 0;
  for (; j + 2 <= m; j += 2) {
    const gap = f64x2.sub(point, v128.load(at(z, j)));
    v128.store(at(row, j), f64x2.add(v128.load(at(row, j)), f64x2.mul(factors, f64x2.mul(gap, gap))));
  }
  if (j < m) {
    const gap = x - load<f64>(at(z, j));
    store<f64>(at(row, j), load<f64>(at(row, j)) + factor * gap * gap);
  }
}
