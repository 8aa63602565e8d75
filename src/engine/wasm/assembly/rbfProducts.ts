import { negativeExponential, STEPS_PER_UNIT } from './exponential';
import { multiplyTiles } from './microKernel';
import { pack, SLIVER } from './multiply';
import { Expectations } from './rbfExpectations';
import { performParts } from './team';
import { addScaled, at, lanes, multiplyAdd, scaleVector } from './vectors';

/**
 * Contracts G_p = ∂L/∂Ψ2_p, symmetric matrices in tiles as in `expectedRbfProducts`, with its derivatives. Sets dmean and dvariance (n×q), and the
 * target, which has a result for each of the `parts` of the points; they are added in order to the first. A result consists of dz (q×m) and dsquares
 * (q), both without the part of the exponents that does not depend on the points; for that part, the tiles of Σ_n ω_n·G∘Ψ2_n; the sum of all their
 * entries; and one unused number. `apart` is left in steps of the exponential. With m the width, `work` has 4·(q + 2)·m + 2·(q + 4)·m + m² numbers
 * plus twice the size of the tiles for each part.
 */
export function expectedRbfProductsGradient(e: Expectations): void {
  scaleVector(tiled(e.width), STEPS_PER_UNIT, e.apart);
  performParts(contractPart, e.parts, changetype<usize>(e), CONTRACTIONS * productCost(e));
  addParts(e.parts, resultLength(e.width, e.q), e.target);
}

/** Cost of a point, relative to its products. */
const CONTRACTIONS: f64 = 2.0;

function resultLength(m: i32, q: i32): i32 {
  return q * m + q + tiled(m) + 2;
}

function contractPart(part: i32, record: usize): void {
  const e = changetype<Expectations>(record);
  const m = e.width;
  const q = e.q;
  const length = tiled(m);
  const ownLength = resultLength(m, q);
  const dz = at(e.target, part * ownLength);
  const dsquares = at(dz, q * m);
  const total = at(dsquares, q);
  memory.fill(dz, 0, ownLength << 3);
  const own = at(e.work, part * (4 * (q + 2) * m + 2 * (q + 4) * m + m * m + 2 * length));
  const pulls = at(own, 4 * (q + 2) * m);
  const slivers = at(pulls, (q + 4) * m);
  const h = at(slivers, (q + 4) * m);
  const combined = at(h, m * m);
  const unkept = at(combined, length);
  let sum = 0.0;
  const end = firstPoint(part + 1, e);
  for (let i = firstPoint(part, e); i < end; i++) {
    const variances = at(e.variance, i * q);
    const factor = pointInputs(i, e, own);
    let products = unkept;
    if (i < e.keptPoints) products = at(e.kept, i * length);
    else pointProducts(m, q, e.apart, products, own);
    let weighted = e.g;
    if (e.weights != 0) {
      weighted = combined;
      memory.fill(weighted, 0, length << 3);
      for (let p = 0; p < e.sums; p++) {
        const weight = load<f64>(at(e.weights, i * e.sums + p));
        if (weight != 0) addScaled(length, weight, at(e.g, p * length), weighted);
      }
    }
    spreadOut(m, factor, weighted, products, h, total);
    // u and ones are at the beginning of the workspace.
    contract(m, q + 1, h, own, slivers, pulls);
    const rowSums = at(pulls, q * m);
    const weight = sumOf(m, rowSums);
    sum += weight;
    for (let d = 0; d < q; d++) {
      const square = load<f64>(at(e.squares, d));
      const s = load<f64>(at(variances, d));
      const precision = 1.0 / (square + 2.0 * s);
      const precisions = f64x2.splat(precision);
      let firsts = f64x2.splat(0);
      let seconds = f64x2.splat(0);
      for (let j = 0; j < m; j += 2) {
        const gap = v128.load(at(own, d * m + j));
        const part = f64x2.mul(v128.load(at(rowSums, j)), gap);
        const both = f64x2.add(part, v128.load(at(pulls, d * m + j)));
        firsts = f64x2.add(firsts, part);
        seconds = multiplyAdd(gap, both, seconds);
        const slope = at(dz, d * m + j);
        v128.store(slope, multiplyAdd(precisions, both, v128.load(slope)));
      }
      const widening = 0.5 * precision * precision * lanes(seconds);
      store<f64>(at(e.dmean, i * q + d), -2.0 * precision * lanes(firsts));
      store<f64>(at(e.dvariance, i * q + d), 2.0 * widening - weight * precision);
      const slope = at(dsquares, d);
      store<f64>(slope, load<f64>(slope) + widening + (weight * s * precision) / square);
    }
  }
  store<f64>(at(total, length), sum);
}

