import { BLOCK, valuesFromPoint, weighBySlopes } from './radialRows';
import { weightedDifferences } from './squaredDistances';
import { at, dot } from './vectors';

/**
 * K_ij ← variance·f(‖a_i − b_j‖²) for rows i = rowStart … rowEnd − 1. Points are given dimension by dimension (q×n and q×m), K is n×m,
 * row-major; `work` holds 64 numbers.
 */
export function radialCross(
  profile: i32,
  n: i32,
  m: i32,
  q: i32,
  a: usize,
  b: usize,
  variance: f64,
  rowStart: i32,
  rowEnd: i32,
  k: usize,
  work: usize,
): void {
  for (let jb = 0; jb < m; jb += BLOCK) {
    const width = min(BLOCK, m - jb);
    for (let i = rowStart; i < rowEnd; i++) {
      const entries: usize = at(k, i * m + jb);
      const spare: usize = at(work, BLOCK);
      valuesFromPoint(profile, width, q, at(a, i), n << 3, at(b, jb), m << 3, variance, 0.0, entries, work, spare);
    }
  }
}

/**
 * da_i += 2·Σ_j w_ij·(a_i − b_j) and db_j −= 2·Σ_i w_ij·(a_i − b_j), w_ij = variance·f′(‖a_i − b_j‖²)·g_ij, over rows
 * i = rowStart … rowEnd − 1: what g = ∂L/∂K is in the points. Returns Σ g_ij·k_ij of these rows. Points and their gradients are given
 * dimension by dimension; `work` holds 96 numbers.
 */
export function radialCrossGradient(
  profile: i32,
  n: i32,
  m: i32,
  q: i32,
  a: usize,
  b: usize,
  variance: f64,
  rowStart: i32,
  rowEnd: i32,
  k: usize,
  g: usize,
  da: usize,
  db: usize,
  work: usize,
): f64 {
  const weights: usize = at(work, 2 * BLOCK);
  let sum = 0.0;
  for (let jb = 0; jb < m; jb += BLOCK) {
    const width = min(BLOCK, m - jb);
    for (let i = rowStart; i < rowEnd; i++) {
      const row: usize = at(g, i * m + jb);
      sum += dot(width, row, at(k, i * m + jb));
      memory.copy(weights, row, width << 3);
      weighBySlopes(profile, width, q, at(a, i), n << 3, at(b, jb), m << 3, 2.0 * variance, weights, work);
      for (let d = 0; d < q; d++) {
        const line = d * m + jb;
        const entry: usize = at(da, d * n + i);
        const pull = weightedDifferences(width, load<f64>(at(a, d * n + i)), weights, at(b, line), at(db, line));
        store<f64>(entry, load<f64>(entry) + pull);
      }
    }
  }
  return sum;
}
