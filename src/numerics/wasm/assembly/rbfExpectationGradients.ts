import { expectedRow, pointProducts } from './rbfExpectations';
import { addScaled, at, dot, lanes, scaleVector } from './vectors';

/**
 * Contracts g = ∂L/∂Ψ1 (n×m) with the derivatives of `expectedRbf`: dmean and dvariance (n×q) are set, dz (q×m) and dsquares (q) added
 * to. Returns Σ g∘Ψ1; `work` holds m numbers.
 */
export function expectedRbfGradient(
  n: i32,
  m: i32,
  q: i32,
  mean: usize,
  variance: usize,
  z: usize,
  squares: usize,
  g: usize,
  dmean: usize,
  dvariance: usize,
  dz: usize,
  dsquares: usize,
  work: usize,
): f64 {
  let total = 0.0;
  for (let i = 0; i < n; i++) {
    const means = at(mean, i * q);
    const variances = at(variance, i * q);
    expectedRow(m, q, means, variances, z, squares, work);
    const weight = weigh(m, at(g, i * m), work);
    total += weight;
    for (let d = 0; d < q; d++) {
      const square = load<f64>(at(squares, d));
      const s = load<f64>(at(variances, d));
      const precision = 1.0 / (square + s);
      const x = load<f64>(at(means, d));
      let pull = 0.0;
      let spread = 0.0;
      for (let j = 0; j < m; j++) {
        const gap = x - load<f64>(at(z, d * m + j));
        const part = load<f64>(at(work, j)) * gap;
        pull += part;
        spread += part * gap;
        const slope = at(dz, d * m + j);
        store<f64>(slope, load<f64>(slope) + precision * part);
      }
      const widening = 0.5 * precision * precision * spread;
      store<f64>(at(dmean, i * q + d), -precision * pull);
      store<f64>(at(dvariance, i * q + d), widening - 0.5 * weight * precision);
      add(at(dsquares, d), widening + (0.5 * weight * precision * s) / square);
    }
  }
  return total;
}

/**
 * Contracts G_p = ∂L/∂Ψ2_p, the lower triangles of symmetric matrices, with the derivatives of `expectedRbfProducts`: dmean and
 * dvariance (n×q) are set, dz (q×m) and dsquares (q) added to without the part of the exponents that does not depend on the points; for
 * that, `total` (m×m) ← Σ_n ω_n·G∘Ψ2_n. Returns its sum. `work` holds 2·(q·m) + 2·m + q + m² numbers and two triangles.
 */
export function expectedRbfProductsGradient(
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
  g: usize,
  dmean: usize,
  dvariance: usize,
  dz: usize,
  dsquares: usize,
  total: usize,
  work: usize,
): f64 {
  const length = (m * (m + 1)) >> 1;
  const products = at(work, q * m + m + q);
  const combined = at(products, length);
  const h = at(combined, length);
  const rowSums = at(h, m * m);
  const pulls = at(rowSums, m);
  memory.fill(total, 0, (m * m) << 3);
  let sum = 0.0;
  for (let i = 0; i < n; i++) {
    const means = at(mean, i * q);
    const variances = at(variance, i * q);
    const factor = pointProducts(m, q, means, variances, z, squares, apart, products, work);
    let own = g;
    if (weights != 0) {
      own = combined;
      memory.fill(own, 0, length << 3);
      for (let p = 0; p < sums; p++) {
        const weight = load<f64>(at(weights, i * sums + p));
        if (weight != 0) addScaled(length, weight, at(g, p * length), own);
      }
    }
    spreadOut(m, own, products, h);
    scaleVector(m * m, factor, h);
    addScaled(m * m, 1.0, h, total);
    const weight = contract(m, q, h, work, rowSums, pulls);
    sum += weight;
    for (let d = 0; d < q; d++) {
      const square = load<f64>(at(squares, d));
      const s = load<f64>(at(variances, d));
      const precision = 1.0 / (square + 2.0 * s);
      const u = at(work, d * m);
      const pull = at(pulls, d * m);
      let first = 0.0;
      let second = 0.0;
      for (let j = 0; j < m; j++) {
        const gap = load<f64>(at(u, j));
        const part = load<f64>(at(rowSums, j)) * gap;
        const both = part + load<f64>(at(pull, j));
        first += part;
        second += gap * both;
        const slope = at(dz, d * m + j);
        store<f64>(slope, load<f64>(slope) + precision * both);
      }
      const widening = 0.5 * precision * precision * second;
      store<f64>(at(dmean, i * q + d), -2.0 * precision * first);
      store<f64>(at(dvariance, i * q + d), 2.0 * widening - weight * precision);
      add(at(dsquares, d), widening + (weight * s * precision) / square);
    }
  }
  return sum;
}

