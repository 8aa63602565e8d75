import { multiplyTiles } from './microKernel';
import { STEPS_PER_UNIT } from './negativeExponential';
import { pack, SLIVER } from './packing';
import { addParts, firstPoint, pointInputs, pointProducts, productCost, tiled } from './rbfProducts';
import { isWorthSharing, operands, shareOut } from './team';
import { addScaled, at, lanes, multiplyAdd, scaleVector } from './vectors';

/**
 * Contracts G_p = ∂L/∂Ψ2_p, symmetric matrices in tiles as those of `expectedRbfProducts`, with its derivatives. dmean and dvariance
 * (n×q) are set, and so are `results`, numbers for each of the `parts` that the points are cut into, which are added up in order into
 * the first: dz (q×m) and dsquares (q), both without the part of the exponents that does not depend on the points; for that, the tiles of
 * Σ_n ω_n·G∘Ψ2_n; the sum of all entries of that; one that means nothing. `apart` is left in steps of the exponential. `kept` are the
 * exponentials of the first `keptPoints`. `work` holds for each part 4·(q + 2)·m + 2·(q + 4)·m + m² numbers and twice those of the tiles.
 */
export function expectedRbfProductsGradient(
  n: i32,
  parts: i32,
  m: i32,
  q: i32,
  mean: usize,
  variance: usize,
  z: usize,
  squares: usize,
  apart: usize,
  weights: usize,
  sums: i32,
  kept: usize,
  keptPoints: i32,
  g: usize,
  dmean: usize,
  dvariance: usize,
  results: usize,
  work: usize,
): void {
  const length = resultLength(m, q);
  scaleVector(tiled(m), STEPS_PER_UNIT, apart);
  if (ASC_FEATURE_THREADS) {
    if (parts > 1 && isWorthSharing(CONTRACTIONS * productCost(n, m, q))) {
      const task = changetype<Contraction>(operands());
      task.n = n;
      task.parts = parts;
      task.m = m;
      task.q = q;
      task.mean = mean;
      task.variance = variance;
      task.z = z;
      task.squares = squares;
      task.apart = apart;
      task.weights = weights;
      task.sums = sums;
      task.kept = kept;
      task.keptPoints = keptPoints;
      task.g = g;
      task.dmean = dmean;
      task.dvariance = dvariance;
      task.results = results;
      task.work = work;
      shareOut(sharedContraction, parts);
      addParts(parts, length, results);
      return;
    }
  }
  for (let part = 0; part < parts; part++) {
    contractPart(
      part,
      n,
      parts,
      m,
      q,
      mean,
      variance,
      z,
      squares,
      apart,
      weights,
      sums,
      kept,
      keptPoints,
      g,
      dmean,
      dvariance,
      results,
      work,
    );
  }
  addParts(parts, length, results);
}

/** What a point costs here, in those of its products. */
const CONTRACTIONS: f64 = 2.0;

function resultLength(m: i32, q: i32): i32 {
  return q * m + q + tiled(m) + 2;
}

/** A contraction as the threads of a team find it. */
@unmanaged
class Contraction {
  n: i32;
  parts: i32;
  m: i32;
  q: i32;
  mean: usize;
  variance: usize;
  z: usize;
  squares: usize;
  apart: usize;
  weights: usize;
  sums: i32;
  kept: usize;
  keptPoints: i32;
  g: usize;
  dmean: usize;
  dvariance: usize;
  results: usize;
  work: usize;
}

function sharedContraction(part: i32): void {
  const t = changetype<Contraction>(operands());
  contractPart(
    part,
    t.n,
    t.parts,
    t.m,
    t.q,
    t.mean,
    t.variance,
    t.z,
    t.squares,
    t.apart,
    t.weights,
    t.sums,
    t.kept,
    t.keptPoints,
    t.g,
    t.dmean,
    t.dvariance,
    t.results,
    t.work,
  );
}

function contractPart(
  part: i32,
  n: i32,
  parts: i32,
  m: i32,
  q: i32,
  mean: usize,
  variance: usize,
  z: usize,
  squares: usize,
  apart: usize,
  weights: usize,
  sums: i32,
  kept: usize,
  keptPoints: i32,
  g: usize,
  dmean: usize,
  dvariance: usize,
  results: usize,
  work: usize,
): void {
  const length = tiled(m);
  const ownLength = resultLength(m, q);
  const dz = at(results, part * ownLength);
  const dsquares = at(dz, q * m);
  const total = at(dsquares, q);
  memory.fill(dz, 0, ownLength << 3);
  const own = at(work, part * (4 * (q + 2) * m + 2 * (q + 4) * m + m * m + 2 * length));
  const pulls = at(own, 4 * (q + 2) * m);
  const slivers = at(pulls, (q + 4) * m);
  const h = at(slivers, (q + 4) * m);
  const combined = at(h, m * m);
  const unkept = at(combined, length);
  let sum = 0.0;
  const end = firstPoint(part + 1, n, parts);
  for (let i = firstPoint(part, n, parts); i < end; i++) {
    const variances = at(variance, i * q);
    const factor = pointInputs(m, q, at(mean, i * q), variances, z, squares, own);
    let products = unkept;
    if (i < keptPoints) products = at(kept, i * length);
    else pointProducts(m, q, apart, products, own);
    let weighted = g;
    if (weights != 0) {
      weighted = combined;
      memory.fill(weighted, 0, length << 3);
      for (let p = 0; p < sums; p++) {
        const weight = load<f64>(at(weights, i * sums + p));
        if (weight != 0) addScaled(length, weight, at(g, p * length), weighted);
      }
    }
    spreadOut(m, factor, weighted, products, h, total);
    // u and ones lie at the beginning of the workspace.
    contract(m, q + 1, h, own, slivers, pulls);
    const rowSums = at(pulls, q * m);
    const weight = sumOf(m, rowSums);
    sum += weight;
    for (let d = 0; d < q; d++) {
      const square = load<f64>(at(squares, d));
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
      store<f64>(at(dmean, i * q + d), -2.0 * precision * lanes(firsts));
      store<f64>(at(dvariance, i * q + d), 2.0 * widening - weight * precision);
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

/** target (rows×m) ← u·h for the rows of u and a symmetric matrix in slivers; up to three rows more are written. */
function contract(m: i32, rows: i32, h: usize, u: usize, slivers: usize, target: usize): void {
  pack(slivers, u, rows, m, m, 1, 1);
  const count = (rows + SLIVER - 1) / SLIVER;
  for (let j = 0; j < m; j += SLIVER) multiplyTiles(count, m, slivers, at(h, j * m), at(target, j), m << 3, false);
}

function sumOf(n: i32, x: usize): f64 {
  let sum = f64x2.splat(0);
  for (let j = 0; j < n; j += 2) sum = f64x2.add(sum, v128.load(at(x, j)));
  return lanes(sum);
}
