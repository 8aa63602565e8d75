import { STEPS_PER_UNIT } from './exponential';
import { multiplyTiles } from './microKernel';
import { pack, SLIVER } from './packing';
import { Expectations } from './rbfExpectations';
import { addParts, firstPoint, pointInputs, pointProducts, productCost, tiled } from './rbfProducts';
import { performParts } from './team';
import { addScaled, at, lanes, multiplyAdd, scaleVector } from './vectors';

/**
 * Contracts G_p = ∂L/∂Ψ2_p, symmetric matrices in tiles as those of `expectedRbfProducts`, with its derivatives. dmean and dvariance
 * (n×q) are set, and so is the target, numbers for each of the `parts` that the points are cut into, which are added up in order into
 * the first: dz (q×m) and dsquares (q), both without the part of the exponents that does not depend on the points; for that, the tiles of
 * Σ_n ω_n·G∘Ψ2_n; the sum of all entries of that; one that means nothing. `apart` is left in steps of the exponential. `work` holds for each part, with m the width, 4·(q + 2)·m + 2·(q + 4)·m + m² numbers and twice those of the tiles.
 */
export function expectedRbfProductsGradient(e: Expectations): void {
  scaleVector(tiled(e.width), STEPS_PER_UNIT, e.apart);
  performParts(contractPart, e.parts, changetype<usize>(e), CONTRACTIONS * productCost(e));
  addParts(e.parts, resultLength(e.width, e.q), e.target);
}

/** Cost of a point relative to that of its products. */
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
    // u and ones lie at the beginning of the workspace.
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

/** target (rows×m) ← u·h for the rows of u and a symmetric matrix in slivers; up to three rows more are written. */
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
