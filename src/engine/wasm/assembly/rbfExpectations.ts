import { exponential } from './exponential';
import { at, lanes, multiplyAdd, scaleVector } from './vectors';

/**
 * Arguments of the expectations of an rbf under n Gaussians, whose means and variances are n×q. The inducing inputs z are stored dimension by
 * dimension (q×width, with m columns in use), lengthscales as their squares. A routine reads only the fields in its description.
 */
@unmanaged
export class Expectations {
  n: i32;
  m: i32;
  width: i32;
  q: i32;
  mean: usize;
  variance: usize;
  z: usize;
  squares: usize;
  /** The part of the exponents of products that does not depend on the points. */
  apart: usize;
  /** Weight of each point in each of several sums, n×sums; 0 for one sum over all points. */
  weights: usize;
  sums: i32;
  /** Exponentials of the first points, stored for the gradient. */
  kept: usize;
  keptPoints: i32;
  /** Number of parts that the points are divided into. */
  parts: i32;
  target: usize;
  g: usize;
  dmean: usize;
  dvariance: usize;
  dz: usize;
  dsquares: usize;
  work: usize;
}

/** Ψ1_nm ← Π_d (1 + s_nd/l_d²)^−½·exp(−½·(μ_nd − z_md)²/(l_d² + s_nd)), n×m: means μ and variances s. */
export function expectedRbf(e: Expectations): void {
  const m = e.m;
  const q = e.q;
  for (let i = 0; i < e.n; i++) {
    expectedRow(m, q, at(e.mean, i * q), at(e.variance, i * q), e.z, e.squares, at(e.target, i * m));
  }
}

/** One row of Ψ1. */
function expectedRow(m: i32, q: i32, mean: usize, variance: usize, z: usize, squares: usize, row: usize): void {
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
 * Contracts g = ∂L/∂Ψ1 (n×m) with the derivatives of `expectedRbf`: dmean and dvariance (n×q) are set, dz (q×width) and dsquares (q)
 * added to. Returns Σ g∘Ψ1. The width is even; `work` has as many numbers.
 */
export function expectedRbfGradient(e: Expectations): f64 {
  const m = e.m;
  const width = e.width;
  const q = e.q;
  const z = e.z;
  const squares = e.squares;
  const dz = e.dz;
  const dsquares = e.dsquares;
  const work = e.work;
  let total = 0.0;
  for (let i = 0; i < e.n; i++) {
    const means = at(e.mean, i * q);
    const variances = at(e.variance, i * q);
    expectedRow(width, q, means, variances, z, squares, work);
    const weight = weigh(m, width, at(e.g, i * m), work);
    total += weight;
    for (let d = 0; d < q; d++) {
      const square = load<f64>(at(squares, d));
      const s = load<f64>(at(variances, d));
      const precision = 1.0 / (square + s);
      const precisions = f64x2.splat(precision);
      const x = v128.load64_splat(at(means, d));
      let pulls = f64x2.splat(0);
      let spreads = f64x2.splat(0);
      for (let j = 0; j < width; j += 2) {
        const gap = f64x2.sub(x, v128.load(at(z, d * width + j)));
        const part = f64x2.mul(v128.load(at(work, j)), gap);
        pulls = f64x2.add(pulls, part);
        spreads = multiplyAdd(part, gap, spreads);
        const slope = at(dz, d * width + j);
        v128.store(slope, multiplyAdd(precisions, part, v128.load(slope)));
      }
      const widening = 0.5 * precision * precision * lanes(spreads);
      store<f64>(at(e.dmean, i * q + d), -precision * lanes(pulls));
      store<f64>(at(e.dvariance, i * q + d), widening - 0.5 * weight * precision);
      const slope = at(dsquares, d);
      store<f64>(slope, load<f64>(slope) + widening + (0.5 * weight * precision * s) / square);
    }
  }
  return total;
}

/** h ← g∘h, and 0 from entry m to `width`; returns its sum. */
function weigh(m: i32, width: i32, g: usize, h: usize): f64 {
  let sum = 0.0;
  for (let j = 0; j < m; j++) {
    const entry = load<f64>(at(g, j)) * load<f64>(at(h, j));
    store<f64>(at(h, j), entry);
    sum += entry;
  }
  memory.fill(at(h, m), 0, (width - m) << 3);
  return sum;
}
