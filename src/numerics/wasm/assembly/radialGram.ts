import { addParts, firstRow, gradientParts, resultOfPart } from './gradientParts';
import { contract, mirrorBlock, withTransposed } from './pairBlocks';
import { startInLower } from './parts';
import { BLOCK, valuesFromPoint, weighBySlopes } from './radialRows';
import { isWorthSharing, operands, partsAlong, shareOut, threadNumber } from './team';
import { at, dot } from './vectors';

/**
 * K_ij and K_ji ← variance·f(‖x_i − x_j‖²), `diagonal` at K_ii. Points are given dimension by dimension (q×n), K is n×n, row-major; `work`
 * holds 98 numbers a thread.
 */
export function radialGram(
  profile: i32,
  n: i32,
  q: i32,
  x: usize,
  variance: f64,
  diagonal: f64,
  k: usize,
  work: usize,
): void {
  if (ASC_FEATURE_THREADS) {
    const parts = partsAlong(n, 2 * BLOCK);
    if (parts > 1 && isWorthSharing(MULTIPLICATIONS * n * n)) {
      const task = changetype<RadialTask>(operands());
      task.profile = profile;
      task.parts = parts;
      task.n = n;
      task.q = q;
      task.x = x;
      task.variance = variance;
      task.diagonal = diagonal;
      task.k = k;
      task.work = work;
      shareOut(sharedGramPart, parts);
      return;
    }
  }
  gramRows(profile, n, q, x, variance, diagonal, 0, n, k, work);
}

/** What a pair of points costs, half of them, in multiplications of a product. */
const MULTIPLICATIONS: f64 = 40.0;
/** Numbers of workspace for one thread. */
const ROW: i32 = 98;

/** A covariance or its gradient as the threads of a team find it. */
@unmanaged
class RadialTask {
  variance: f64;
  diagonal: f64;
  profile: i32;
  parts: i32;
  n: i32;
  q: i32;
  x: usize;
  k: usize;
  g: usize;
  work: usize;
}

function sharedGramPart(part: i32): void {
  const t = changetype<RadialTask>(operands());
  const start = startInLower(part, t.parts, t.n, BLOCK);
  const end = startInLower(part + 1, t.parts, t.n, BLOCK);
  const work: usize = at(t.work, ROW * threadNumber());
  gramRows(t.profile, t.n, t.q, t.x, t.variance, t.diagonal, start, end, t.k, work);
}

function gramRows(
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
 * Result ← [dx | Σ g_ij·k_ij, 0] with dx_i = 2·Σ_j w_ij·(x_i − x_j), w_ij = variance·f′(‖x_i − x_j‖²)·(g_ij + g_ji): what g = ∂L/∂K is in the
 * points. Points and dx are given dimension by dimension; `work` holds gradientWorkspace(n, q·n + 2) numbers.
 */
export function radialGramGradient(
  profile: i32,
  n: i32,
  q: i32,
  x: usize,
  variance: f64,
  k: usize,
  g: usize,
  result: usize,
  work: usize,
): void {
  const parts = gradientParts(n);
  if (ASC_FEATURE_THREADS) {
    if (parts > 1 && isWorthSharing(MULTIPLICATIONS * n * n)) {
      const task = changetype<RadialTask>(operands());
      task.profile = profile;
      task.n = n;
      task.q = q;
      task.x = x;
      task.variance = variance;
      task.k = k;
      task.g = g;
      task.work = work;
      shareOut(sharedGradientPart, parts);
      addParts(n, q * n + 2, work, result);
      return;
    }
  }
  for (let part = 0; part < parts; part++) gradientPart(part, profile, n, q, x, variance, k, g, work);
  addParts(n, q * n + 2, work, result);
}

function sharedGradientPart(part: i32): void {
  const t = changetype<RadialTask>(operands());
  gradientPart(part, t.profile, t.n, t.q, t.x, t.variance, t.k, t.g, t.work);
}

function gradientPart(
  part: i32,
  profile: i32,
  n: i32,
  q: i32,
  x: usize,
  variance: f64,
  k: usize,
  g: usize,
  work: usize,
): void {
  const length = q * n + 2;
  const dx = resultOfPart(part, length, work);
  const own: usize = at(dx, length);
  memory.fill(dx, 0, length << 3);
  const sum = gradientRows(profile, n, q, x, variance, firstRow(part, n), firstRow(part + 1, n), k, g, dx, own);
  store<f64>(at(dx, q * n), sum);
}

/** Adds to dx what rows rowStart … rowEnd − 1 contribute, and returns their Σ g_ij·k_ij; `work` holds 97 numbers. */
function gradientRows(
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
