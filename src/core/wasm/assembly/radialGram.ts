import { contract, mirrorBlock, withTransposed } from './pairBlocks';
import { BLOCK, valuesFromPoint, weighBySlopes } from './radialRows';
import { at, dot } from './vectors';

/**
 * K_ij and K_ji ← variance·f(‖x_i − x_j‖²) for rows i = rowStart … rowEnd − 1 and j < i, `diagonal` at K_ii. Points are given dimension
 * by dimension (q×n), K is n×n, row-major; `work` has room for 64 numbers.
 */
export function radialGram(
  profile: i32,
  n: i32,
  q: i32,
  x: usize,
  variance: f64,
  diagonal: f64,
  rowStart: i32,
  rowEnd: i32,
  k: usize,
  work: usize,
): void {
  const rowBytes = n << 3;
  for (let ib = rowStart; ib < rowEnd; ib += BLOCK) {
    const rows = min(ib + BLOCK, rowEnd);
    for (let jb = 0; jb < rows; jb += BLOCK) {
      for (let i = max(ib, jb + 1); i < rows; i++) {
        const width = min(BLOCK, i - jb);
        const entries: usize = at(k + i * rowBytes, jb);
        valuesFromPoint(profile, width, q, at(x, i), rowBytes, at(x, jb), rowBytes, variance, entries, work);
      }
      mirrorBlock(ib, rows, jb, BLOCK, k, rowBytes);
    }
    for (let i = ib; i < rows; i++) store<f64>(at(k + i * rowBytes, i), diagonal);
  }
}

/**
 * dx_i += 2·Σ_j w_ij·(x_i − x_j) and dx_j −= 2·Σ_i w_ij·(x_i − x_j), w_ij = variance·f′(‖x_i − x_j‖²)·(g_ij + g_ji), over rows
 * i = rowStart … rowEnd − 1 and j < i: what g = ∂L/∂K is in the points. Returns Σ (g_ij + g_ji)·k_ij + Σ g_ii·k_ii of these rows. Points
 * and dx are given dimension by dimension; `work` has room for 97 numbers.
 */
export function radialGramGradient(
  profile: i32,
  n: i32,
  q: i32,
  x: usize,
  variance: f64,
  rowStart: i32,
  rowEnd: i32,
  k: usize,
  g: usize,
  dx: usize,
  work: usize,
): f64 {
  const rowBytes = n << 3;
  const weights: usize = at(work, 2 * BLOCK);
  const squares: usize = at(work, 3 * BLOCK);
  store<f64>(squares, 0.0);
  let sum = 0.0;
  for (let ib = rowStart; ib < rowEnd; ib += BLOCK) {
    const rows = min(ib + BLOCK, rowEnd);
    for (let jb = 0; jb < rows; jb += BLOCK) {
      for (let i = max(ib, jb + 1); i < rows; i++) {
        const width = min(BLOCK, i - jb);
        withTransposed(width, at(g + i * rowBytes, jb), at(g + jb * rowBytes, i), rowBytes, weights);
        sum += dot(width, weights, at(k + i * rowBytes, jb));
        weighBySlopes(profile, width, q, at(x, i), rowBytes, at(x, jb), rowBytes, -2.0 * variance, weights, work);
        for (let d = 0; d < q; d++) {
          const line = d * n;
          contract(width, i - jb, at(x, line + jb), weights, at(dx, line + jb), squares);
        }
      }
    }
    for (let i = ib; i < rows; i++) sum += load<f64>(at(g + i * rowBytes, i)) * load<f64>(at(k + i * rowBytes, i));
  }
  return sum;
}
