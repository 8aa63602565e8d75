import { negativeExponential, STEPS_PER_UNIT } from './exponential';
import { multiplyTiles } from './microKernel';
import { pack, SLIVER } from './packing';
import { Expectations } from './rbfExpectations';
import { performParts } from './team';
import { addScaled, at, multiplyAdd, scaleVector } from './vectors';

/**
 * Products are kept in tiles of 4×4, those of the lower triangle row by row, and m is a multiple of four: callers pad the inducing
 * inputs to the width and ignore the results for the padding.
 */
const TILE: i32 = SLIVER * SLIVER;

/** Numbers in the tiles of a lower triangle. */
export function tiled(m: i32): i32 {
  const count = m / SLIVER;
  return ((count * (count + 1)) >> 1) * TILE;
}

/**
 * Ψ2 summed over the points with weights, in tiles, for each of `sums` columns of weights:
 * Σ_n ω_n·Π_d (1 + 2s_nd/l_d²)^−½·exp(−(z_md − z_m'd)²/(4l_d²) − (μ_nd − z̄_d)²/(l_d² + 2s_nd)), and `apart` is left in steps of the exponential.
 * With m the width of the inducing inputs:
 *
 * The points are divided into `parts` with separate sums, which are added in order, so that one thread and several threads give the same
 * bits. `target` and `work` hold a part's numbers for each: the tiles of its sums, and 4·(q + 2)·m and those of the tiles. Nothing
 * n×m×m is stored, unless the exponentials of the first `keptPoints` are to be `kept` for the gradient, the numbers of the tiles for each.
 */
export function expectedRbfProducts(e: Expectations): void {
  const length = tiled(e.width);
  scaleVector(length, STEPS_PER_UNIT, e.apart);
  performParts(sumsOfPart, e.parts, changetype<usize>(e), productCost(e));
  addParts(e.parts, e.sums * length, e.target);
}

/** Cost of an exponential, in multiplications of a product. */
const EXPONENTIAL: i32 = 10;

/** Cost of the products of all points, in multiplications. */
export function productCost(e: Expectations): f64 {
  return <f64>e.n * tiled(e.width) * (e.q + EXPONENTIAL);
}

/** The first of the n points that are a part's own. */
export function firstPoint(part: i32, e: Expectations): i32 {
  return (part * e.n) / e.parts;
}

/** The first of `parts` results, one after the other, ← the sum of all of them. */
export function addParts(parts: i32, length: i32, results: usize): void {
  for (let part = 1; part < parts; part++) addScaled(length, 1, at(results, part * length), results);
}

function sumsOfPart(part: i32, record: usize): void {
  const e = changetype<Expectations>(record);
  const m = e.width;
  const q = e.q;
  const sums = e.sums;
  const length = tiled(m);
  const inputs = 4 * (q + 2) * m;
  const own = at(e.target, part * sums * length);
  const work = at(e.work, part * (inputs + length));
  const unkept = at(work, inputs);
  memory.fill(own, 0, (sums * length) << 3);
  const end = firstPoint(part + 1, e);
  for (let i = firstPoint(part, e); i < end; i++) {
    const products = i < e.keptPoints ? at(e.kept, i * length) : unkept;
    const factor = pointInputs(i, e, work);
    pointProducts(m, q, e.apart, products, work);
    for (let p = 0; p < sums; p++) {
      const weight = e.weights == 0 ? 1.0 : load<f64>(at(e.weights, i * sums + p));
      if (weight != 0) addScaled(length, factor * weight, products, at(own, p * length));
    }
  }
}

/**
 * exp of the exponents of one point's Ψ2, in tiles, with `apart` in steps of the exponential, from what `pointInputs` left in `work`. With
 * u = μ − z the exponents are −¼Σ_d (u_jd + u_kd)²/(l_d² + 2s_d) = a_j + a_k − ½Σ_d u_jd·u_kd/(l_d² + 2s_d), a product of two matrices of
 * q + 2 rows.
 */
export function pointProducts(m: i32, q: i32, apart: usize, products: usize, work: usize): void {
  const depth = q + 2;
  const right = work;
  const left = at(right, depth * m);
  const rightSlivers = at(left, depth * m);
  const leftSlivers = at(rightSlivers, depth * m);
  pack(leftSlivers, left, m, depth, 1, m, 1);
  pack(rightSlivers, right, m, depth, 1, m, 1);
  const sliver = SLIVER * depth;
  const count = m / SLIVER;
  let target = products;
  for (let I = 0; I < count; I++) {
    const rows = at(leftSlivers, I * sliver);
    for (let J = 0; J <= I; J++) {
      multiplyTiles<f64>(1, depth, rows, at(rightSlivers, J * sliver), target, SLIVER << 3, false);
      target = at(target, TILE);
    }
  }
  negativeExponential(tiled(m), products, apart);
}

/**
 * The rows u_d, 1, a at the beginning of `work`, and after them −½u_d/(l_d² + 2s_d), a, 1; returns the factor of the products of point i,
 * Π_d (1 + 2s_d/l_d²)^−½.
 */
export function pointInputs(i: i32, e: Expectations, work: usize): f64 {
  const m = e.width;
  const q = e.q;
  const z = e.z;
  const mean = at(e.mean, i * q);
  const variance = at(e.variance, i * q);
  const right = work;
  const left = at(right, (q + 2) * m);
  const quarters = at(right, (q + 1) * m);
  memory.fill(quarters, 0, m << 3);
  let factor = 1.0;
  for (let d = 0; d < q; d++) {
    const square = load<f64>(at(e.squares, d));
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