/** The symmetric matrix h ← factor·g∘products, in slivers of four columns; total ← total + its tiles. */
function spreadOut(m: i32, factor: f64, g: usize, products: usize, h: usize, total: usize): void {
  const factors = f64x2.splat(factor);
  const count = m / SLIVER;
  const sliver = SLIVER * m;
  let offset: usize = 0;
  for (let I = 0; I < count; I++) {
    for (let J = 0; J <= I; J++) {
      const below = at(h, J * sliver + I * 16);
      const above = at(h, I * sliver + J * 16);
      for (let half: usize = 0; half < 2; half++) {
        const from: usize = offset + (half << 6);
        const rows: usize = below + (half << 6);
        const r00 = weighed(factors, g + from, products + from, total + from);
        const r01 = weighed(factors, g + from + 16, products + from + 16, total + from + 16);
        const r10 = weighed(factors, g + from + 32, products + from + 32, total + from + 32);
        const r11 = weighed(factors, g + from + 48, products + from + 48, total + from + 48);
        v128.store(rows, r00);
        v128.store(rows, r01, 16);
        v128.store(rows, r10, 32);
        v128.store(rows, r11, 48);
        if (I != J) {
          const columns: usize = above + (half << 4);
          v128.store(columns, f64x2.shuffle(r00, r10, 0, 2));
          v128.store(columns, f64x2.shuffle(r00, r10, 1, 3), 32);
          v128.store(columns, f64x2.shuffle(r01, r11, 0, 2), 64);
          v128.store(columns, f64x2.shuffle(r01, r11, 1, 3), 96);
        }
      }
      offset += 128;
    }
  }
}

/** factor·g∘product, which is added to the total. @inline */
function weighed(factor: v128, g: usize, product: usize, total: usize): v128 {
  const entries = f64x2.mul(factor, f64x2.mul(v128.load(g), v128.load(product)));
  v128.store(total, f64x2.add(v128.load(total), entries));
  return entries;
}

/** target (rows×m) ← u·h for the rows of u and a symmetric matrix in slivers; up to three further rows are written. */
function contract(m: i32, rows: i32, h: usize, u: usize, slivers: usize, target: usize): void {
  pack(slivers, u, rows, m, m, 1, 1);
  const count = (rows + SLIVER - 1) / SLIVER;
  for (let j = 0; j < m; j += SLIVER) multiplyTiles<f64>(count, m, slivers, at(h, j * m), at(target, j), m << 3, false);
}

function sumOf(n: i32, x: usize): f64 {
  let sum = f64x2.splat(0);
  for (let j = 0; j < n; j += 2) sum = f64x2.add(sum, v128.load(at(x, j)));
  return lanes(sum);
}

/**
 * Products are stored in tiles of 4×4, the tiles of the lower triangle row by row. m is a multiple of four: callers pad the inducing inputs to the
 * width and ignore the results for the padding.
 */
const TILE: i32 = SLIVER * SLIVER;

/** Numbers in the tiles of a lower triangle. */
function tiled(m: i32): i32 {
  const count = m / SLIVER;
  return ((count * (count + 1)) >> 1) * TILE;
}

/**
 * Ψ2 summed over the points with weights, in tiles, for each of `sums` columns of weights:
 * Σ_n ω_n·Π_d (1 + 2s_nd/l_d²)^−½·exp(−(z_md − z_m'd)²/(4l_d²) − (μ_nd − z̄_d)²/(l_d² + 2s_nd)), and `apart` is left in steps of the exponential.
 * With m the width of the inducing inputs:
 *
 * The points are divided into `parts` with separate sums, which are added in order, so that one thread and several threads give the same bits. For
 * each part, `target` has the tiles of its sums, and `work` has 4·(q + 2)·m numbers plus the size of the tiles. No n×m×m array is stored, unless the
 * exponentials of the first `keptPoints` points are `kept` for the gradient, with the size of the tiles for each.
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
function productCost(e: Expectations): f64 {
  return <f64>e.n * tiled(e.width) * (e.q + EXPONENTIAL);
}

/** The first of the n points that belongs to a part. */
function firstPoint(part: i32, e: Expectations): i32 {
  return (part * e.n) / e.parts;
}

/** Adds all of `parts` consecutive results to the first one. */
function addParts(parts: i32, length: i32, results: usize): void {
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
 * exp of the exponents of one point's Ψ2, in tiles, with `apart` in steps of the exponential, from the output of `pointInputs` in `work`. With u = μ
 * − z the exponents are −¼Σ_d (u_jd + u_kd)²/(l_d² + 2s_d) = a_j + a_k − ½Σ_d u_jd·u_kd/(l_d² + 2s_d), a product of two matrices of q + 2 rows.
 */
function pointProducts(m: i32, q: i32, apart: usize, products: usize, work: usize): void {
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
 * Writes the rows u_d, 1, a to the beginning of `work`, followed by −½u_d/(l_d² + 2s_d), a, 1; returns the factor of the products of point i, Π_d (1
 * + 2s_d/l_d²)^−½.
 */
function pointInputs(i: i32, e: Expectations, work: usize): f64 {
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