function add(target: usize, value: f64): void {
  store<f64>(target, load<f64>(target) + value);
}

/** h ← g∘h; returns its sum. */
function weigh(m: i32, g: usize, h: usize): f64 {
  let sum = 0.0;
  for (let j = 0; j < m; j++) {
    const entry = load<f64>(at(g, j)) * load<f64>(at(h, j));
    store<f64>(at(h, j), entry);
    sum += entry;
  }
  return sum;
}

/** The symmetric matrix h (m×m) ← g∘products, both lower triangles. */
function spreadOut(m: i32, g: usize, products: usize, h: usize): void {
  for (let i = 0; i < m; i++) {
    const start = (i * (i + 1)) >> 1;
    let column = at(h, i);
    for (let j = 0; j <= i; j++) {
      const entry = load<f64>(at(g, start + j)) * load<f64>(at(products, start + j));
      store<f64>(at(h, i * m + j), entry);
      store<f64>(column, entry);
      column += m << 3;
    }
  }
}

/** rowSums ← h·1 and pulls (q×m) ← (h·uᵀ)ᵀ for u q×m; returns 1ᵀh1. */
function contract(m: i32, q: i32, h: usize, u: usize, rowSums: usize, pulls: usize): f64 {
  let total = 0.0;
  const rowBytes: usize = m << 3;
  for (let i = 0; i < m; i++) {
    const row = at(h, i * m);
    let s = f64x2.splat(0);
    let j = 0;
    for (; j + 2 <= m; j += 2) s = f64x2.add(s, v128.load(at(row, j)));
    const sum = j < m ? lanes(s) + load<f64>(at(row, j)) : lanes(s);
    store<f64>(at(rowSums, i), sum);
    total += sum;
    let d = 0;
    for (; d + 4 <= q; d += 4) fourDots(m, row, at(u, d * m), rowBytes, at(pulls, d * m + i));
    for (; d < q; d++) store<f64>(at(pulls, d * m + i), dot(m, row, at(u, d * m)));
  }
  return total;
}

/** target_d ← xᵀu_d for four rows u_d in turn; targets are as far apart as rows. */
function fourDots(m: i32, x: usize, u: usize, rowBytes: usize, target: usize): void {
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let s2 = f64x2.splat(0);
  let s3 = f64x2.splat(0);
  let j = 0;
  for (; j + 2 <= m; j += 2) {
    const entries = v128.load(at(x, j));
    const column = at(u, j);
    s0 = f64x2.add(s0, f64x2.mul(entries, v128.load(column)));
    s1 = f64x2.add(s1, f64x2.mul(entries, v128.load(column + rowBytes)));
    s2 = f64x2.add(s2, f64x2.mul(entries, v128.load(column + 2 * rowBytes)));
    s3 = f64x2.add(s3, f64x2.mul(entries, v128.load(column + 3 * rowBytes)));
  }
  let t0 = lanes(s0);
  let t1 = lanes(s1);
  let t2 = lanes(s2);
  let t3 = lanes(s3);
  if (j < m) {
    const entry = load<f64>(at(x, j));
    const column = at(u, j);
    t0 += entry * load<f64>(column);
    t1 += entry * load<f64>(column + rowBytes);
    t2 += entry * load<f64>(column + 2 * rowBytes);
    t3 += entry * load<f64>(column + 3 * rowBytes);
  }
  store<f64>(target, t0);
  store<f64>(target + rowBytes, t1);
  store<f64>(target + 2 * rowBytes, t2);
  store<f64>(target + 3 * rowBytes, t3);
}
