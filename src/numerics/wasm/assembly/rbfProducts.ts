import { multiplyTile } from './microKernel';
import { multiplyAdd } from './multiplyAdd';
import { negativeExponential, STEPS_PER_UNIT } from './negativeExponential';
import { pack, SLIVER } from './packing';
import { addScaled, at, scaleVector } from './vectors';

/**
 * Products are kept in tiles of 4×4, those of the lower triangle row by row, and m is a multiple of four: whoever gives inducing inputs
 * adds some, and ignores what comes of them.
 */
const TILE: i32 = SLIVER * SLIVER;

/** Numbers in the tiles of a lower triangle. */
export function tiled(m: i32): i32 {
  const count = m / SLIVER;
  return ((count * (count + 1)) >> 1) * TILE;
}

/**
 * Ψ2 summed over the points with weights, in tiles, for each of `sums` columns of weights (n×sums; 0 for one sum of all points):
 * Σ_n ω_n·Π_d (1 + 2s_nd/l_d²)^−½·exp(−(z_md − z_m'd)²/(4l_d²) − (μ_nd − z̄_d)²/(l_d² + 2s_nd)). The inducing inputs z are given dimension by
 * dimension (q×m); `apart` holds the part of the exponents that does not depend on the points, and is left in steps of the
 * exponential. Nothing n×m×m is stored; `work` holds 4·(q + 2)·m numbers and those of the tiles.
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
  const length = tiled(m);
  const products = at(work, 4 * (q + 2) * m);
  memory.fill(target, 0, (sums * length) << 3);
  scaleVector(length, STEPS_PER_UNIT, apart);
  for (let i = 0; i < n; i++) {
    const factor = pointProducts(m, q, at(mean, i * q), at(variance, i * q), z, squares, apart, products, work);
    for (let p = 0; p < sums; p++) {
      const weight = weights == 0 ? 1.0 : load<f64>(at(weights, i * sums + p));
      if (weight != 0) addScaled(length, factor * weight, products, at(target, p * length));
    }
  }
}

/**
 * exp of the exponents of one point's Ψ2, in tiles, with `apart` in steps of the exponential; returns the factor that belongs to them. With u = μ − z the exponents are
 * −¼Σ_d (u_jd + u_kd)²/(l_d² + 2s_d) = a_j + a_k − ½Σ_d u_jd·u_kd/(l_d² + 2s_d), a product of two matrices of q + 2 rows. The second of them,
 * the q rows of u, ones, and a, is left at the beginning of `work`.
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
  const depth = q + 2;
  const right = work;
  const left = at(right, depth * m);
  const rightSlivers = at(left, depth * m);
  const leftSlivers = at(rightSlivers, depth * m);
  const factor = factors(m, q, mean, variance, z, squares, left, right);
  pack(leftSlivers, left, m, depth, 1, m, 1);
  pack(rightSlivers, right, m, depth, 1, m, 1);
  const sliver = SLIVER * depth;
  const count = m / SLIVER;
  let target = products;
  for (let I = 0; I < count; I++) {
    const rows = at(leftSlivers, I * sliver);
    for (let J = 0; J <= I; J++) {
      multiplyTile(depth, rows, at(rightSlivers, J * sliver), target, SLIVER << 3, false);
      target = at(target, TILE);
    }
  }
  negativeExponential(tiled(m), products, apart);
  return factor;
}

/** The rows −½u_d/(l_d² + 2s_d), a, 1 on the left, and u_d, 1, a on the right; returns Π_d (1 + 2s_d/l_d²)^−½. */
function factors(
  m: i32,
  q: i32,
  mean: usize,
  variance: usize,
  z: usize,
  squares: usize,
  left: usize,
  right: usize,
): f64 {
  const quarters = at(right, (q + 1) * m);
  memory.fill(quarters, 0, m << 3);
  let factor = 1.0;
  for (let d = 0; d < q; d++) {
    const square = load<f64>(at(squares, d));
    const spread = square + 2.0 * load<f64>(at(variance, d));
    factor *= square / spread;
    const point = v128.load64_splat(at(mean, d));
    const slope = f64x2.splat((-0.5 * STEPS_PER_UNIT) / spread);
    const half = f64x2.splat(0.5);
    for (let j = 0; j < m; j += 2) {
      const gap = f64x2.sub(point, v128.load(at(z, d * m + j)));
      const pull = f64x2.mul(slope, gap);
      v128.store(at(right, d * m + j), gap);
      v128.store(at(left, d * m + j), pull);
      const quarter = at(quarters, j);
      v128.store(quarter, multiplyAdd(f64x2.mul(half, pull), gap, v128.load(quarter)));
    }
  }
  fillOnes(m, at(right, q * m));
  memory.copy(at(left, q * m), quarters, m << 3);
  fillOnes(m, at(left, (q + 1) * m));
  return sqrt(factor);
}

function fillOnes(m: i32, row: usize): void {
  const ones = f64x2.splat(1);
  for (let j = 0; j < m; j += 2) v128.store(at(row, j), ones);
}
