import { expectedRow } from './rbfExpectations';
import { at, lanes, multiplyAdd } from './vectors';

/**
 * Contracts g = ∂L/∂Ψ1 (n×m) with the derivatives of `expectedRbf`: dmean and dvariance (n×q) are set, dz (q×width) and dsquares (q)
 * added to. Returns Σ g∘Ψ1. The inducing inputs are q×width, of which m count, and width is even; `work` holds as many numbers.
 */
export function expectedRbfGradient(
  n: i32,
  m: i32,
  width: i32,
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
    expectedRow(width, q, means, variances, z, squares, work);
    const weight = weigh(m, width, at(g, i * m), work);
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
      store<f64>(at(dmean, i * q + d), -precision * lanes(pulls));
      store<f64>(at(dvariance, i * q + d), widening - 0.5 * weight * precision);
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
