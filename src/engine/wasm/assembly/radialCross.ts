import { BLOCK, Radial, valuesFromPoint, weighBySlopes } from './radialRows';
import { weightedDifferences } from './squaredDistances';
import { at, dot } from './vectors';

/** K_ij ← variance·f(‖x_i − y_j‖²) + shift, n×m, row-major; `work` holds 64 numbers. */
export function radialCross(r: Radial): void {
  const n = r.n;
  const m = r.m;
  const spare: usize = at(r.work, BLOCK);
  for (let jb = 0; jb < m; jb += BLOCK) {
    const width = min(BLOCK, m - jb);
    for (let i = 0; i < n; i++) {
      valuesFromPoint(r, width, at(r.x, i), n << 3, at(r.y, jb), m << 3, at(r.k, i * m + jb), r.work, spare);
    }
  }
}

/**
 * dx_i += 2·Σ_j w_ij·(x_i − y_j) and dy_j −= 2·Σ_i w_ij·(x_i − y_j), w_ij = variance·f′(‖x_i − y_j‖²)·g_ij: what g = ∂L/∂K is in the points.
 * Returns Σ g_ij·k_ij. Gradients are given dimension by dimension; `work` holds 96 numbers.
 */
export function radialCrossGradient(r: Radial): f64 {
  const n = r.n;
  const m = r.m;
  const weights: usize = at(r.work, 2 * BLOCK);
  let sum = 0.0;
  for (let jb = 0; jb < m; jb += BLOCK) {
    const width = min(BLOCK, m - jb);
    for (let i = 0; i < n; i++) {
      const row: usize = at(r.g, i * m + jb);
      sum += dot(width, row, at(r.k, i * m + jb));
      memory.copy(weights, row, width << 3);
      weighBySlopes(r, width, at(r.x, i), n << 3, at(r.y, jb), m << 3, 2.0 * r.variance, weights, r.work);
      for (let d = 0; d < r.q; d++) {
        const line = d * m + jb;
        const entry: usize = at(r.dx, d * n + i);
        const pull = weightedDifferences(width, load<f64>(at(r.x, d * n + i)), weights, at(r.y, line), at(r.dy, line));
        store<f64>(entry, load<f64>(entry) + pull);
      }
    }
  }
  return sum;
}
