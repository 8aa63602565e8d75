import { exponential } from './exponential';
import { addScaled, at, scaleVector } from './vectors';

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

/**
 * Ψ2 summed over the points with weights, the lower triangle row by row, for each of `sums` columns of weights (n×sums; 0 for one sum
 * of all points): Σ_n ω_n·Π_d (1 + 2s_nd/l_d²)^−½·exp(−(z_md − z_m'd)²/(4l_d²) − (μ_nd − z̄_d)²/(l_d² + 2s_nd)). `apart` holds the part
 * of the exponents that does not depend on the points. Nothing n×m×m is stored; `work` holds q·m + m + q numbers and a triangle.
 */
export function expectedRbfProducts(
  n: i32,
  m: i32,
  q: i32,
  mean: usize,
  variance: usize,
  z: usize,
  squares: usize,
  apart: usize,
  weights: usize,
  sums: i32,
  target: usize,
  work: usize,
): void {
  const length = (m * (m + 1)) >> 1;
  const products = at(work, q * m + m + q);
  memory.fill(target, 0, (sums * length) << 3);
  for (let i = 0; i < n; i++) {
    const factor = pointProducts(m, q, at(mean, i * q), at(variance, i * q), z, squares, apart, products, work);
    for (let p = 0; p < sums; p++) {
      const weight = weights == 0 ? 1.0 : load<f64>(at(weights, i * sums + p));
      if (weight != 0) addScaled(length, factor * weight, products, at(target, p * length));
    }
  }
}

/**
 * exp of the exponents of one point's Ψ2, lower triangle; returns the factor that belongs to them. Leaves in `work` the differences
 * u = μ − z (q×m).
 */
export function pointProducts(
  m: i32,
  q: i32,
  mean: usize,
  variance: usize,
  z: usize,
  squares: usize,
  apart: usize,
  products: usize,
  work: usize,
): f64 {
  const quarters = at(work, q * m);
  const coefficients = at(quarters, m);
  memory.fill(quarters, 0, m << 3);
  let factor = 1.0;
  for (let d = 0; d < q; d++) {
    const square = load<f64>(at(squares, d));
    const spread = square + 2.0 * load<f64>(at(variance, d));
    factor *= square / spread;
    differences(m, load<f64>(at(mean, d)), at(z, d * m), -0.25 / spread, at(work, d * m), quarters);
  }
  for (let j = 0; j < m; j++) {
    for (let d = 0; d < q; d++) {
      const spread = load<f64>(at(squares, d)) + 2.0 * load<f64>(at(variance, d));
      store<f64>(at(coefficients, d), (-0.5 / spread) * load<f64>(at(work, d * m + j)));
    }
    const start = (j * (j + 1)) >> 1;
    exponents(
      j + 1,
      m,
      q,
      coefficients,
      work,
      quarters,
      load<f64>(at(quarters, j)),
      at(apart, start),
      at(products, start),
    );
  }
  exponential((m * (m + 1)) >> 1, products, products);
  return sqrt(factor);
}

/** u ← x − z, and sum ← sum + factor·u². */
function differences(m: i32, x: f64, z: usize, factor: f64, u: usize, sum: usize): void {
  const point = f64x2.splat(x);
  const factors = f64x2.splat(factor);
  let j = 0;
  for (; j + 2 <= m; j += 2) {
    const gap = f64x2.sub(point, v128.load(at(z, j)));
    v128.store(at(u, j), gap);
    v128.store(at(sum, j), f64x2.add(v128.load(at(sum, j)), f64x2.mul(factors, f64x2.mul(gap, gap))));
  }
  if (j < m) {
    const gap = x - load<f64>(at(z, j));
    store<f64>(at(u, j), gap);
    store<f64>(at(sum, j), load<f64>(at(sum, j)) + factor * gap * gap);
  }
}

/** target_j ← apart_j + quarters_j + shift + Σ_d c_d·u_dj, `width` entries; rows of u are `stride` long. */
function exponents(
  width: i32,
  stride: i32,
  q: i32,
  c: usize,
  u: usize,
  quarters: usize,
  shift: f64,
  apart: usize,
  target: usize,
): void {
  const shifts = f64x2.splat(shift);
  const rowBytes: usize = stride << 3;
  let j = 0;
  for (; j + 8 <= width; j += 8) {
    let s0 = f64x2.add(shifts, f64x2.add(v128.load(at(apart, j)), v128.load(at(quarters, j))));
    let s1 = f64x2.add(shifts, f64x2.add(v128.load(at(apart, j), 16), v128.load(at(quarters, j), 16)));
    let s2 = f64x2.add(shifts, f64x2.add(v128.load(at(apart, j), 32), v128.load(at(quarters, j), 32)));
    let s3 = f64x2.add(shifts, f64x2.add(v128.load(at(apart, j), 48), v128.load(at(quarters, j), 48)));
    let row = at(u, j);
    for (let d = 0; d < q; d++) {
      const factor = v128.load64_splat(at(c, d));
      s0 = f64x2.add(s0, f64x2.mul(factor, v128.load(row)));
      s1 = f64x2.add(s1, f64x2.mul(factor, v128.load(row, 16)));
      s2 = f64x2.add(s2, f64x2.mul(factor, v128.load(row, 32)));
      s3 = f64x2.add(s3, f64x2.mul(factor, v128.load(row, 48)));
      row += rowBytes;
    }
    v128.store(at(target, j), s0);
    v128.store(at(target, j), s1, 16);
    v128.store(at(target, j), s2, 32);
    v128.store(at(target, j), s3, 48);
  }
  for (; j < width; j++) {
    let sum = shift + load<f64>(at(apart, j)) + load<f64>(at(quarters, j));
    let row = at(u, j);
    for (let d = 0; d < q; d++) {
      sum += load<f64>(at(c, d)) * load<f64>(row);
      row += rowBytes;
    }
    store<f64>(at(target, j), sum);
  }
}
